/**
 * The elements of a plugin that its releases have promised: kinds, fields with their types, enum values and subresources. A plugin keeps them
 * in a file (`releasedElements(plugin)` as JSON) and names them in its next definition, which must still have them.
 */
import type { Release } from "./releases.ts";
import type { GroupVersion } from "./versions.ts";

/** A field of a released kind. */
export interface ReleasedField {
  readonly type: string;
  /** The values of an enumeration. */
  readonly values?: readonly string[];
  readonly required?: true;
}
/** One kind in one version. */
export interface ReleasedKind {
  readonly introduced: Release;
  readonly deprecated?: Release;
  readonly removed?: Release;
  readonly subresources: readonly string[];
  /** By path: `spec.colours[]`, `spec.sizes{}`. */
  readonly fields: Readonly<Record<string, ReleasedField>>;
}
/** Kinds by group version and name. */
export type ReleasedElements = Readonly<Record<GroupVersion, Readonly<Record<string, ReleasedKind>>>>;
