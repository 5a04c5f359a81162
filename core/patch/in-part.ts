/**
 * Patches that name some members of an object, as most do: those of the status, or of labels. Only these members are encoded, merged and decoded; the
 * others keep their values, so that later comparisons find them equal at once.
 */
import { DecodeError, type DecodeReport } from "../derive/decode.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import { type Tree, TreeObject } from "../tree/tree.ts";

/** The codec of the object's version. */
interface Codec {
  encode(object: ApiObject): string;
  decode(tree: Tree, report: DecodeReport): ApiObject;
}

/** Members beside which there is more. Others are often most of an object, such as the data of a ConfigMap, or concern it as a whole, such as its type. */
const inParts: ReadonlySet<string> = new Set(["metadata", "spec", "status"]);

/** Merges a patch with the JSON of an object, and prepares the result for the decoder. */
export type Merge = (json: string) => Tree;

/**
 * Returns the live object with the patch, in the live object's version. `live` decodes it, which is left out where it is of no use. Undefined if the
 * patch or its result must be looked at as a whole: the patch is no object or names other members than `inParts`, or the result cannot be decoded without
 * a finding.
 */
export function patchInPart(codec: Codec, live: () => ApiObject, patch: Tree, report: DecodeReport, merge: Merge): ApiObject | undefined {
  if (!(patch instanceof TreeObject) || patch.keys.some((key) => !inParts.has(key))) return undefined;
  const object = live(), all = object as unknown as Members, part: Members = { kind: object.kind, apiVersion: object.apiVersion };
  for (const key of patch.keys) if (all[key] !== undefined) part[key] = all[key];
  // Members that the part lacks are written as zero values, and not used.
  const changed = decoded(() => codec.decode(merge(codec.encode(part as unknown as ApiObject)), report));
  if (changed === undefined || report.findings.length > 0) return undefined;
  // A copy has the shape of the live object, for which later code is optimized.
  const result: Members = { ...all };
  for (const key of patch.keys) {
    const value = (changed as unknown as Members)[key];
    if (value !== undefined) result[key] = value;
    else if (result[key] !== undefined) delete result[key];
  }
  return result as unknown as ApiObject; // its metadata is that of the live object, or of the patched part
}

/** The members of an object of any kind. */
type Members = Record<string, unknown>;

/** Undefined if the value has a wrong type. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
