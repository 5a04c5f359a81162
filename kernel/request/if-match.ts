/**
 * The `If-Match` header of PUT and PATCH (RFC 9110, section 13.1.1): the stored version that the client expects.
 *
 *     If-Match: "41"        If-Match: 41        If-Match: W/"41"        the stored version is 41
 *     If-Match: "41", "42"                                              it is one of these
 *     If-Match: *                                                       the object exists, with any version
 *
 * Versions are compared as text. A value that is not a version matches no object.
 */
import type { Revision } from "../store/store.ts";

/** What the header expects; `versions` is empty for `*`. */
export interface Expected {
  readonly any: boolean;
  readonly versions: readonly string[];
}

/** Parses the header; undefined if it is absent or empty. */
export function readIfMatch(header: string): Expected | undefined {
  if (header === "") return undefined;
  const values = header.split(",").map((value) => value.trim()).filter((value) => value !== "");
  if (values.length === 0) return undefined;
  if (values.includes("*")) return { any: true, versions: [] };
  return { any: false, versions: values.map(versionOf) };
}

/** The text of an entity tag without the weak prefix and the quotes. */
function versionOf(value: string): string {
  const tag = value.startsWith("W/") ? value.slice(2) : value;
  return tag.length >= 2 && tag.startsWith('"') && tag.endsWith('"') ? tag.slice(1, -1) : tag;
}

/** Whether an object stored at `revision` satisfies the header. */
export function isExpected({ any, versions }: Expected, revision: Revision): boolean {
  return any || versions.includes(String(revision));
}
