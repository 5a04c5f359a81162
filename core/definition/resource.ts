/** A resource of the server, made of a definition. */
import type { ApiObject } from "../meta/object-meta.ts";
import type { FieldError } from "../field-error.ts";
import type { Resource, Served } from "../plugin.ts";
import type { HookContext } from "../hook-context.ts";
import type { Subresource } from "../subresource.ts";
import type { Description, Version } from "./definition.ts";
import { columnsOf } from "./columns.ts";
import { deprecationOf } from "./deprecation.ts";
import { customScale } from "./scale.ts";
import { conversions } from "./conversion.ts";
import { rootSchema, schemaOfVersion } from "./root-schema.ts";
import { publishedSelectableFields, selectableFieldsOf } from "./selectable-fields.ts";
import { type CustomValidator, type RulesOfSchema, validatorOf } from "./validate.ts";
import { finalizerWarnings } from "./warnings.ts";

/** Why an object of a definition that is being deleted cannot be created. */
export const terminatingReason = "create not allowed while custom resource definition is terminating";

/** Returns the resource with these versions of its definition. `rulesOf`: compiles the rules of a schema. */
export function resourceOf(description: Description, versions: readonly Version[], rulesOf: RulesOfSchema): Resource {
  const { spec, names } = description;
  const { group, scope } = spec;
  const stored = versions.find(({ storage }) => storage) ?? versions[0]!; // checked: exactly one
  const validators = new Map<string, CustomValidator>();
  const validatorFor = ({ requestVersion }: HookContext): CustomValidator => {
    const version = versions.find(({ name }) => `${group}/${name}` === requestVersion) ?? stored;
    const known = validators.get(version.name) ?? validatorOf(version, `${group}/${version.name}`, rulesOf);
    validators.set(version.name, known);
    return known;
  };
  return {
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? "",
    listKind: names.listKind ?? "",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    custom: true,
    isTerminating: () => description.state.terminating,
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    summary: schemaOfVersion(stored).description ?? `Custom resource of the definition ${description.name}.`,
    storedAs: `${group}/${stored.name}`,
    storedUnder: `${group}/${names.plural}`,
    served: Object.fromEntries(
      versions.map((version) => [`${group}/${version.name}`, servedVersion(description, versions, version, validatorFor)]),
    ),
    strategy: { generation: true, unconditionalUpdate: false },
    create: (next, context) => validatorFor(context).create(next),
    update: (next, prior, context) => validatorFor(context).update(next, prior),
    warn: (next, prior, context) => [...validatorFor(context).warnings(next), ...finalizerWarnings(next, prior)],
    authorizeWrite: (_next: ApiObject, prior: ApiObject | undefined) =>
      prior === undefined && description.state.terminating ? terminatingReason : undefined,
  };
}

function servedVersion(
  { spec, names }: Description,
  versions: readonly Version[],
  version: Version,
  validatorFor: (context: HookContext) => CustomValidator,
): Served {
  const { subresources } = version;
  const scale = subresources?.scale ?? undefined;
  return {
    schema: rootSchema(names.kind, schemaOfVersion(version), publishedSelectableFields(version)),
    introduced: "1.0",
    hidden: version.served ? undefined : true,
    statusSubresource: false,
    warning: version.deprecated === true ? deprecationOf(spec, names, version) : undefined,
    columns: columnsOf(version),
    selectableFields: selectableFieldsOf(version),
    ...conversions(versions, version),
    subresources: {
      ...((subresources?.status ?? undefined) === undefined ? {} : { status: statusSubresource(validatorFor) }),
      ...(scale === undefined ? {} : { scale: customScale(scale) }),
    },
  } as Served; // members of undefined are those that are absent
}

/** Writes the status and nothing else: metadata of the request is ignored but for field managers. */
function statusSubresource(validatorFor: (context: HookContext) => CustomValidator): Subresource {
  return {
    leaves: ["metadata", "spec"],
    write(next: ApiObject & { status?: unknown }, prior: ApiObject & { status?: unknown }) {
      const { status: _, ...rest } = prior;
      const { managedFields: _owners, ...metadata } = prior.metadata;
      const { managedFields } = next.metadata;
      return {
        ...rest,
        metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) },
        ...(next.status === undefined ? {} : { status: next.status }),
      };
    },
    update: (next, prior, context): readonly FieldError[] => validatorFor(context).updateStatus(next, prior),
  };
}
