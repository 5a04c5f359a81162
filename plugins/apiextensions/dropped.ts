/** Drops fields of disabled features from definitions. */
import type { Gates } from "../../toolbox.ts";
import { fieldSelectorsGate, observedGenerationGate, ratchetingGate } from "./gates.ts";
import type { CustomResourceDefinition, DefinitionStatus, Spec, Version } from "./schema.ts";
import type { SchemaProps } from "./schema-props.ts";
import { specHas } from "./schema-walk.ts";

/**
 * Returns the definition without the fields of disabled features that `prior` does not use. Returns `next` itself if nothing is dropped.
 */
export function dropGatedFields(
  next: CustomResourceDefinition,
  prior: CustomResourceDefinition | undefined,
  gates: Gates,
): CustomResourceDefinition {
  let { spec, status } = next;
  if (!gates(ratchetingGate) && !(prior !== undefined && specHas(prior.spec, hasOptionalOldSelf)) && specHas(spec, hasOptionalOldSelf)) {
    spec = { ...spec, versions: spec.versions.map(withoutOptionalOldSelf) };
  }
  if (!gates(fieldSelectorsGate) && !(prior !== undefined && hasSelectableFields(prior.spec))) {
    spec = { ...spec, versions: spec.versions.map(({ selectableFields: _dropped, ...version }) => version) };
  }
  if (!gates(observedGenerationGate) && !(prior !== undefined && tracksGeneration(prior.status))) status = withoutGeneration(status);
  return spec === next.spec && status === next.status ? next : { ...next, spec, status };
}

function hasOptionalOldSelf(schema: SchemaProps): boolean {
  return (schema["x-kubernetes-validations"] ?? []).some(({ optionalOldSelf }) => optionalOldSelf !== undefined);
}
function hasSelectableFields({ versions }: Spec): boolean {
  return versions.some(({ selectableFields = [] }) => selectableFields.length > 0);
}

function withoutOptionalOldSelf(version: Version): Version {
  const root = version.schema?.openAPIV3Schema;
  return root === undefined ? version : { ...version, schema: { openAPIV3Schema: stripSchema(root) } };
}
/**
 * Removes the fields from a schema. The recursion is bounded, because the depth of decoded schemas is (`typedDepthMax`). As upstream, it
 * descends only into items, properties and additionalProperties.
 */
function stripSchema(schema: SchemaProps): SchemaProps {
  const { items, properties, additionalProperties, "x-kubernetes-validations": rules, ...rest } = schema;
  return {
    ...rest,
    ...(items === undefined
      ? {}
      : { items: items === null ? null : Array.isArray(items) ? items.map(stripSchema) : stripSchema(items as SchemaProps) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, stripSchema(each)])) }),
    ...(additionalProperties === undefined ? {} : {
      additionalProperties: typeof additionalProperties === "object" && additionalProperties !== null
        ? stripSchema(additionalProperties)
        : additionalProperties,
    }),
    ...(rules === undefined ? {} : { "x-kubernetes-validations": rules.map(({ optionalOldSelf: _dropped, ...rule }) => rule) }),
  };
}

function tracksGeneration({ observedGeneration = 0, conditions }: DefinitionStatus): boolean {
  return Number(observedGeneration) !== 0 || (conditions ?? []).some((each) => Number(each.observedGeneration ?? 0) !== 0);
}
function withoutGeneration(status: DefinitionStatus): DefinitionStatus {
  if (!tracksGeneration(status)) return status;
  const { observedGeneration: _dropped, ...rest } = status;
  return { ...rest, conditions: rest.conditions.map(({ observedGeneration: _none, ...condition }) => condition) };
}
