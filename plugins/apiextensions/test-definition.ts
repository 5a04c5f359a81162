/** Definitions for tests. */
import type { CustomResourceDefinition, DefinitionStatus, Names, Spec, Version } from "./schema.ts";
import type { SchemaProps } from "./schema-props.ts";

export const testGroup = "example.com";

export function testNames(changes: Partial<Names> = {}): Names {
  return { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList", ...changes };
}
/** A version with a schema: an object without members by default. */
export function testVersion(schema: SchemaProps = { type: "object" }, changes: Partial<Version> = {}): Version {
  return { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...changes };
}

/** A valid definition with its defaults, and changes of its spec and status. */
export function testDefinition(
  spec: Partial<Spec> = {},
  status: Partial<DefinitionStatus> = {},
  metadata: CustomResourceDefinition["metadata"] = {},
): CustomResourceDefinition {
  const names = spec.names ?? testNames(), group = spec.group ?? testGroup;
  return {
    kind: "CustomResourceDefinition",
    apiVersion: "apiextensions.k8s.io/v1",
    metadata: { name: `${names.plural}.${group}`, ...metadata },
    spec: { group, names, scope: "Namespaced", versions: [testVersion()], conversion: { strategy: "None" }, ...spec },
    status: { conditions: [], acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"], ...status },
  };
}

/** The condition of established definitions. */
export const testEstablished = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
  lastTransitionTime: "2024-01-02T03:04:05Z",
} as const;
