// The list of the shapes of requests that this program sends to etcd. Stores that imitate etcd's API, such as kine, know few shapes of transactions: a new one may
// work with etcd only. See docs/operators-guide.md.
// In Deno's suite only: it compares bytes of a library.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { newReader } from "../../core/codec/protobufjs.ts";
import * as messages from "./messages.ts";

const key = Uint8Array.of(97), to = Uint8Array.of(98), value = Uint8Array.of(99);

/** Fields that are messages, by their place: `2.3` is field 3 in field 2. */
const nested: Readonly<Record<string, readonly string[]>> = {
  "/etcdserverpb.KV/Txn": ["1", "2", "2.1", "2.2", "2.3", "3", "3.1"],
  "/etcdserverpb.Watch/Watch": ["1", "3"],
};

/** Every request that a caller can make of each method: each optional member with and without a value. */
const requests: Readonly<Record<string, readonly unknown[]>> = {
  range: [{ from: key }, ...combined({ from: key, to }, { limit: 5, at: 7, keysOnly: true })],
  txn: [
    { key, expect: 0, value, lease: undefined },
    { key, expect: 0, value, lease: "9" },
    { key, expect: 7, value, lease: undefined },
    { key, expect: 7, value, lease: "9" },
    { key, expect: 7, value: undefined, lease: undefined },
  ],
  claim: [{ key, version: 0, value }, { key, version: 3, value }],
  rangeStream: [{ from: key, to, at: 7 }],
  putKey: [{ key, value }],
  compaction: [7],
  leaseGrant: [60],
  status: [undefined],
  watch: ["progress", ...combined({ from: key, to, start: 7 }, { previous: true })],
};

/**
 * The shapes: fields by number, with the values of those that choose what a comparison compares (target 0: how often the key was written, 2: its revision).
 * Etcd's rpc.proto names them.
 */
const shapes: Readonly<Record<string, readonly string[]>> = {
  range: ["1", "1 2", "1 2 3", "1 2 3 4", "1 2 3 4 8", "1 2 3 8", "1 2 4", "1 2 4 8", "1 2 8"],
  txn: [
    // If the key has this revision, put the value (with its lease), else read the key: creates, updates.
    "1{2=2 3 6} 2{2{1 2}} 3{1{1}}",
    "1{2=2 3 6} 2{2{1 2 3}} 3{1{1}}",
    // Delete it, else read it.
    "1{2=2 3 6} 2{3{1}} 3{1{1}}",
  ],
  // If the key was written that often, put the value, else read the key: whose turn it is to compact.
  claim: ["1{3 4} 2{2{1 2}} 3{1{1}}"],
  // Only where the server has it (etcd 3.7).
  rangeStream: ["1 2 4"],
  putKey: ["1 2"],
  compaction: ["1"],
  leaseGrant: ["1"],
  status: [""],
  watch: ["1{1 2 3 4 6 8}", "1{1 2 3 4 8}", "3{}"],
};

function combined(base: object, optional: Readonly<Record<string, unknown>>): readonly object[] {
  return Object.entries(optional).reduce<readonly object[]>(
    (all, [name, value]) =>
      all.flatMap((one) => [{ ...one, [name]: typeof value === "boolean" ? false : undefined }, { ...one, [name]: value }]),
    [base],
  );
}

function shapeOf(path: string, bytes: Uint8Array, place = ""): string {
  const reader = newReader(bytes), parts: string[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32(), field = tag >>> 3, here = place === "" ? `${field}` : `${place}.${field}`;
    if ((tag & 7) === 2) {
      const content = reader.bytes();
      parts.push(nested[path]?.includes(here) ? `${field}{${shapeOf(path, content, here)}}` : `${field}`);
    } else {
      const number = reader.uint64().toString();
      parts.push(path.endsWith("/Txn") && here === "1.2" ? `2=${number}` : `${field}`);
    }
  }
  return parts.join(" ");
}

const methods = Object.entries(messages).flatMap(([name, found]) =>
  typeof found === "object" && "encode" in found ? [[name, found] as const] : []
);

test("every request to etcd has one of these shapes", () => {
  assert.deepEqual(methods.map(([name]) => name).toSorted(), Object.keys(shapes).toSorted());
  for (const [name, { path, encode }] of methods) {
    const sent = requests[name]!.map((request) => shapeOf(path, (encode as (request: unknown) => Uint8Array)(request)));
    assert.deepEqual([...new Set(sent)].toSorted(), shapes[name]!.toSorted(), name);
  }
});

test("the store of etcd calls no other methods, and only these of them in transactions", () => {
  const called = ["etcd.ts", "watch.ts"].flatMap((file) => {
    const text = readFileSync(new URL(`../../kernel/store/etcd/${file}`, import.meta.url), "utf8");
    return Array.from(text.matchAll(/connection\.(?:call|pieces)\((\w+)/g), ([, name]) => name === "readRange" ? "range" : name!);
  });
  assert.deepEqual([...new Set(called)].toSorted(), Object.keys(shapes).filter((name) => name !== "watch").toSorted());
  const opens = readFileSync(new URL("./connection.ts", import.meta.url), "utf8");
  assert.deepEqual(Array.from(opens.matchAll(/\.stream\((\w+)/g), ([, name]) => name), ["watch", "method"]);
});
