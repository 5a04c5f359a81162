/**
 * JSON Patch (RFC 6902) with the deviations of upstream's library (evanphx/json-patch, version 4): text before the first slash of a path
 * is ignored, indexes may be negative or signed, `replace` adds to objects, `copy` of a missing key gives null, and `test` compares
 * strings and numbers as written.
 */
import { spendSteps } from "../budget.ts";
import { goString } from "../tree/json-text.ts";
import { badRequestError, tooLargeError } from "../status-error.ts";
import { plainString, readWrittenJson } from "../tree/json.ts";
import { NumberText, type Tree, TreeObject } from "../tree/tree.ts";
import { goQuote } from "../tree/go-quote.ts";
import { duplicateKeys } from "./duplicates.ts";
import { JsonPatchFailure, within } from "./json-patch-failure.ts";
import { hugeNumber, jsonKind } from "../tree/go-errors.ts";
import { copyOf, sameWritten, settle, writtenText } from "./written.ts";
import { bound } from "../bound.ts";

/** Values that the copies of one JSON patch may add. An empty list takes two bytes of a body, and a microsecond of each later step. */
export const jsonPatchCopiedValuesMax = bound(200_000);
/** Operations in one JSON patch. */
export const jsonPatchOperationsMax = bound(10_000);
/** Bytes that `copy` operations of one JSON patch may add. */
export const jsonPatchCopyBytesMax = bound(3 * 1024 * 1024);

/** One operation of the request. Members that are missing or not strings are undefined. Values are trees of the written form. */
export interface Operation {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: Tree | undefined;
}

export interface JsonPatch {
  readonly operations: readonly Operation[];
  /** `json patch unknown field "[0].comment"`, `json patch duplicate field "[1].op"`. */
  readonly findings: readonly string[];
}

/**
 * Reads a patch. Null is an empty patch. Throws 400 if it is not a list of objects, 413 for too many operations. Incomplete operations fail
 * when they are applied. `validates`: checks the types of members, with other error messages.
 */
export function readJsonPatch(body: Uint8Array, validates: boolean): JsonPatch {
  const read = readWrittenJson(body);
  if (!read.ok) throw badRequestError(validates ? `error decoding patch: ${read.error}` : read.error);
  const { tree } = read;
  const wrong = wrongType(tree, validates);
  if (wrong !== undefined) throw badRequestError(validates ? `error decoding patch: json: ${wrong}` : `json: ${wrong}`);
  const items = Array.isArray(tree) ? tree : [];
  if (items.length > jsonPatchOperationsMax) {
    throw tooLargeError(`The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${items.length}`);
  }
  const findings = validates ? duplicateKeys(tree, members).map((finding) => `json patch ${finding}`) : [];
  return { operations: items.map(operationOf), findings };
}

const members: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

/** Returns the type error of a patch in the format of Go's decoder. */
function wrongType(tree: Tree, validates: boolean): string | undefined {
  const cannot = (value: Tree, where: string) => `cannot unmarshal ${jsonKind(value)} into Go ${where}`;
  if (tree === null) return undefined;
  if (!Array.isArray(tree)) return cannot(tree, `value of type ${validates ? "[]handlers.jsonPatchOp" : "jsonpatch.Patch"}`);
  for (const item of tree) {
    if (item === null) continue;
    if (!(item instanceof TreeObject)) return cannot(item, `value of type ${validates ? "handlers.jsonPatchOp" : "jsonpatch.Operation"}`);
    if (!validates) continue;
    for (const [index, key] of item.keys.entries()) {
      const value = item.values[index]!;
      if (key === "value") {
        const huge = hugeNumber(value);
        if (huge !== undefined) return `cannot unmarshal number ${huge} into Go struct field jsonPatchOp.value of type float64`;
      } else if (members.has(key) && value !== null && typeof value !== "string") {
        return cannot(value, `struct field jsonPatchOp.${key} of type string`);
      }
    }
  }
  return undefined;
}

function operationOf(item: Tree): Operation {
  const string = (key: string) => {
    const value = item instanceof TreeObject ? item.get(key) : undefined;
    return typeof value === "string" ? plainString(value) : undefined;
  };
  const value = item instanceof TreeObject ? item.get("value") : undefined;
  return { op: string("op"), path: string("path"), from: string("from"), value };
}

/**
 * Applies all operations to the document, which it modifies. Throws a JsonPatchFailure for the first operation that fails, and if copies add
 * more than `jsonPatchCopyBytesMax` in total.
 */
export function applyJsonPatch(document: Tree, operations: readonly Operation[]): Tree {
  const run: Run = { root: document, open: new Map(), copied: 0, copiedValues: 0 };
  for (const operation of operations) {
    const step = steps.get(operation.op ?? "");
    if (step === undefined) throw new JsonPatchFailure(`Unexpected kind: ${operation.op ?? "unknown"}`);
    step(run, operation);
  }
  for (const object of run.open.keys()) settle(object);
  if (run.root instanceof TreeObject) settle(run.root);
  return run.root;
}

interface Run {
  root: Tree;
  /** Objects on the path of an operation. Their keys are unique, and are sorted at the end. */
  readonly open: Map<TreeObject, OpenObject>;
  /** Bytes and values added by copies. */
  copied: number;
  copiedValues: number;
}

/** An object with an index of its members. */
interface OpenObject {
  readonly object: TreeObject;
  readonly indexOf: Map<string, number>;
}

type Step = (run: Run, operation: Operation) => void;

const missing = "missing value";

/** Returns the place of an operation's path. `what` begins the reason if there is no such place, `shown` quotes the path in it. */
function targetOf(run: Run, path: string | undefined, what: string, shown = (text: string) => text): Place {
  if (path === undefined) throw new JsonPatchFailure(`${what.split(" ", 1)[0]} operation failed to decode path: ${missing}`);
  return placeOf(run, path) ?? missingAt(`${what}: ${shown(path)}`);
}
function sourceOf(run: Run, from: string | undefined, name: string): Place {
  if (from === undefined) throw new JsonPatchFailure(`${name} operation failed to decode from: operation, missing from field: ${missing}`);
  return placeOf(run, from) ?? missingAt(`${name} operation does not apply: doc is missing from path: ${from}`);
}
function missingAt(what: string): never {
  throw new JsonPatchFailure(`${what}: ${missing}`);
}

const steps: ReadonlyMap<string, Step> = new Map<string, Step>(Object.entries({
  add: (run: Run, { path, value }: Operation) => {
    const target = targetOf(run, path, "add operation does not apply: doc is missing path", quotePath);
    within(`error in add for path: '${path}'`, () => add(target, copyOf(value ?? null)));
  },
  remove: (run: Run, { path }: Operation) => {
    const target = targetOf(run, path, "remove operation does not apply: doc is missing path", quotePath);
    within(`error in remove for path: '${path}'`, () => remove(target));
  },
  replace: (run: Run, { path, value }: Operation) => {
    if (path !== "") return replace(targetOf(run, path, "replace operation does not apply: doc is missing path"), path!, value);
    if (!Array.isArray(value) && !(value instanceof TreeObject)) {
      throw new JsonPatchFailure("replace operation value must be object or array: %!w(<nil>)");
    }
    run.root = copyOf(value);
  },
  move: (run: Run, { path, from }: Operation) => {
    const source = sourceOf(run, from, "move");
    const value = within(`error in move for path: '${source.key}'`, () => {
      const found = get(source) ?? null;
      remove(source);
      return found;
    });
    const target = targetOf(run, path, "move operation does not apply: doc is missing destination path");
    within(`error in move for path: '${path}'`, () => add(target, value));
  },
  copy: (run: Run, { path, from }: Operation) => {
    const source = sourceOf(run, from, "copy");
    const value = within(`error in copy for from: '${from}'`, () => get(source) ?? null);
    const target = targetOf(run, path, "copy operation does not apply: doc is missing destination path");
    if (value !== null) chargeCopy(run, value);
    within("error while adding value during copy", () => add(target, copyOf(value)));
  },
  test: (run: Run, { path, value }: Operation) => {
    const found = path === "" ? run.root : valueToTest(run, path);
    if (found === null ? (value ?? null) !== null : value === undefined || !sameWritten(found, value)) {
      throw new JsonPatchFailure(`testing value ${path} failed: test failed`, { isTest: true });
    }
  },
}));

function quotePath(path: string): string {
  return `"${path}"`;
}

function replace(target: Place, path: string, value: Tree | undefined): void {
  if (!Array.isArray(target.in)) return add(target, copyOf(value ?? null));
  if (!hasItem(target)) missingAt(`replace operation does not apply: doc is missing key: ${path}`);
  target.in[indexOf(target.key, target.in.length)] = copyOf(value ?? null);
}

function valueToTest(run: Run, path: string | undefined): Tree {
  const target = targetOf(run, path, "test operation does not apply: is missing path");
  return within(`error in test for path: '${path}'`, () => get(target) ?? null);
}

/**
 * Steps of one value that a copy adds, and bytes of it in one step: the result is decoded, defaulted, validated, compared and encoded. Items of
 * a list that an inserted or removed one moves in one step.
 */
const copiedValueSteps = 50;
const copiedBytesPerStep = 4;
const movedItemsPerStep = 64;

/** Adds a copy to the totals of the patch. Fails if they exceed their bounds. */
function chargeCopy(run: Run, value: Tree): void {
  const { bytes, values } = sizeOf(value, jsonPatchCopyBytesMax - run.copied, jsonPatchCopiedValuesMax - run.copiedValues);
  run.copied += bytes;
  run.copiedValues += values;
  const cannot = "Unable to complete the copy, the accumulated";
  if (run.copied > jsonPatchCopyBytesMax) {
    const why = `${cannot} size increase of copy is ${run.copied}, exceeding the limit ${jsonPatchCopyBytesMax}`;
    throw new JsonPatchFailure(why, { isTooLarge: true });
  }
  if (run.copiedValues > jsonPatchCopiedValuesMax) {
    const why = `${cannot} number of values of copies exceeds the limit ${jsonPatchCopiedValuesMax}`;
    throw new JsonPatchFailure(why, { isTooLarge: true });
  }
  spendSteps(values * copiedValueSteps + bytes / copiedBytesPerStep);
}

/** Returns the bytes of the JSON of a value, and number of values in it. Stops counting above the bounds. */
function sizeOf(value: Tree, bytesMax: number, valuesMax: number): { readonly bytes: number; readonly values: number } {
  let bytes = 0, values = 0;
  const waiting: Tree[] = [value];
  while (waiting.length > 0 && bytes <= bytesMax && values <= valuesMax) {
    const next = waiting.pop()!;
    values++;
    if (next instanceof TreeObject) {
      bytes += 1 + Math.max(1, next.keys.length);
      for (const [index, key] of next.keys.entries()) {
        bytes += utf8.encode(goString(key)).length + 1;
        waiting.push(next.values[index]!);
      }
    } else if (Array.isArray(next)) {
      bytes += 1 + Math.max(1, next.length);
      for (const item of next) waiting.push(item);
    } else bytes += leafBytes(next);
  }
  return { bytes, values };
}
function leafBytes(leaf: Tree): number {
  return leaf instanceof NumberText ? leaf.text.length : utf8.encode(writtenText(leaf)).length;
}
const utf8 = new TextEncoder();

/** A key of an object, or an index of a list. */
interface Place {
  readonly in: Tree[] | OpenObject;
  readonly key: string;
}

/** Resolves a path; undefined if its container does not exist. */
function placeOf(run: Run, path: string): Place | undefined {
  const parts = path.split("/");
  if (parts.length < 2) return undefined;
  const keys = parts.slice(1).map((part) => part.replace(/~[01]/g, (escape) => escape === "~1" ? "/" : "~"));
  let container = containerOf(run, run.root);
  for (const key of keys.slice(0, -1)) {
    if (container === undefined || Array.isArray(container) && !hasItem({ in: container, key })) return undefined;
    container = containerOf(run, get({ in: container, key }));
  }
  return container === undefined ? undefined : { in: container, key: keys.at(-1)! };
}
function containerOf(run: Run, value: Tree | undefined): Tree[] | OpenObject | undefined {
  if (Array.isArray(value)) return value;
  if (!(value instanceof TreeObject)) return undefined;
  const known = run.open.get(value);
  if (known !== undefined) return known;
  settle(value);
  const opened = { object: value, indexOf: new Map(value.keys.map((key, index) => [key, index])) };
  run.open.set(value, opened);
  return opened;
}

/** Parses a list index as Go's `strconv.Atoi`. A negative index counts from `size`. */
function indexOf(key: string, size: number): number {
  const index = indexIn(key, size);
  if (typeof index === "string") throw new JsonPatchFailure(index);
  return index;
}
/** Returns the index as `indexOf` does, or the reason why the text is no index. */
function indexIn(key: string, size: number): number | string {
  if (!/^[+-]?[0-9]+$/.test(key)) return `strconv.Atoi: parsing ${goQuote(key)}: invalid syntax`;
  const index = Number(key);
  if (!Number.isSafeInteger(index)) return `strconv.Atoi: parsing ${goQuote(key)}: value out of range`;
  const from = index < 0 ? index + size : index;
  return from >= 0 ? from + 0 : beyond(index);
}
function beyond(index: number): string {
  return `Unable to access invalid index: ${index}: invalid index referenced`;
}
/** Whether a list has the item that a key names. */
function hasItem({ in: items, key }: Place): boolean {
  const index = Array.isArray(items) ? indexIn(key, items.length) : NaN;
  return typeof index === "number" && Array.isArray(items) && index < items.length;
}

/** Returns the value at a place; undefined for a missing key. */
function get({ in: container, key }: Place): Tree | undefined {
  if (!Array.isArray(container)) {
    const at = container.indexOf.get(key);
    return at === undefined ? undefined : container.object.values[at];
  }
  const index = indexOf(key, container.length);
  if (index >= container.length) throw new JsonPatchFailure(beyond(index));
  return container[index];
}
function add({ in: container, key }: Place, value: Tree): void {
  if (!Array.isArray(container)) {
    const { object, indexOf } = container;
    const at = indexOf.get(key);
    if (at !== undefined) object.values[at] = value;
    else {
      indexOf.set(key, object.keys.push(key) - 1);
      object.values.push(value);
    }
  } else if (key === "-") container.push(value);
  else {
    const size = container.length + 1, index = indexIn(key, size);
    if (typeof index === "string") {
      throw new JsonPatchFailure(index.startsWith("strconv") ? `value was not a proper array index: '${key}': ${index}` : index);
    }
    if (index >= size) throw new JsonPatchFailure(beyond(index));
    spendSteps((container.length - index) / movedItemsPerStep);
    container.splice(index, 0, value);
  }
}
function remove(place: Place): void {
  const { in: container, key } = place;
  if (Array.isArray(container)) {
    get(place);
    const index = indexOf(key, container.length);
    spendSteps((container.length - index) / movedItemsPerStep);
    container.splice(index, 1);
  } else removeMember(container, key);
}

/** Moves the last member into the place of the removed one. */
function removeMember({ object: { keys, values }, indexOf }: OpenObject, key: string): void {
  const at = indexOf.get(key);
  if (at === undefined) throw new JsonPatchFailure(`Unable to remove nonexistent key: ${key}: ${missing}`);
  indexOf.delete(key);
  // The object has at least the removed member.
  const lastKey = keys.pop()!, lastValue = values.pop()!;
  if (at === keys.length) return;
  keys[at] = lastKey;
  values[at] = lastValue;
  indexOf.set(lastKey, at);
}
