/** The part of a definition that the server needs to serve its resource. It is replaced only if the served resource changes. */
import { isTrue } from "../condition.ts";
import type { CustomResourceDefinition, Names, Spec } from "../schema.ts";

export interface Description {
  /** Name of the definition, `<plural>.<group>`. */
  readonly name: string;
  readonly spec: Spec;
  /** The accepted names. */
  readonly names: Names;
  /**
   * Whether the definition is being deleted, so that no objects can be created. The value may change while the served resource stays the
   * same. It is plain data, because descriptions are copied to other threads.
   */
  readonly state: { terminating: boolean };
}

/**
 * Returns the description of a definition. Undefined if its resource is not served yet: its names have not been accepted, or another
 * definition took them before it was established.
 */
export function descriptionOf({ metadata, spec, status }: CustomResourceDefinition): Description | undefined {
  const { acceptedNames: names } = status, conditions = status.conditions ?? [];
  if (!isTrue(conditions, "NamesAccepted") && !isTrue(conditions, "Established")) return undefined;
  const { plural = "", singular = "", kind = "", listKind = "" } = names as Partial<Names>;
  if ([plural, singular, kind, listKind].includes("")) return undefined;
  return { name: metadata.name ?? "", spec, names, state: { terminating: isTrue(conditions, "Terminating") } };
}
