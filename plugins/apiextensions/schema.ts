/** The schema of CustomResourceDefinition, apiextensions.{domain}/v1. */
import {
  boolean,
  bytes,
  field,
  type Infer,
  int32,
  int64,
  list,
  mapBy,
  object,
  string,
  struct as anyStruct,
  structsOf,
  time,
} from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { home, SchemaProps } from "./schema-props.ts";

export const groupVersion = "apiextensions.{domain}/v1";
const struct = structsOf(home);

export const Names = struct("CustomResourceDefinitionNames", {
  plural: field(1, string, "The plural, in lower case: the last part of the path. The name of the definition is `<plural>.<group>`.", {
    required: true,
  }),
  singular: field(2, string, "The singular, in lower case. Default: the kind in lower case."),
  shortNames: field(3, list(string), "Short names for command lines, in lower case."),
  kind: field(4, string, "The kind, in CamelCase and singular.", { required: true }),
  listKind: field(5, string, "The kind of lists. Default: the kind with the suffix `List`."),
  categories: field(6, list(string), "Groups of resources that the resource belongs to, such as `all`."),
}, { doc: "The names of a custom resource." });
export type Names = Infer<typeof Names>;

const SubresourceStatus = anyStruct("CustomResourceSubresourceStatus", {}, { package: home, doc: "Serves the path `status`." });

const SubresourceScale = struct("CustomResourceSubresourceScale", {
  specReplicasPath: field(1, string, "The JSON path of the desired number of replicas, below `.spec`, without array notation.", {
    required: true,
  }),
  statusReplicasPath: field(2, string, "The JSON path of the actual number of replicas, below `.status`, without array notation.", {
    required: true,
  }),
  labelSelectorPath: field(
    3,
    string,
    "The JSON path of the text of a label selector, below `.status` or `.spec`, without array notation. Autoscalers require it.",
    { pointer: true },
  ),
}, { doc: "Serves the path `scale`." });

export const Subresources = struct("CustomResourceSubresources", {
  status: field(1, SubresourceStatus, "Serves the path `status`: only it writes the status, and it writes nothing else.", {
    pointer: true,
  }),
  scale: field(2, SubresourceScale, "Serves the path `scale`, the object as an autoscaling/v1 Scale.", { pointer: true }),
}, { doc: "The subresources of a custom resource." });
export type Subresources = Infer<typeof Subresources>;

export const PrinterColumn = struct("CustomResourceColumnDefinition", {
  name: field(1, string, "Name of the column.", { required: true }),
  type: field(2, string, "The OpenAPI type of the column: integer, number, string, boolean or date.", { required: true }),
  format: field(3, string, "The OpenAPI format of the column. `name` marks the column of the name."),
  description: field(4, string, "Description of the column."),
  priority: field(5, int32, "The importance: 0 is always shown, higher numbers only in wide tables."),
  jsonPath: field(6, string, "The JSON path of the value in the object.", { required: true, goName: "JSONPath" }),
}, { doc: "A column of tables." });
export type PrinterColumn = Infer<typeof PrinterColumn>;

export const SelectableField = struct("SelectableField", {
  jsonPath: field(
    1,
    string,
    "The JSON path of a field of the type string, boolean or integer, outside of metadata, without array notation.",
    { required: true, goName: "JSONPath" },
  ),
}, { doc: "A field for field selectors." });
export type SelectableField = Infer<typeof SelectableField>;

export const Validation = struct("CustomResourceValidation", {
  openAPIV3Schema: field(1, SchemaProps, "The schema of objects.", { pointer: true, goName: "OpenAPIV3Schema" }),
}, { doc: "How custom resources are validated and pruned." });
export type Validation = Infer<typeof Validation>;

export const Version = struct("CustomResourceDefinitionVersion", {
  name: field(1, string, "Name of the version, such as `v1` or `v2beta1`.", { required: true }),
  served: field(2, boolean, "Whether the version is served.", { required: true }),
  storage: field(3, boolean, "Whether objects are stored in this version. It must be true for exactly one version.", { required: true }),
  deprecated: field(7, boolean, "Requests of the version get a warning."),
  deprecationWarning: field(8, string, "The text of the warning of a deprecated version.", { pointer: true }),
  schema: field(4, Validation, "The schema of the version.", { pointer: true }),
  subresources: field(5, Subresources, "The subresources of the version.", { pointer: true }),
  additionalPrinterColumns: field(6, list(PrinterColumn), "The columns of tables after the name. Default: the age."),
  selectableFields: field(9, list(SelectableField), "The fields for field selectors, at most 8."),
}, { doc: "A version of a custom resource." });
export type Version = Infer<typeof Version>;

export const ServiceReference = struct("ServiceReference", {
  namespace: field(1, string, "Namespace of the service.", { required: true }),
  name: field(2, string, "Name of the service.", { required: true }),
  path: field(3, string, "The path of the URL.", { pointer: true }),
  port: field(4, int32, "The port of the service, from 1 to 65535. Default 443.", { pointer: true, unpublishedDefault: 443 }),
}, { doc: "A service of the cluster." });

export const WebhookClientConfig = struct("WebhookClientConfig", {
  url: field(3, string, "The address of the webhook, with `https`, a host and no user, query or fragment.", {
    pointer: true,
    goName: "URL",
  }),
  service: field(1, ServiceReference, "The service of the webhook. Exactly one of `url` and `service` is required.", { pointer: true }),
  caBundle: field(2, bytes, "The CA certificates, as PEM, that the server uses to verify the webhook. Default: those of the system.", {
    goName: "CABundle",
  }),
}, { doc: "How the server connects to a webhook." });

const WebhookConversion = struct("WebhookConversion", {
  clientConfig: field(2, WebhookClientConfig, "How the server connects to the webhook.", { pointer: true }),
  conversionReviewVersions: field(
    3,
    list(string),
    "The versions of ConversionReview that the webhook accepts, in its order of preference. The server uses the first that it knows.",
    { required: true },
  ),
}, { doc: "A webhook for conversion." });

const Conversion = struct("CustomResourceConversion", {
  strategy: field(
    1,
    named("v1.ConversionStrategyType", string),
    "How objects are converted between versions: None changes the apiVersion only, Webhook calls a webhook.",
    { required: true },
  ),
  webhook: field(2, WebhookConversion, "How the webhook is called, for the strategy Webhook.", { pointer: true }),
}, { doc: "The conversion between versions." });
export type Conversion = Infer<typeof Conversion>;

const Spec = struct("CustomResourceDefinitionSpec", {
  group: field(1, string, "The API group: `/apis/<group>/...`. It is the second part of the name of the definition.", { required: true }),
  names: field(3, Names, "The names of the resource and its kind.", { required: true }),
  scope: field(4, named("v1.ResourceScope", string), "Cluster or Namespaced.", { required: true }),
  versions: field(7, list(Version), "All versions. Clients prefer released versions to betas and alphas, and then higher numbers.", {
    required: true,
  }),
  conversion: field(9, Conversion, "How objects are converted between versions.", { pointer: true }),
  preserveUnknownFields: field(10, boolean, "Must be false. Use `x-kubernetes-preserve-unknown-fields` in schemas."),
}, { doc: "How a custom resource is served." });
export type Spec = Infer<typeof Spec>;

const ConditionOfDefinition = struct("CustomResourceDefinitionCondition", {
  type: field(
    1,
    named("v1.CustomResourceDefinitionConditionType", string),
    "Type of the condition: Established, NamesAccepted, NonStructuralSchema, KubernetesAPIApprovalPolicyConformant or Terminating.",
    { required: true },
  ),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  lastTransitionTime: field(3, time, "Time of the last change of the status.", { written: "always" }),
  reason: field(4, string, "Machine-readable reason of the last change, in one word."),
  message: field(5, string, "Human-readable message."),
  observedGeneration: field(6, int64, "Generation of the definition that the condition is based on."),
}, { doc: "A condition of a definition." });
export type DefinitionCondition = Infer<typeof ConditionOfDefinition>;

export const Status = struct("CustomResourceDefinitionStatus", {
  conditions: field(1, mapBy(["type"], ConditionOfDefinition), "The state of the definition.", { written: "always" }),
  acceptedNames: field(2, Names, "The names in use. They can differ from those of the spec in a conflict.", {
    written: "always",
  }),
  storedVersions: field(
    3,
    list(string),
    "All versions that objects were ever stored in. A version can be removed from the spec when no object is stored in it and it is removed here.",
    { written: "always" },
  ),
  observedGeneration: field(4, int64, "Generation of the definition that the server has processed."),
}, { doc: "The state of a definition." });
export type DefinitionStatus = Infer<typeof Status>;

/** Sets the defaults of a spec: `singular` and `listKind` follow from the kind, and `conversion` is None. */
function specDefaults(spec: Spec): Spec {
  const { names, conversion } = spec;
  const { kind, singular = "", listKind = "" } = names;
  const singularDue = singular === "" && kind !== "", listDue = listKind === "" && kind !== "";
  if (conversion !== undefined && conversion !== null && !singularDue && !listDue) return spec;
  return {
    ...spec,
    names: {
      ...names,
      ...(singularDue ? { singular: kind.toLowerCase() } : {}),
      ...(listDue ? { listKind: `${kind}List` } : {}),
    },
    conversion: conversion ?? { strategy: "None" },
  };
}

export const CustomResourceDefinition = object("CustomResourceDefinition", {
  spec: field(2, { ...Spec, applyDefaults: specDefaults }, "How the custom resource is served.", { required: true }),
  status: field(3, Status, "The state of the definition. Set by the server.", { written: "always" }),
}, {
  package: home,
  doc: "A kind that is defined at run time. The name must be `<spec.names.plural>.<spec.group>`.",
});
export type CustomResourceDefinition = Infer<typeof CustomResourceDefinition>;

/** Returns the name of the version in which objects are stored, if there is one. */
export function storageVersion({ versions }: Spec): string | undefined {
  return versions.find(({ storage }) => storage)?.name;
}

/** Sets the published default of storedVersions: the version in which objects are stored. */
export function withStoredVersion(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { status, spec } = definition;
  const stored = storageVersion(spec);
  if (stored === undefined || (status.storedVersions ?? []).length > 0) return definition;
  return { ...definition, status: { ...status, storedVersions: [stored] } };
}
