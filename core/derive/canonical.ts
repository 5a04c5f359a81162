/**
 * Recognises stored JSON that neither decoding nor encoding changes, which is most of it: reading it with the engine's own parser and
 * checking the result takes less than half the time of decoding and encoding it.
 */
import { fold, type Node, type StructNode, type Typed } from "../schema.ts";
import type { Json } from "../json.ts";
import { isPruned } from "../structural/canonical.ts";
import { isJsonObject, isJsonText } from "../tree/exact-json.ts";
import { numberText } from "../tree/values.ts";
import { compareBytes, sortedKeys } from "../tree/sorted-keys.ts";
import { decodeStored } from "./decode.ts";
import { omissionOf } from "./encode.ts";
import { type Member, membersOf } from "./members.ts";
import { rawText, sortedText } from "./raw-json.ts";

type Check = (value: unknown) => boolean;

/**
 * Whether a value that `exactJson` read is the one that `decodeStored` makes of the same text, and `encoder` writes it as that text. False
 * may be a false negative.
 */
export function canonical<T>(node: Typed<T>): (value: unknown) => value is T {
  return check(node) as (value: unknown) => value is T; // the fold over Typed<T> accepts values of T
}

const isString: Check = (value) => typeof value === "string";

const check: (node: Node) => Check = fold<Check>({
  boolean: () => (value) => typeof value === "boolean",
  string: () => isString,
  int32: () => (value) => Number.isInteger(value) && value === ((value as number) | 0),
  int64: () => Number.isSafeInteger,
  double: () => (value) => typeof value === "number" && numberText(value) === String(value),
  bytes: decodedAsIs,
  quantity: decodedAsIs,
  intOrString: () => (value) => typeof value === "string" || (Number.isInteger(value) && value === ((value as number) | 0)),
  time: decodedAsIs,
  microTime: decodedAsIs,
  duration: decodedAsIs,
  raw: ({ sorted }) => isJsonText(sorted ? sortedText : rawText),
  structural: ({ schema }) => (value) => isPruned(value as Json, schema), // of an exact value
  fieldsV1: () => isJsonText(rawText),
  list: ({ of }, go) => {
    const isItem = go(of);
    return (value) => Array.isArray(value) && value.every((item) => isItem(item));
  },
  record: ({ of }, go) => {
    const isEntry = go(of);
    return (value) => {
      if (!isJsonObject(value)) return false;
      const keys = Object.keys(value), sorted = sortedKeys(value);
      return keys.every((key, at) => key === sorted[at] && isEntry(value[key]));
    };
  },
  either: ({ object, other }, go) => {
    const isInner = go(object), isOther = go(other);
    return (value) => isJsonObject(value) ? isInner(value) : isOther(value) && !(Array.isArray(value) && value.length === 0);
  },
  struct: checkStruct,
}, (get) => (value) => get()(value));

/** Makes the check of scalars of which one value has several texts. */
function decodedAsIs(node: Node): Check {
  const decode = decodeStored(node as Typed<unknown>);
  return (value) => {
    if (typeof value !== "string") return false;
    try {
      return decode(value) === value;
    } catch {
      return false;
    }
  };
}

function checkStruct(node: StructNode, go: (node: Node) => Check): Check {
  const members = membersOf(node).map((member, index) => {
    const { isNil, isLeftOut } = omissionOf(member);
    return {
      ...{ key: member.key, index, isRequired: member.always, takesNull: isNullWritten(member) },
      isOmitted: isNil ?? isLeftOut ?? (() => false),
      isValue: go(member.node),
    };
  });
  const byKey = new Map(members.map((member) => [member.key, member]));
  const required = members.filter(({ isRequired }) => isRequired).length;
  const isOther = node.rest && go(node.rest);
  return (value) => {
    if (!isJsonObject(value)) return false;
    let next = 0, present = 0;
    const others: string[] = [];
    for (const key of Object.keys(value)) {
      const member = byKey.get(key), inner = value[key];
      if (member === undefined && isOther?.(inner)) {
        others.push(key);
        next = members.length; // The other members are written after those with fields.
        continue;
      }
      if (member === undefined || member.index < next) return false;
      // Other nulls are rare in stored objects.
      if (inner === null ? !member.takesNull : !member.isValue(inner) || member.isOmitted(inner)) return false;
      if (member.isRequired) present++;
      next = member.index + 1;
    }
    return present === required && (others.length < 2 || isSorted(others));
  };
}

/** Whether null is the value of a member that is absent, and is written: of times such as `lastProbeTime` in the conditions of a Pod. */
export function isNullWritten({ node, always, pointer }: Member): boolean {
  return always && !pointer && (node.tag === "time" || node.tag === "microTime");
}

function isSorted(keys: readonly string[]): boolean {
  const sorted = [...keys].sort(compareBytes);
  return keys.every((key, at) => key === sorted[at]);
}
