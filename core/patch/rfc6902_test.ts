// JSON patch by RFC 6902 and JSON pointers by RFC 6901, rule by rule, with the deviations of upstream's library.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { Json } from "../schema.ts";
import { StatusError } from "../status-error.ts";
import { jsonFromTree, readWrittenJson } from "../tree/json.ts";
import { applyJsonPatch, readJsonPatch } from "./json-patch.ts";
import { plainTree } from "./written.ts";

/** The result as JSON; "refused" if an operation fails. */
function outcome(document: string, patch: string): Json {
  const read = readWrittenJson(document);
  assert.ok(read.ok);
  const { operations } = readJsonPatch(new TextEncoder().encode(patch), true);
  try {
    return jsonFromTree(plainTree(applyJsonPatch(read.tree, operations)));
  } catch (error) {
    if (error instanceof StatusError) return "refused";
    throw error;
  }
}

type Case = readonly [rule: string, document: Json, patch: readonly Json[], expected: Json];
const refused = "refused";
const pod = { metadata: { name: "web", labels: { tier: "front" } }, ports: [80, 443, 8080] };

const operations: readonly Case[] = [
  // Section 3 and 5: a patch is a list of operations, applied in order, all of them or none.
  ["no operation", pod, [], pod],
  ["each operation sees the result of the one before", { n: 1 }, [
    { op: "add", path: "/m", value: 2 },
    { op: "copy", from: "/m", path: "/o" },
    { op: "remove", path: "/m" },
  ], { n: 1, o: 2 }],
  ["a failure after changes fails the whole patch", { n: 1 }, [
    { op: "replace", path: "/n", value: 2 },
    { op: "test", path: "/n", value: 1 },
  ], refused],
  ["further members of an operation are ignored", { n: 1 }, [{ op: "remove", path: "/n", reason: "unused", from: "/x" }], {}],
  ["members in any order", { a: 1 }, [{ value: 2, path: "/b", op: "add" }], { a: 1, b: 2 }],
  ["an operation without a name", {}, [{ path: "/a", value: 1 }], refused],
  ["an unknown name", {}, [{ op: "increment", path: "/a", value: 1 }], refused],
  ["names are in lower case", {}, [{ op: "ADD", path: "/a", value: 1 }], refused],
  ["no path", { a: 1 }, [{ op: "remove" }], refused],
  ["a path of null", { a: 1 }, [{ op: "remove", path: null }], refused],
  ["a path without the slash", { a: 1 }, [{ op: "remove", path: "a" }], refused],

  // 4.1: add.
  ["add a member", pod.metadata, [{ op: "add", path: "/uid", value: "u" }], { ...pod.metadata, uid: "u" }],
  ["add replaces a member", { n: { deep: true } }, [{ op: "add", path: "/n", value: [] }], { n: [] }],
  ["add replaces a null", { n: null }, [{ op: "add", path: "/n", value: "x" }], { n: "x" }],
  ["add within a nested object", pod, [{ op: "add", path: "/metadata/labels/app", value: "shop" }], {
    ...pod,
    metadata: { name: "web", labels: { tier: "front", app: "shop" } },
  }],
  ["add does not create parents", {}, [{ op: "add", path: "/spec/replicas", value: 1 }], refused],
  ["add into a scalar", { n: 1 }, [{ op: "add", path: "/n/x", value: 1 }], refused],
  ["add into a text", { n: "abc" }, [{ op: "add", path: "/n/0", value: "z" }], refused],
  ["insert at the front", pod.ports, [{ op: "add", path: "/0", value: 22 }], [22, 80, 443, 8080]],
  ["insert between", { ports: pod.ports }, [{ op: "add", path: "/ports/2", value: 22 }], { ports: [80, 443, 22, 8080] }],
  ["insert at the length appends", pod.ports, [{ op: "add", path: "/3", value: 22 }], [80, 443, 8080, 22]],
  ["insert beyond the length", pod.ports, [{ op: "add", path: "/4", value: 22 }], refused],
  ["append to a list", pod.ports, [{ op: "add", path: "/-", value: 22 }], [80, 443, 8080, 22]],
  ["append to an empty list", [], [{ op: "add", path: "/-", value: null }], [null]],
  ["append twice, deep down", { a: [[], [[1]]] }, [{ op: "add", path: "/a/1/0/-", value: 2 }, { op: "add", path: "/a/1/0/-", value: 3 }], {
    a: [[], [[1, 2, 3]]],
  }],
  ["a list is inserted as one item", [1, 2], [{ op: "add", path: "/1", value: [8, 9] }], [1, [8, 9], 2]],
  ["the hyphen is a name in objects", { a: 1 }, [{ op: "add", path: "/-", value: 2 }], { a: 1, "-": 2 }],
  ["digits are a name in objects", { a: 1 }, [{ op: "add", path: "/007", value: 2 }], { a: 1, "007": 2 }],
  ["every kind of value", {}, [
    { op: "add", path: "/n", value: null },
    { op: "add", path: "/t", value: true },
    { op: "add", path: "/f", value: false },
    { op: "add", path: "/d", value: -1.5e3 },
    { op: "add", path: "/s", value: "" },
    { op: "add", path: "/o", value: { x: {} } },
    { op: "add", path: "/l", value: [[]] },
  ], { n: null, t: true, f: false, d: -1500, s: "", o: { x: {} }, l: [[]] }],

  // 4.2: remove.
  ["remove a member", { a: 1, b: { c: 2 } }, [{ op: "remove", path: "/b" }], { a: 1 }],
  ["remove a member that is null", { a: null }, [{ op: "remove", path: "/a" }], {}],
  ["remove below a list", [{ a: 1, b: 2 }], [{ op: "remove", path: "/0/a" }], [{ b: 2 }]],
  ["remove shifts the items behind", pod.ports, [{ op: "remove", path: "/0" }, { op: "remove", path: "/0" }], [8080]],
  ["remove the last item", [1], [{ op: "remove", path: "/0" }], []],
  ["remove what is absent", { a: 1 }, [{ op: "remove", path: "/b" }], refused],
  ["remove below what is absent", { a: 1 }, [{ op: "remove", path: "/b/c" }], refused],
  ["remove twice", { a: 1 }, [{ op: "remove", path: "/a" }, { op: "remove", path: "/a" }], refused],
  ["remove beyond the end", pod.ports, [{ op: "remove", path: "/3" }], refused],
  ["there is no item at the hyphen", pod.ports, [{ op: "remove", path: "/-" }], refused],

  // 4.3: replace.
  ["replace a member", { a: 1, b: 2 }, [{ op: "replace", path: "/a", value: { x: 1 } }], { a: { x: 1 }, b: 2 }],
  ["replace by null", { a: 1 }, [{ op: "replace", path: "/a", value: null }], { a: null }],
  ["replace a null", { a: null }, [{ op: "replace", path: "/a", value: 0 }], { a: 0 }],
  ["replace an item", pod.ports, [{ op: "replace", path: "/1", value: 444 }], [80, 444, 8080]],
  ["replace an item by a list", [1, 2], [{ op: "replace", path: "/0", value: [3, 4] }], [[3, 4], 2]],
  ["replace beyond the end", pod.ports, [{ op: "replace", path: "/3", value: 1 }], refused],
  ["replace below what is absent", { a: 1 }, [{ op: "replace", path: "/b/c", value: 1 }], refused],
  ["replace the whole document", { a: 1 }, [{ op: "replace", path: "", value: { b: 2 } }, { op: "add", path: "/c", value: 3 }], {
    b: 2,
    c: 3,
  }],

  // 4.4: move is a remove and an add.
  ["move a member", { a: { x: 1 }, b: {} }, [{ op: "move", from: "/a/x", path: "/b/y" }], { a: {}, b: { y: 1 } }],
  ["move over a member", { a: 1, b: 2 }, [{ op: "move", from: "/a", path: "/b" }], { b: 1 }],
  ["move a null", { a: null }, [{ op: "move", from: "/a", path: "/b" }], { b: null }],
  ["move to its own place", { a: { x: 1 } }, [{ op: "move", from: "/a", path: "/a" }], { a: { x: 1 } }],
  ["the index of the target counts after the removal", ["a", "b", "c", "d"], [{ op: "move", from: "/0", path: "/2" }], [
    "b",
    "c",
    "a",
    "d",
  ]],
  ["move to the end", ["a", "b", "c"], [{ op: "move", from: "/0", path: "/-" }], ["b", "c", "a"]],
  ["move from an object into a list", { a: { x: 1 }, l: [0] }, [{ op: "move", from: "/a/x", path: "/l/0" }], { a: {}, l: [1, 0] }],
  ["move into itself", { a: { b: {} } }, [{ op: "move", from: "/a", path: "/a/b/c" }], refused],
  ["move from nowhere", { a: 1 }, [{ op: "move", from: "/b", path: "/a" }], refused],
  ["move without a source", { a: 1 }, [{ op: "move", path: "/b" }], refused],

  // 4.5: copy.
  ["copy a member", { a: { x: [1] } }, [{ op: "copy", from: "/a", path: "/b" }], { a: { x: [1] }, b: { x: [1] } }],
  ["copy a null", { a: null }, [{ op: "copy", from: "/a", path: "/b" }], { a: null, b: null }],
  ["copy an item", [{ x: 1 }], [{ op: "copy", from: "/0", path: "/-" }], [{ x: 1 }, { x: 1 }]],
  ["copy into itself", { a: {} }, [{ op: "copy", from: "/a", path: "/a/b" }], { a: { b: {} } }],
  ["a change of the copy leaves the source", { a: { x: [1] } }, [
    { op: "copy", from: "/a", path: "/b" },
    { op: "add", path: "/b/x/-", value: 2 },
  ], { a: { x: [1] }, b: { x: [1, 2] } }],
  ["a change of the source leaves the copy", { a: { x: [1] } }, [
    { op: "copy", from: "/a", path: "/b" },
    { op: "add", path: "/a/x/-", value: 2 },
  ], { a: { x: [1, 2] }, b: { x: [1] } }],
  ["copy from below what is absent", { a: 1 }, [{ op: "copy", from: "/b/c", path: "/a" }], refused],
  ["copy without a source", { a: 1 }, [{ op: "copy", path: "/b" }], refused],

  // 4.6: test.
  ["test leaves the document", pod, [{ op: "test", path: "/metadata/name", value: "web" }], pod],
  ["test an object, members in any order", { o: { a: 1, b: [2] } }, [{ op: "test", path: "/o", value: { b: [2], a: 1 } }], {
    o: { a: 1, b: [2] },
  }],
  ["test an object within a list", [{ a: 1, b: 2 }], [{ op: "test", path: "", value: [{ b: 2, a: 1 }] }], [{ a: 1, b: 2 }]],
  ["test a list, items in order", { l: [1, 2] }, [{ op: "test", path: "/l", value: [2, 1] }], refused],
  ["test a longer list", { l: [1] }, [{ op: "test", path: "/l", value: [1, 1] }], refused],
  ["test a number against its text", { n: 10 }, [{ op: "test", path: "/n", value: "10" }], refused],
  ["test zero against false", { n: 0 }, [{ op: "test", path: "/n", value: false }], refused],
  ["test an empty list against an empty object", { n: [] }, [{ op: "test", path: "/n", value: {} }], refused],
  ["test a null", { n: null }, [{ op: "test", path: "/n", value: null }], { n: null }],
  ["test below what is absent", {}, [{ op: "test", path: "/a/b", value: 1 }], refused],
];

const pointers: readonly Case[] = [
  ["the empty name", { "": 1, a: { "": 2 } }, [
    { op: "test", path: "/", value: 1 },
    { op: "test", path: "/a/", value: 2 },
    { op: "add", path: "//", value: 3 },
  ], refused],
  ["the empty name is a member", {}, [{ op: "add", path: "/", value: { "": 1 } }, { op: "replace", path: "//", value: 2 }], {
    "": { "": 2 },
  }],
  ["~1 is a slash and ~0 a tilde, in this order", { "a/b": 1, "m~n": 2, "~1": 3 }, [
    { op: "test", path: "/a~1b", value: 1 },
    { op: "test", path: "/m~0n", value: 2 },
    { op: "test", path: "/~01", value: 3 },
  ], { "a/b": 1, "m~n": 2, "~1": 3 }],
  ["characters with a meaning elsewhere are plain", { "%25": 1, '"\\': 2, " ": 3, "*": 4, "é\n": 5 }, [
    { op: "test", path: "/%25", value: 1 },
    { op: "test", path: '/"\\', value: 2 },
    { op: "test", path: "/ ", value: 3 },
    { op: "test", path: "/*", value: 4 },
    { op: "test", path: "/é\n", value: 5 },
  ], { "%25": 1, '"\\': 2, " ": 3, "*": 4, "é\n": 5 }],
  ["names differ by letter case", { key: 1 }, [{ op: "add", path: "/Key", value: 2 }], { key: 1, Key: 2 }],
  ...["1e0", "1.0", "0x1", " 1", "1 ", "one", "١"].flatMap((index): readonly Case[] => [
    [`"${index}" is no index, to add`, [1, 2, 3], [{ op: "add", path: `/${index}`, value: 0 }], refused],
    [`"${index}" is no index, to remove`, [1, 2, 3], [{ op: "remove", path: `/${index}` }], refused],
    [`"${index}" is no index, to replace`, [1, 2, 3], [{ op: "replace", path: `/${index}`, value: 0 }], refused],
    [`"${index}" is no index, to test`, [1, 2, 3], [{ op: "test", path: `/${index}`, value: 2 }], refused],
    [`"${index}" is no index, to move from`, { l: [1, 2] }, [{ op: "move", from: `/l/${index}`, path: "/x" }], refused],
    [`"${index}" is no index, to copy from`, { l: [1, 2] }, [{ op: "copy", from: `/l/${index}`, path: "/x" }], refused],
    [`"${index}" is no index on the way`, { l: [{}, {}] }, [{ op: "add", path: `/l/${index}/x`, value: 1 }], refused],
    [`"${index}" is a name in an object`, { [index]: 1 }, [{ op: "test", path: `/${index}`, value: 1 }], { [index]: 1 }],
  ]),
];

for (const [rule, document, patch, expected] of [...operations, ...pointers]) {
  test(`applyJsonPatch() by RFC 6902: ${rule}`, () => {
    assert.deepEqual(outcome(JSON.stringify(document), JSON.stringify(patch)), expected);
  });
}

/** Where upstream's library accepts what the RFC forbids, or refuses what it allows; clients may rely on it. */
const deviations: readonly Case[] = [
  ["add needs a parent, so it cannot replace the document", { a: 1 }, [{ op: "add", path: "", value: { b: 2 } }], refused],
  ["nor by one of another type", {}, [{ op: "add", path: "", value: [] }], refused],
  ["an index counts from the end if it is negative", [1, 2], [{ op: "add", path: "/-1", value: 9 }], [1, 2, 9]],
  ["an index may have leading zeros", [1, 2], [{ op: "test", path: "/01", value: 2 }], [1, 2]],
  ["an index may have a sign", [1, 2], [{ op: "replace", path: "/+1", value: 3 }], [1, 3]],
  ["add without a value adds null", {}, [{ op: "add", path: "/a" }], { a: null }],
  ["replace without a value writes null", { a: 1 }, [{ op: "replace", path: "/a" }], { a: null }],
  ["test without a value tests for null", { a: null }, [{ op: "test", path: "/a" }], { a: null }],
  ["an absent member tests as null", {}, [{ op: "test", path: "/a", value: null }], {}],
  ["an absent member is copied as null", {}, [{ op: "copy", from: "/a", path: "/b" }], { b: null }],
  ["replace adds an absent member", {}, [{ op: "replace", path: "/a", value: 1 }], { a: 1 }],
];

for (const [rule, document, patch, expected] of deviations) {
  test(`applyJsonPatch() deviates from RFC 6902 as upstream's library: ${rule}`, () => {
    assert.deepEqual(outcome(JSON.stringify(document), JSON.stringify(patch)), expected);
  });
}

/** A case of another project's suite. */
interface OtherCase {
  readonly doc: Json;
  readonly patch: readonly { readonly op?: string; readonly path?: string; readonly value?: Json; readonly from?: string }[];
  readonly expected?: Json;
  readonly error?: string;
  readonly disabled?: boolean;
}

/** Whether one of the deviations decides the case. */
function isDeviation({ doc, patch }: OtherCase): boolean {
  const isAbsent = (from: string) => typeof doc === "object" && doc !== null && !Object.hasOwn(doc, from.slice(1));
  return patch.some(({ op, path = "x", value, from }) =>
    (op === "add" && path === "") || /\/(-\d+|0\d+)$/.test(path) ||
    (value === undefined && (op === "add" || op === "replace" || op === "test")) || (op === "copy" && from !== undefined && isAbsent(from))
  );
}

const beside = new URL("../../../shared/vectors/json-patch/", import.meta.url);
for (const file of ["spec_tests.json", "tests.json"]) {
  const path = new URL(file, beside);
  const missing = existsSync(path) ? false : "../shared/vectors is not there";
  test(`applyJsonPatch() agrees with ${file} of another project but for the deviations`, { skip: missing }, () => {
    // `as`: the format of that suite; another one fails the comparison.
    const cases = (JSON.parse(readFileSync(path, "utf8")) as OtherCase[]).filter(({ disabled }) => disabled !== true);
    assert.ok(cases.length > 10);
    for (const each of cases) {
      const { doc, patch, expected, error } = each;
      const got = outcome(JSON.stringify(doc), JSON.stringify(patch));
      const agrees = error !== undefined ? got === refused : got !== refused;
      assert.ok(agrees || isDeviation(each), JSON.stringify(each));
      if (error === undefined && expected !== undefined && agrees) assert.deepEqual(got, expected);
    }
  });
}
