/**
 * Data items without a schema (applied documents, managed fields): byte strings are texts, tagged times are RFC 3339 texts, integers have
 * 64 bits, keys are texts. Iterative, because documents may have ten thousand levels.
 */
import { goQuote } from "../../tree/go-quote.ts";
import { NumberText, type Tree, TreeObject } from "../../tree/tree.ts";
import { numberText } from "../../tree/values.ts";
import { type Bare, CborFailure, duplicateKey, type Later, misplacedTag, untaggingReader, wrongType } from "./failure.ts";
import { CborBytes, CborFloat, type CborItem, CborMap, CborTag, isLaterEncoding, tags } from "./item.ts";
import { int64Max, int64Min, outside, taggedTime, textOf, textOfBytes } from "./text.ts";

/** Returns the tree of an item. Reading continues after a failure and the first one is reported, unless a map has a duplicate key. */
export function treeOfCbor(item: CborItem, later?: Later): Tree | CborFailure {
  const open: Frame[] = [];
  let value = begin(item, later, open);
  for (;;) {
    const frame = open.at(-1);
    if (value !== undefined) {
      if (frame === undefined) return value;
      take(frame, value);
    }
    value = step(open);
  }
}

/** As `treeOfCbor`, for an item that must be a map. Null is an empty map. */
export const objectOfCbor: (item: CborItem) => TreeObject | CborFailure = (item) => mapOf(item, undefined);

const mapOf = untaggingReader<TreeObject | CborFailure>((item, later) => {
  if (item === null) return new TreeObject();
  // A map becomes an object or a failure.
  if (item instanceof CborMap) return treeOfCbor(item, later) as TreeObject | CborFailure;
  return outside(item, "map[string]interface {}");
});

/** A list or map whose items are not all read. */
interface Frame {
  readonly from: readonly CborItem[];
  readonly to: Tree[] | TreeObject;
  /** Keys of a map so far. */
  seen?: Set<string>;
  readonly later: Later;
  at: number;
  key: string;
  failure: CborFailure | undefined;
}

/** Returns the value of a leaf; undefined for a list or map, which it pushes to `open`. */
function begin(item: CborItem, later: Later, open: Frame[]): Tree | CborFailure | undefined {
  let at = item, last = later;
  while (at instanceof CborTag) {
    const { number, content } = at;
    const why = misplacedTag(number, content);
    if (why !== undefined) return why;
    if (number === tags.time || number === tags.epoch) return taggedTime(content as Bare); // checked by `misplaced`
    if (isLaterEncoding(number)) last = number;
    at = content;
  }
  if (at instanceof CborMap) open.push({ from: at.entries, to: new TreeObject(), later: last, at: 0, key: "", failure: undefined });
  else if (Array.isArray(at)) open.push({ from: at, to: [], later: last, at: 0, key: "", failure: undefined });
  else return leafOf(at, last);
  return undefined;
}

function leafOf(item: Bare, later: Later): Tree | CborFailure {
  if (item === null || typeof item === "boolean" || typeof item === "string") return item;
  if (typeof item === "number") return new NumberText(String(item));
  if (typeof item === "bigint") {
    return item < int64Min || item > int64Max ? wrongType(item, "int64", `${item} overflows Go's int64`) : new NumberText(String(item));
  }
  if (item instanceof CborBytes) return textOfBytes(item, later);
  if (item instanceof CborFloat) return new NumberText(numberText(item.value));
  return outside(item, "interface {}");
}

const keyOf = textOf("string");

/** Begins the next item of the innermost frame, or ends the frame. Undefined if no value is complete yet. */
function step(open: Frame[]): Tree | CborFailure | undefined {
  const frame = open.at(-1)!; // a frame is open for the value
  const { from, to, later } = frame;
  if (frame.at >= from.length) {
    open.pop();
    return frame.failure ?? to;
  }
  if (Array.isArray(to)) return begin(from[frame.at++]!, later, open);
  const key = keyOf(from[frame.at]!, later);
  frame.at += 2;
  if (key instanceof CborFailure) {
    frame.failure ??= key;
    return undefined;
  }
  // For a null key upstream keeps the previous key in its variable.
  frame.key = key ?? frame.key;
  return begin(from[frame.at - 1]!, later, open);
}

function take(frame: Frame, value: Tree | CborFailure): void {
  const { to, key } = frame;
  if (value instanceof CborFailure) frame.failure ??= value;
  else if (Array.isArray(to)) to.push(value);
  else if ((frame.seen ??= new Set()).has(key)) {
    frame.failure = duplicateKey(goQuote(key), frame.at / 2 - 1);
    frame.at = frame.from.length;
  } else {
    frame.seen.add(key);
    to.keys.push(key);
    to.values.push(value);
  }
}
