/**
 * Reads CBOR data items into canonical objects as upstream reads structs: keys are texts or byte strings, a duplicate key is an error,
 * null is absent. Reading continues after a failure. The first failure is reported, unless an entry of a map ends the run.
 */
import { CborFailure, duplicateKey, type Later, untaggingReader, wrongType } from "../codec/cbor/failure.ts";
import { CborBytes, CborInvalidText, type CborItem, CborMap, CborSimple, nameOfItem } from "../codec/cbor/item.ts";
import { int64Min, outside, textOf } from "../codec/cbor/text.ts";
import { treeOfCbor } from "../codec/cbor/untyped.ts";
import { type EitherNode, fold, type ListNode, type Node, type RecordNode, type StructNode, type Typed } from "../schema.ts";
import { goQuote } from "../tree/go-quote.ts";
import { NumberText, TreeObject } from "../tree/tree.ts";
import { setOwn } from "../tree/values.ts";
import { absent, assembler } from "./assemble.ts";
import {
  type CborRead,
  type CborRun,
  readBoolean,
  readBytes,
  readDouble,
  readDuration,
  readInt,
  readIntOrString,
} from "./cbor-read-scalars.ts";
import { readAnyJson, readFieldsV1, readMicroTime, readQuantity, readRaw, readString, readTime } from "./cbor-read-scalars.ts";
import { DecodeError } from "./decoding.ts";
import { goType } from "./go-type.ts";
import { membersOf } from "./members.ts";
import { zeroOf } from "./zero.ts";
import { typedDepthMax } from "../bounds.ts";

/** The failure for an unknown key, which ends a strict run. */
class UnknownField extends CborFailure {}

/**
 * Reads an item into the canonical object. Adds the first unknown field to `findings`, if given. kind and apiVersion are those of the
 * item, "" if absent. Throws `DecodeError` for values of a wrong type.
 */
export function cborReader<T>(node: Typed<T>): (item: CborItem, findings?: string[]) => T {
  const read = readNode(node);
  const attempt = (item: CborItem, strict: boolean): unknown => {
    const run: CborRun = { strict, depth: 0, afterwards: undefined };
    const value = read(item, undefined, run);
    return value instanceof CborFailure ? value : run.afterwards ?? value;
  };
  return (item, findings) => {
    let value = attempt(item, findings !== undefined);
    if (value instanceof UnknownField) {
      findings?.push(value.text);
      value = attempt(item, false);
    }
    if (value instanceof CborFailure) throw new DecodeError(value.text);
    return value as T; // the fold over Typed<T> makes values of T
  };
}

const readNode: (node: Node) => CborRead = fold<CborRead>({
  boolean: () => readBoolean,
  string: (node) => readString(goType(node)),
  int32: () => readInt("int32"),
  int64: () => readInt("int64"),
  double: () => readDouble,
  bytes: () => readBytes,
  quantity: () => readQuantity,
  intOrString: () => readIntOrString,
  time: () => readTime,
  microTime: () => readMicroTime,
  duration: () => readDuration,
  raw: ({ sorted }) => sorted ? readAnyJson : readRaw,
  // Custom resources are read as trees.
  structural: () => readRaw,
  fieldsV1: () => readFieldsV1,
  list: (node, go) => readList(node, go(node.of)),
  record: (node, go) => readRecord(node, go(node.of)),
  either: readEither,
  struct: readStruct,
}, (get) => (item, later, run) => get()(item, later, run));

function readList(node: ListNode, read: CborRead): CborRead {
  return untaggingReader<unknown, CborRun>((item, later, run) => {
    if (item === null) return zeroOf(node);
    if (!Array.isArray(item)) return outside(item, goType(node));
    let failure: CborFailure | undefined;
    const items = item.map((each) => {
      const value = read(each, later, run);
      if (value instanceof CborFailure) failure ??= value;
      return value;
    });
    return failure ?? items;
  });
}

function readEither({ object, other, refusal }: EitherNode, go: (node: Node) => CborRead): CborRead {
  const ofObject = go(object), ofOther = go(other);
  return untaggingReader<unknown, CborRun>((item, later, run) => {
    const read = item instanceof CborMap
      ? ofObject
      : (other.tag === "boolean" ? typeof item === "boolean" : Array.isArray(item))
      ? ofOther
      : undefined;
    if (read === undefined) return refusal === undefined || item === null ? null : new CborFailure(refusal);
    const inner: CborRun = { strict: false, depth: run.depth, afterwards: undefined };
    const value = read(item, later, inner);
    if (value instanceof CborFailure) return value;
    return inner.afterwards ?? (Array.isArray(value) && value.length === 0 ? null : value);
  });
}

const keyOf = textOf("string");

function readRecord(node: RecordNode, read: CborRead): CborRead {
  return untaggingReader<unknown, CborRun>((item, later, run) => {
    if (item === null) return zeroOf(node);
    if (!(item instanceof CborMap)) return outside(item, goType(node));
    const values: Record<string, unknown> = {};
    let failure: CborFailure | undefined, name = "";
    for (let at = 0; at < item.entries.length; at += 2) {
      const key = keyOf(item.entries[at]!, later);
      // If the key is null, upstream's variable still has the previous key.
      if (!(key instanceof CborFailure)) name = key ?? name;
      const value = key instanceof CborFailure ? key : read(item.entries[at + 1]!, later, run);
      if (value instanceof CborFailure) failure ??= value;
      else if (Object.hasOwn(values, name)) return duplicateKey(goQuote(name), at / 2);
      else setOwn(values, name, value);
    }
    return failure ?? values;
  });
}

function readStruct(node: StructNode, go: (node: Node) => CborRead): CborRead {
  const members = membersOf(node);
  const type = goType(node);
  const plan = members.map(({ key, node, pointer }) => ({ pointer, field: `${type}.${key}`, read: go(node) }));
  const indexOf = new Map(members.map(({ key }, index) => [key, index]));
  const assemble = assembler(members);

  const readEntries = ({ entries }: CborMap, later: Later, run: CborRun): unknown => {
    const values = new Array<unknown>(plan.length).fill(undefined);
    const others = new Set<string>();
    let failure: CborFailure | undefined;
    for (let at = 0; at < entries.length; at += 2) {
      const key = entries[at]!;
      const name = key instanceof CborBytes ? key.text : key;
      const index = typeof name === "string" ? indexOf.get(name) : undefined;
      if (index === undefined) {
        const other = otherKey(name);
        failure ??= other.failure;
        if (other.shown === undefined) continue;
        if (run.strict) return new UnknownField(`cbor: found unknown field at map element index ${at / 2}`);
        if (others.has(other.shown)) return duplicateKey(other.shown, at / 2);
        others.add(other.shown);
        continue;
      }
      if (values[index] !== undefined) return duplicateKey(goQuote(members[index]!.key), at / 2);
      const { pointer, field, read } = plan[index]!;
      const item = entries[at + 1]!;
      const value = pointer && isNil(item) ? absent : read(item, later, run);
      values[index] = value;
      if (!(value instanceof CborFailure)) continue;
      value.under(field);
      failure ??= value;
    }
    return failure ?? assemble(values);
  };

  return untaggingReader<unknown, CborRun>((item, later, run) => {
    if (item === null) return zeroOf(node);
    if (Array.isArray(item)) return wrongType(item, type, "cannot decode CBOR array to struct without toarray option");
    if (!(item instanceof CborMap)) return outside(item, type);
    if (++run.depth > typedDepthMax) throw new DecodeError("exceeded max depth");
    const value = readEntries(item, later, run);
    run.depth--;
    return value;
  });
}

/** Whether a pointer treats the item as absent. */
function isNil(item: CborItem): boolean {
  return item === null || (item instanceof CborSimple && item.value === undefinedValue);
}
const undefinedValue = 23;

/** Returns an unknown key as error messages show it; undefined for a key that is not checked for duplicates. */
function otherKey(key: CborItem): { readonly shown?: string; readonly failure?: CborFailure } {
  if (typeof key === "string") return { shown: goQuote(key) };
  if (key instanceof CborInvalidText) return { failure: outside(key, "string") };
  if (typeof key === "number") return { shown: String(key) };
  if (typeof key === "bigint") {
    // Upstream lets large keys overflow, except those below the minimum int64.
    if (key >= int64Min) return { shown: String(BigInt.asIntN(64, key)) };
    return { failure: wrongType(key, "int64", `-1-${-1n - key} overflows Go's int64`) };
  }
  const name = nameOfItem(key);
  const failure = new CborFailure(name, "string", `map key is of type ${name} and cannot be used to match struct field name`);
  const tree = treeOfCbor(key);
  if (tree instanceof CborFailure || Array.isArray(tree) || tree instanceof TreeObject) return { failure };
  return {
    failure,
    shown: tree === null ? "<nil>" : tree instanceof NumberText ? tree.text : typeof tree === "string" ? goQuote(tree) : String(tree),
  };
}
