/**
 * Recognises stored JSON that neither decoding nor encoding nor defaults change, in one pass over its bytes and without making values. Texts
 * that it does not know are left to `canonical` and to decoding: other characters than ASCII, large numbers. Where defaults are functions, values are made for them.
 */
import { fold, type Node, type StructNode, structsIn } from "../schema.ts";
import { isNullWritten } from "./canonical.ts";
import { decodeStored } from "./decode.ts";
import { omissionOf } from "./encode.ts";
import { type Member, membersOf } from "./members.ts";
import { daysIn } from "../scalars/time.ts";

/**
 * Returns the end of the canonical text of a value that begins at `at`; -1 for other texts. The bytes must end with a line break, so that
 * each loop ends at one. `depth`: objects and lists around the value.
 */
type Scan = (bytes: Uint8Array, at: number, depth: number) => number;

/** Values that are nested more deeply are not recognised. */
const depthMax = 100;
/** Maximum bytes of a text that is parsed. Canonical texts are shorter. */
const parsedBytesMax = 64;
/** Maximum number of digits of integers that are recognised. */
const int32DigitsMax = 9, int64DigitsMax = 15;

const QUOTE = 0x22, COMMA = 0x2c, MINUS = 0x2d, ZERO = 0x30, COLON = 0x3a, BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b, CLOSE_LIST = 0x5d, OPEN_OBJECT = 0x7b, CLOSE_OBJECT = 0x7d, LINE_END = 0x0a;
const toBytes = new TextEncoder();
const [isTrue, isFalse, isNull] = ["true", "false", "null"].map((text) => toBytes.encode(text)) as [Uint8Array, Uint8Array, Uint8Array];

/** Marks the bytes that stand for themselves in a string. */
const plain = Uint8Array.from(
  { length: 256 },
  (_, byte) => Number(byte >= 0x20 && byte < 0x7f && !'"\\<>&'.includes(String.fromCharCode(byte))),
);
/** The only escapes that are recognised, as Go writes them. */
const escaped = Uint8Array.from({ length: 256 }, (_, byte) => Number('"\\nrt'.includes(String.fromCharCode(byte))));
const longEscapes = ["u003c", "u003e", "u0026"].map((text) => toBytes.encode(text));

/**
 * Makes a function that returns whether stored JSON of the struct, with its final line break, is what decoding it with defaults and
 * encoding the result gives. False may be a false negative. `applyDefaults` is asked only if defaults are functions: those of structs, or, with
 * `hasMore`, others. The returned function then calls `onValue` with the value of recognised JSON, which was made for them.
 */
export function canonicalBytes<T>(
  node: StructNode,
  applyDefaults: (value: T) => T = (value) => value,
  hasMore = false,
): (bytes: Uint8Array, onValue?: (value: T) => void) => boolean {
  const scanWhole = scan(node);
  const isRecognised = (bytes: Uint8Array) => bytes.at(-1) === LINE_END && scanWhole(bytes, 0, 0) === bytes.length - 1;
  if (!hasMore && !structsIn(node).some(hasFunctions)) return isRecognised;
  return (bytes, onValue) => {
    if (!isRecognised(bytes)) return false;
    const value = JSON.parse(ascii.decode(bytes)) as T; // JSON of the struct, as the scan has found
    if (applyDefaults(value) !== value) return false;
    onValue?.(value);
    return true;
  };
}

const refuse: Scan = () => -1;

const scan: (node: Node) => Scan = fold<Scan>({
  boolean: () => (bytes, at) => Math.max(wordEnd(bytes, at, isTrue), wordEnd(bytes, at, isFalse)),
  string: () => stringEnd,
  int32: () => (bytes, at) => integerEnd(bytes, at, int32DigitsMax),
  int64: () => (bytes, at) => integerEnd(bytes, at, int64DigitsMax),
  double: () => (bytes, at) => integerEnd(bytes, at, int32DigitsMax),
  bytes: decodedAsIs,
  quantity: shortDecodedAsIs,
  intOrString: () => (bytes, at) => bytes[at] === QUOTE ? stringEnd(bytes, at) : integerEnd(bytes, at, int32DigitsMax),
  time: () => timeEnd,
  microTime: shortDecodedAsIs,
  duration: shortDecodedAsIs,
  raw: () => presentEnd,
  structural: () => refuse,
  fieldsV1: () => presentEnd,
  either: () => refuse,
  list: ({ of }, go) => {
    const item = go(of);
    return (bytes, at, depth) => listEnd(bytes, at, depth, item);
  },
  record: ({ of }, go) => {
    const entry = go(of);
    return (bytes, at, depth) => recordEnd(bytes, at, depth, entry, true);
  },
  struct: scanStruct,
}, (get) => (bytes, at, depth) => get()(bytes, at, depth));

/** Makes the scan of texts without escapes of which one value has several spellings. */
function decodedAsIs(node: Node): Scan {
  const decode = decodeStored(node);
  return (bytes, at) => {
    const end = stringEnd(bytes, at);
    if (end < 0) return -1;
    const text = asciiText(bytes, at + 1, end - 1);
    try {
      return decode(text) === text ? end : -1;
    } catch {
      return -1;
    }
  };
}
function shortDecodedAsIs(node: Node): Scan {
  const scan = decodedAsIs(node);
  return (bytes, at, depth) => {
    const end = stringEnd(bytes, at);
    return end - at > parsedBytesMax ? -1 : scan(bytes, at, depth);
  };
}
const ascii = new TextDecoder("ascii");
function asciiText(bytes: Uint8Array, from: number, to: number): string {
  return ascii.decode(bytes.subarray(from, to));
}

function scanStruct(node: StructNode, go: (node: Node) => Scan): Scan {
  if (node.rest !== undefined || node.whole !== undefined) return refuse;
  const members = membersOf(node).map((member) => {
    const { key, always, field, pointer } = member;
    const hasDefault = (field.default ?? field.unpublishedDefault) !== undefined;
    return {
      head: toBytes.encode(`"${key}":`),
      isRequired: always || hasDefault,
      left: isLeftOut(member) || (hasDefault && !pointer) ? zeroTexts[member.node.tag] : undefined,
      scan: isNullWritten(member) ? orNull(go(member.node)) : go(member.node),
    };
  });
  const { length } = members;
  return (bytes, from, depth) => {
    if (bytes[from] !== OPEN_OBJECT || depth === depthMax) return -1;
    let at = from + 1, next = 0;
    if (bytes[at] !== CLOSE_OBJECT) {
      for (;;) {
        let member = members[next];
        while (member !== undefined && !isAt(bytes, at, member.head)) {
          if (member.isRequired) return -1;
          member = members[++next];
        }
        if (member === undefined) return -1;
        next++;
        const begin = at + member.head.length, end = member.scan(bytes, begin, depth + 1);
        if (end < 0 || (member.left !== undefined && end - begin === member.left.length && isAt(bytes, begin, member.left))) return -1;
        at = end + 1;
        if (bytes[end] === CLOSE_OBJECT) break;
        if (bytes[end] !== COMMA) return -1;
      }
    } else at++;
    for (; next < length; next++) if (members[next]!.isRequired) return -1;
    return at;
  };
}
function isLeftOut(member: Member): boolean {
  const { isNil, isLeftOut } = omissionOf(member);
  return (isNil ?? isLeftOut) !== undefined;
}
function orNull(scan: Scan): Scan {
  return (bytes, at, depth) => Math.max(wordEnd(bytes, at, isNull), scan(bytes, at, depth));
}
/** Whether a struct has defaults that depend on other fields. */
function hasFunctions({ applyDefaults, gatedDefaults }: StructNode): boolean {
  return applyDefaults !== undefined || gatedDefaults !== undefined;
}

/** The text of each zero value. Null is never recognised. */
const zeroTexts: Readonly<Partial<Record<Node["tag"], Uint8Array>>> = Object.freeze(
  Object.fromEntries(
    Object.entries({
      boolean: "false",
      string: '""',
      int32: "0",
      int64: "0",
      double: "0",
      bytes: '""',
      quantity: '"0"',
      intOrString: "0",
      duration: '"0s"',
      list: "[]",
      record: "{}",
      struct: "{}",
    }).map(([tag, text]) => [tag, toBytes.encode(text)]),
  ),
);

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index++) if (bytes[at + index] !== wanted[index]) return false;
  return true;
}
function wordEnd(bytes: Uint8Array, at: number, word: Uint8Array): number {
  return isAt(bytes, at, word) ? at + word.length : -1;
}

function stringEnd(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== QUOTE) return -1;
  let at = from + 1;
  for (;;) {
    while (plain[bytes[at]!] === 1) at++;
    if (bytes[at] === QUOTE) return at + 1;
    if (bytes[at] !== BACKSLASH) return -1;
    if (escaped[bytes[at + 1]!] === 1) at += 2;
    else {
      if (!longEscapes.some((escape) => isAt(bytes, at + 1, escape))) return -1;
      at += 6;
    }
  }
}

function integerEnd(bytes: Uint8Array, from: number, digitsMax: number): number {
  const first = bytes[from] === MINUS ? from + 1 : from;
  if (bytes[first] === ZERO) return first === from ? first + 1 : -1;
  let at = first;
  while (isDigit(bytes[at]!)) at++;
  return at > first && at - first <= digitsMax ? at : -1;
}
function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}

const timeMask = toBytes.encode('"0000-00-00T00:00:00Z"');
/** Returns the end of a time in the years 1000 to 2999. None of these is Go's zero time. */
function timeEnd(bytes: Uint8Array, from: number): number {
  for (let index = 0; index < timeMask.length; index++) {
    const wanted = timeMask[index]!, byte = bytes[from + index]!;
    if (wanted === ZERO ? !isDigit(byte) : byte !== wanted) return -1;
  }
  const number = (at: number) => (bytes[from + at]! - ZERO) * 10 + bytes[from + at + 1]! - ZERO;
  const century = number(1), month = number(6), day = number(9);
  if (century < 10 || century > 29 || month < 1 || month > 12 || day < 1 || number(12) > 23 || number(15) > 59 || number(18) > 59) {
    return -1;
  }
  return day <= 28 || day <= daysIn(month, century * 100 + number(3)) ? from + timeMask.length : -1;
}

function listEnd(bytes: Uint8Array, from: number, depth: number, item: Scan): number {
  if (bytes[from] !== OPEN_LIST || depth === depthMax) return -1;
  if (bytes[from + 1] === CLOSE_LIST) return from + 2;
  for (let at = from + 1;;) {
    const end = item(bytes, at, depth + 1);
    if (end < 0) return -1;
    if (bytes[end] === CLOSE_LIST) return end + 1;
    if (bytes[end] !== COMMA) return -1;
    at = end + 1;
  }
}

/**
 * Keys must ascend, which is the order of a record, and excludes repeated keys of values without a schema. `takesDigits`: whether keys may begin with a
 * digit.
 */
function recordEnd(bytes: Uint8Array, from: number, depth: number, entry: Scan, takesDigits: boolean): number {
  if (bytes[from] !== OPEN_OBJECT || depth === depthMax) return -1;
  if (bytes[from + 1] === CLOSE_OBJECT) return from + 2;
  let keyFrom = 0, keyTo = 0;
  for (let at = from + 1;;) {
    const keyEnd = stringEnd(bytes, at);
    if (keyEnd < 0 || bytes[keyEnd] !== COLON || (keyTo > 0 && !isBefore(bytes, keyFrom, keyTo, at + 1, keyEnd - 1))) return -1;
    if (!takesDigits && isDigit(bytes[at + 1]!)) return -1;
    keyFrom = at + 1;
    keyTo = keyEnd - 1;
    const end = entry(bytes, keyEnd + 1, depth + 1);
    if (end < 0) return -1;
    if (bytes[end] === CLOSE_OBJECT) return end + 1;
    if (bytes[end] !== COMMA) return -1;
    at = end + 1;
  }
}
/** Whether a key is before another one in the order of their characters. False may be a false negative where escapes differ. */
function isBefore(bytes: Uint8Array, from: number, to: number, otherFrom: number, otherTo: number): boolean {
  const shared = Math.min(to - from, otherTo - otherFrom);
  for (let index = 0; index < shared; index++) {
    if (bytes[from + index] === bytes[otherFrom + index]) continue;
    if (index > 0 && bytes[from + index - 1] === BACKSLASH) return false;
    const character = characterAt(bytes, from + index), other = characterAt(bytes, otherFrom + index);
    return character >= 0 && character < other;
  }
  return to - from < otherTo - otherFrom;
}
/** The character at an index; -1 for escapes other than that of a quote, which field sets have: `k:{\"name\":\"a\"}`. */
function characterAt(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== BACKSLASH) return bytes[at]!;
  return bytes[at + 1] === QUOTE ? QUOTE : -1;
}

/** Returns the end of a value without a schema that is not null. */
function presentEnd(bytes: Uint8Array, at: number, depth: number): number {
  return isAt(bytes, at, isNull) ? -1 : anyEnd(bytes, at, depth);
}
/** Returns a value without a schema, whose keys keep their order: V8 puts keys that are numbers first. */
function anyEnd(bytes: Uint8Array, at: number, depth: number): number {
  const byte = bytes[at]!;
  if (byte === QUOTE) return stringEnd(bytes, at);
  if (byte === OPEN_OBJECT) return recordEnd(bytes, at, depth, anyEnd, false);
  if (byte === OPEN_LIST) return listEnd(bytes, at, depth, anyEnd);
  if (byte === MINUS || isDigit(byte)) return integerEnd(bytes, at, int64DigitsMax);
  return Math.max(wordEnd(bytes, at, isTrue), wordEnd(bytes, at, isFalse), wordEnd(bytes, at, isNull));
}
