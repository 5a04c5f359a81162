/**
 * The version apiextensions.{domain}/v1beta1 of CustomResourceDefinition. It is not served since 1.22, but kube-apiserver still stores every
 * definition in it. What all versions of a resource share is written once, beside them:
 *
 *     v1beta1  validation: {...}  subresources: {...}  versions: [{name: v1}, {name: v2}]
 *     v1       versions: [{name: v1, schema: {...}, subresources: {...}}, {name: v2, schema: {...}, subresources: {...}}]
 */
import { boolean, field, type Infer, int32, list, object, string, structsOf } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import {
  type Conversion,
  type CustomResourceDefinition,
  Names,
  type PrinterColumn,
  SelectableField,
  Status,
  Subresources,
  Validation,
  type Version,
  WebhookClientConfig,
} from "./schema.ts";

const home = "apiextensions/v1beta1";
const struct = structsOf(home);

const OldColumn = struct("CustomResourceColumnDefinition", {
  name: field(1, string, "Name of the column.", { required: true }),
  type: field(2, string, "The OpenAPI type of the column.", { required: true }),
  format: field(3, string, "The OpenAPI format of the column."),
  description: field(4, string, "Description of the column."),
  priority: field(5, int32, "The importance."),
  JSONPath: field(6, string, "The JSON path of the value in the object.", { required: true }),
}, { doc: "A column of tables." });

const OldVersion = struct("CustomResourceDefinitionVersion", {
  name: field(1, string, "Name of the version.", { required: true }),
  served: field(2, boolean, "Whether the version is served.", { required: true }),
  storage: field(3, boolean, "Whether objects are stored in this version.", { required: true }),
  deprecated: field(7, boolean, "Requests of the version get a warning."),
  deprecationWarning: field(8, string, "The text of the warning of a deprecated version.", { pointer: true }),
  schema: field(4, Validation, "The schema of the version.", { pointer: true }),
  subresources: field(5, Subresources, "The subresources of the version.", { pointer: true }),
  additionalPrinterColumns: field(6, list(OldColumn), "The columns of tables after the name."),
  selectableFields: field(9, list(SelectableField), "The fields for field selectors."),
}, { doc: "A version of a custom resource." });

const OldConversion = struct("CustomResourceConversion", {
  strategy: field(1, named("v1beta1.ConversionStrategyType", string), "None or Webhook.", { required: true }),
  webhookClientConfig: field(2, WebhookClientConfig, "How the server connects to the webhook.", { pointer: true }),
  conversionReviewVersions: field(3, list(string), "The versions of ConversionReview that the webhook accepts."),
}, { doc: "The conversion between versions." });

const OldSpec = struct("CustomResourceDefinitionSpec", {
  group: field(1, string, "The API group.", { required: true }),
  version: field(2, string, "The first version."),
  names: field(3, Names, "The names of the resource and its kind.", { required: true }),
  scope: field(4, named("v1beta1.ResourceScope", string), "Cluster or Namespaced.", { required: true }),
  validation: field(5, Validation, "The schema of all versions.", { pointer: true }),
  subresources: field(6, Subresources, "The subresources of all versions.", { pointer: true }),
  versions: field(7, list(OldVersion), "All versions."),
  additionalPrinterColumns: field(8, list(OldColumn), "The columns of all versions."),
  conversion: field(9, OldConversion, "How objects are converted between versions.", { pointer: true }),
  preserveUnknownFields: field(10, boolean, "Whether unknown fields are kept. Default true.", { pointer: true }),
  selectableFields: field(11, list(SelectableField), "The fields for field selectors of all versions."),
}, { doc: "How a custom resource is served." });
type OldSpec = Infer<typeof OldSpec>;

export const OldDefinition = object("CustomResourceDefinition", {
  spec: field(2, OldSpec, "How the custom resource is served.", { required: true }),
  status: field(3, Status, "The state of the definition.", { written: "always" }),
}, { package: home, doc: "A kind that is defined at run time." });
export type OldDefinition = Infer<typeof OldDefinition>;

/** Converts the definition to v1. */
export function ofOldVersion(old: OldDefinition): CustomResourceDefinition {
  const { spec: { version = "", versions, conversion, preserveUnknownFields, scope, names, group, ...shared } } = old;
  const all: readonly Infer<typeof OldVersion>[] = (versions ?? []).length > 0
    ? versions!
    : version === ""
    ? []
    : [{ name: version, served: true, storage: true }];
  return {
    ...old,
    spec: {
      group,
      names,
      scope: scope === "" ? "Namespaced" : scope,
      versions: all.map((each) => versionOf(each, shared)),
      ...(conversion === undefined || conversion === null ? {} : { conversion: conversionOf(conversion) }),
      preserveUnknownFields: preserveUnknownFields ?? true,
    },
  };
}

/** Makes a version that includes what all versions share. */
function versionOf(
  { additionalPrinterColumns: own, ...version }: Infer<typeof OldVersion>,
  { validation, subresources, additionalPrinterColumns: sharedColumns, selectableFields }: Pick<
    OldSpec,
    "validation" | "subresources" | "additionalPrinterColumns" | "selectableFields"
  >,
): Version {
  const schema = version.schema ?? validation, parts = version.subresources ?? subresources;
  const columns = (own ?? []).length > 0 ? own : sharedColumns;
  const fields = (version.selectableFields ?? []).length > 0 ? version.selectableFields : selectableFields;
  return {
    ...version,
    ...(schema === undefined ? {} : { schema }),
    ...(parts === undefined ? {} : { subresources: parts }),
    ...(columns === undefined ? {} : { additionalPrinterColumns: columns.map(columnOf) }),
    ...(fields === undefined ? {} : { selectableFields: fields }),
  };
}

function columnOf({ JSONPath: jsonPath, ...column }: Infer<typeof OldColumn>): PrinterColumn {
  return { ...column, jsonPath };
}

function conversionOf({ strategy, webhookClientConfig, conversionReviewVersions }: Infer<typeof OldConversion>): Conversion {
  const clientConfig = webhookClientConfig ?? undefined, versions = conversionReviewVersions ?? [];
  if (clientConfig === undefined && versions.length === 0) return { strategy };
  return {
    strategy,
    webhook: {
      ...(clientConfig === undefined ? {} : { clientConfig }),
      conversionReviewVersions: versions.length > 0 ? versions : ["v1beta1"],
    },
  };
}
