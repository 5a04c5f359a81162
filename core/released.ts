/**
 * The elements of a plugin that its releases have promised: kinds, fields with their types, enum values and subresources. A plugin keeps them
 * in a file (`releasedElements(plugin)` as JSON) and names them in its next definition, which must still have them.
 */
import type { Release } from "./releases.ts";
import type { GroupVersion } from "./versions.ts";

/** A field of a released kind. */
export interface ReleasedField {
  /** The tag of its node, such as `string`, or `list(struct)`. Names of structs are not promised. */
  readonly type: string;
  /** The values of the field, if it is an enumeration. */
  readonly values?: readonly string[];
  /** Whether clients must write the field. */
  readonly required?: true;
}
/** One kind in one version. */
export interface ReleasedKind {
  /** The release that served the version first. */
  readonly introduced: Release;
  /** The release that deprecated the version. Absent if it is not deprecated. */
  readonly deprecated?: Release;
  /** The release that stops serving the version. Absent if none is planned. */
  readonly removed?: Release;
  /** The names of the subresources, sorted. */
  readonly subresources: readonly string[];
  /** The fields by path, such as `spec.colours[]` and `spec.sizes{}`. */
  readonly fields: Readonly<Record<string, ReleasedField>>;
}
/** Kinds by group version and name. */
export type ReleasedElements = Readonly<Record<GroupVersion, Readonly<Record<string, ReleasedKind>>>>;
