/** Converts values of the store to the version of a kind, and values in any version back to the store's version. */
import { CborFailure } from "../../core/codec/cbor/failure.ts";
import { isCbor, readCbor } from "../../core/codec/cbor/read.ts";
import { objectOfCbor } from "../../core/codec/cbor/untyped.ts";
import { DecodeError } from "../../core/derive/decode.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { ConversionContext } from "../../core/conversion.ts";
import { StatusError } from "../../core/status-error.ts";
import { hasDefaults } from "../../core/structural/defaults.ts";
import { readJson, treeFromJson } from "../../core/tree/json.ts";
import { type Tree, TreeObject } from "../../core/tree/tree.ts";
import type { StoredEncoding, StoredKind } from "../catalog/catalog.ts";
import { jsonOf } from "../objects/json-of.ts";
import { storedBytes } from "../objects/objects.ts";
import { sameBytes } from "../store/same-bytes.ts";
import { convertAll } from "./conversions.ts";
import type { ConvertedKind } from "./converted-kinds.ts";

/** The functions that convert objects, and the encoding of values. */
export interface Means {
  readonly context: ConversionContext;
  readonly encoding: StoredEncoding;
}

/** A value that must be converted. */
interface Foreign {
  readonly index: number;
  readonly object: JsonObject;
  readonly bytes: number;
  /** Whether the store has the value in another version than the one it should have. */
  readonly isOutdated: boolean;
}

/**
 * Returns stored values as the version of `to` shows them. As upstream, an object gets the defaults of the version in which it is stored.
 * Values that cannot be parsed are returned as they are; whoever reads them reports the error.
 */
export async function servedValues(to: ConvertedKind, values: readonly Uint8Array[], means: Means): Promise<readonly Uint8Array[]> {
  const { kind, conversion, versions } = to;
  const served: Uint8Array[] = [...values];
  const foreign: Foreign[] = [];
  for (const [index, value] of values.entries()) {
    if (isPlain(kind, conversion.storedAs, value)) continue;
    const tree = treeOf(value);
    if (tree === undefined) continue;
    const apiVersion = tree.get("apiVersion"), from = typeof apiVersion === "string" ? versions.get(apiVersion) : undefined;
    if (from === undefined) throw failure(`request to convert CR from an invalid group/version: ${String(apiVersion)}`);
    const isOutdated = from.apiVersion !== conversion.storedAs;
    const object = from.applyDefaults(decodeTree(from, tree));
    if (from === kind) {
      const next = storedBytes(kind, object, means.encoding);
      if (isOutdated || !sameBytes(next, value)) served[index] = encodeOutdated(kind, object);
    } else foreign.push({ index, object: jsonOf(from, object), bytes: value.length, isOutdated });
  }
  const converted = await convertAll(conversion, foreign, kind.apiVersion, means.context);
  for (const [nth, { index, isOutdated }] of foreign.entries()) {
    const object = decodeTree(kind, treeFromJson(converted[nth]!));
    served[index] = isOutdated ? encodeOutdated(kind, object) : storedBytes(kind, object, means.encoding);
  }
  return served;
}

/** Returns the value to store for a value in the version of `from`. */
export async function storedValue(from: ConvertedKind, value: Uint8Array, means: Means): Promise<Uint8Array> {
  const { kind, conversion, versions } = from;
  const stored = versions.get(conversion.storedAs);
  if (stored === undefined || stored === kind) return value;
  const tree = treeOf(value);
  if (tree === undefined) throw new Error("our own value cannot be read");
  const object = jsonOf(kind, decodeTree(kind, tree));
  const [converted] = await convertAll(conversion, [{ object, bytes: value.length }], stored.apiVersion, means.context);
  return storedBytes(stored, decodeTree(stored, treeFromJson(converted!)), means.encoding);
}

/** Whether a value is served as it is, because it is in the version of the store and that version has no defaults. */
function isPlain(kind: StoredKind, storedAs: string, value: Uint8Array): boolean {
  const { whole } = kind.schema;
  return kind.apiVersion === storedAs && whole !== undefined && !hasDefaults(whole) &&
    kind.headBytes.every((byte, index) => value[index] === byte);
}

/** Encodes the object with a space after its JSON. A write of an equal object then differs, and is stored in the version of the store. */
function encodeOutdated(kind: StoredKind, object: ApiObject): Uint8Array {
  const json = storedBytes(kind, object), value = new Uint8Array(json.length + 1);
  value.set(json);
  value[json.length] = 0x20;
  return value;
}

function treeOf(value: Uint8Array): TreeObject | undefined {
  let tree: Tree | CborFailure;
  if (isCbor(value)) {
    try {
      tree = objectOfCbor(readCbor(value));
    } catch {
      return undefined;
    }
  } else {
    const read = readJson(value);
    if (!read.ok) return undefined;
    tree = read.tree;
  }
  return tree instanceof TreeObject ? tree : undefined;
}

/** Returns the version in which a value is stored; undefined if it cannot be parsed or has no version. */
export function apiVersionOf(value: Uint8Array): string | undefined {
  const apiVersion = treeOf(value)?.get("apiVersion");
  return typeof apiVersion === "string" ? apiVersion : undefined;
}

function decodeTree(kind: StoredKind, tree: Tree): ApiObject {
  try {
    return kind.storedForm(kind.apiVersion)!.decode(tree); // every kind has the form of its own version
  } catch (error) {
    if (error instanceof DecodeError) throw failure(error.message);
    throw error;
  }
}

function failure(message: string): StatusError {
  return new StatusError("Unknown", message);
}
