/**
 * Decodes lexical trees into canonical objects as upstream's strict JSON decoder: keys are case-sensitive, null is absent, a duplicate key
 * merges structs and maps and replaces other values.
 */
import { type EitherNode, fold, type Node, type StructNode, type Typed } from "../schema.ts";
import { type Tree, TreeObject } from "../tree/tree.ts";
import { setOwn } from "../tree/values.ts";
import { decodeBoolean, decodeBytes, decodeDouble, decodeDuration, decodeInt, decodeIntOrString } from "./decode-scalars.ts";
import { decodeMicroTime, decodeQuantity, decodeRaw, decodeString, decodeTime } from "./decode-scalars.ts";
import { absent, assembler } from "./assemble.ts";
import { DecodeError, type DecodeReport, Decoding } from "./decoding.ts";
import { goType } from "./go-type.ts";
import { decodeFieldsV1 } from "./shared-fields.ts";
import { membersOf } from "./members.ts";
import { decodeRest, decodeStructural, withDoubles, withRest } from "./structural.ts";
import { zeroOf } from "./zero.ts";

export { DecodeError, type DecodeReport };

/** Decodes one value. `prior` is the value of an earlier member with the same name, or undefined. */
type Decode = (tree: Tree, prior: unknown, run: Decoding) => unknown;

/**
 * Makes a function that decodes a body to the canonical object, and adds unknown and duplicate fields to the report. kind and apiVersion
 * are those of the body, "" if absent. It throws `DecodeError` for values of a wrong type.
 */
export function decoder<T>(node: Typed<T>): (tree: Tree, report: DecodeReport) => T {
  const decode = decodeNode(node);
  return (tree, report) => {
    const run = new Decoding(report.reader, report);
    const value = decode(tree, undefined, run);
    run.finish();
    return value as T; // the fold over Typed<T> makes values of T
  };
}

/** Does the same as `decoder` for stored objects. Unknown and duplicate fields are ignored. */
export function decodeStored<T>(node: Typed<T>): (tree: Tree) => T {
  const decode = decodeNode(node);
  return (tree) => {
    const run = new Decoding("json", undefined);
    const value = decode(tree, undefined, run);
    run.finish();
    return value as T; // as above
  };
}

const decodeNode: (node: Node) => Decode = fold<Decode>({
  boolean: () => decodeBoolean,
  string: (node) => decodeString(goType(node)),
  int32: () => decodeInt("int32"),
  int64: () => decodeInt("int64"),
  double: () => decodeDouble,
  bytes: () => decodeBytes,
  quantity: () => decodeQuantity,
  intOrString: () => decodeIntOrString,
  time: () => decodeTime,
  microTime: () => decodeMicroTime,
  duration: () => decodeDuration,
  raw: () => decodeRaw,
  structural: decodeStructural,
  fieldsV1: () => decodeFieldsV1,
  list: (node, go) => decodeList(node, go(node.of)),
  record: (node, go) => decodeRecord(node, go(node.of)),
  either: decodeEither,
  struct: decodeStruct,
}, (get) => (tree, prior, run) => get()(tree, prior, run));

/** A duplicate list is decoded into the existing elements, so fields of earlier elements remain, as in Go. */
function decodeList(node: Node, decode: Decode): Decode {
  return (tree, prior, run) => {
    if (tree === null) return zeroOf(node);
    if (!Array.isArray(tree)) {
      run.wrongType(tree, goType(node));
      return prior ?? zeroOf(node);
    }
    const before = prior as readonly unknown[] | undefined; // made by this decoder
    const items = new Array<unknown>(tree.length);
    for (let i = 0; i < tree.length; i++) {
      run.path.push(i);
      items[i] = decode(tree[i]!, before?.[i], run);
      run.path.pop();
    }
    return items;
  };
}

function decodeRecord(node: Node, decode: Decode): Decode {
  return (tree, prior, run) => {
    if (tree === null) return zeroOf(node);
    if (!(tree instanceof TreeObject)) {
      run.wrongType(tree, goType(node));
      return prior ?? zeroOf(node);
    }
    const entries: Record<string, unknown> = {};
    for (let i = 0; i < tree.keys.length; i++) {
      const key = tree.keys[i]!;
      if (run.strict && Object.hasOwn(entries, key)) run.duplicate(key);
      run.path.push(key);
      setOwn(entries, key, decode(tree.values[i]!, undefined, run));
      run.path.pop();
    }
    return prior === undefined ? entries : { ...prior, ...entries };
  };
}

function decodeEither({ object, other, refusal }: EitherNode, go: (node: Node) => Decode): Decode {
  const decodeObject = go(object), decodeOther = go(other);
  return (tree, _prior, run) => {
    if (tree === null) return null;
    if (tree instanceof TreeObject) return run.separately((inner) => decodeObject(tree, undefined, inner));
    if (other.tag === "boolean" ? typeof tree === "boolean" : Array.isArray(tree)) {
      const value = run.separately((inner) => decodeOther(tree, undefined, inner));
      return Array.isArray(value) && value.length === 0 ? null : value;
    }
    if (refusal !== undefined) throw new DecodeError(refusal);
    return null;
  };
}

function decodeStruct(node: StructNode, go: (node: Node) => Decode): Decode {
  const members = membersOf(node);
  const plan = members.map(({ key, node, pointer, through, keepsNull }) => ({ key, pointer, through, keepsNull, decode: go(node) }));
  const indexOf = new Map(members.map(({ key }, index) => [key, index]));
  const assemble = assembler(members);
  const type = goType(node);
  const decodeOther = decodeRest(node, go);
  const blank = Array.from(members, (): unknown => undefined);
  /** Custom resources: members without types of their own. */
  const hasStructural = members.some(({ node }) => node.tag === "structural") || decodeOther !== undefined;

  return (tree, prior, run) => {
    if (tree === null) return prior ?? zeroOf(node);
    if (!(tree instanceof TreeObject)) {
      run.wrongType(tree, type);
      return prior ?? zeroOf(node);
    }
    run.enter();
    run.structs.push(type);
    const before = prior as Readonly<Record<string, unknown>> | undefined; // made by this decoder
    const values = blank.slice(); // `fill` leaves optimized code
    let rest: Map<string, unknown> | undefined;
    for (let i = 0; i < tree.keys.length; i++) {
      const key = tree.keys[i]!, value = tree.values[i]!;
      const index = indexOf.get(key);
      if (index === undefined) {
        if (decodeOther !== undefined) {
          rest ??= new Map();
          if (run.strict && rest.has(key)) run.duplicate(key);
          run.path.push(key);
          rest.set(key, decodeOther(value, undefined, run));
          run.path.pop();
        } else if (run.strict) run.unknown(key);
        continue;
      }
      const member = plan[index]!;
      const earlier = values[index] ?? before?.[member.key];
      if (run.strict && values[index] !== undefined) run.duplicate(key);
      run.path.push(key);
      for (let step = 0; step < member.through.length; step++) run.fields.push(member.through[step]!);
      run.fields.push(key);
      // Only JSON trees have duplicate keys: the other readers resolve them.
      values[index] = value === null && member.pointer && !member.keepsNull
        ? absent
        : member.decode(value, earlier === absent || earlier === null ? undefined : earlier, run);
      // Not by setting the length, which leaves optimized code.
      for (let step = 0; step <= member.through.length; step++) run.fields.pop();
      run.path.pop();
    }
    run.structs.pop();
    run.leave();
    if (before !== undefined) plan.forEach(({ key }, index) => values[index] ??= before[key]);
    const object = withRest(assemble(values), rest);
    return hasStructural && run.reader === "json" ? withDoubles(object, tree) : object;
  };
}
