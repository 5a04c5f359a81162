/** Definitions for tests. */
import type { CustomResourceDefinition, DefinitionStatus, Names, Spec, Version } from "./schema.ts";
import type { SchemaProps } from "./schema-props.ts";

export const testGroup = "example.com";

export function testNames(changes: Partial<Names> = {}): Names {
  return { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList", ...changes };
}
/** Makes a version with a schema. By default it is that of an object without members. */
export function testVersion(schema: SchemaProps = { type: "object" }, changes: Partial<Version> = {}): Version {
  return { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...changes };
}

/** Makes a valid definition with its defaults, and with changes of its spec and status. */
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

/** The condition that established definitions have. */
export const testEstablished = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
  lastTransitionTime: "2024-01-02T03:04:05Z",
} as const;
