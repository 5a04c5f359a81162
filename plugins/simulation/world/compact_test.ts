import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import type { ApiObject } from "../../../plugin.ts";
import { Compactor } from "./compact.ts";

const object = (name: string, more: object = {}) =>
  ({ metadata: { name, managedFields: [{ manager: "m" }] }, ...more }) as unknown as ApiObject;

test("Compactor keeps all values of an object, but not the owners of its fields", () => {
  const spec = { list: [1, 2n, null, "a", { b: true }], empty: {}, ["__proto__"]: "a member" };
  const kept = new Compactor().of(object("a", { spec }));
  assert.deepEqual(kept, { metadata: { name: "a" }, spec });
  assert.deepEqual(Object.keys((kept as unknown as { spec: object }).spec), ["list", "empty", "__proto__"]);
});

test("Compactor shares the equal parts of two objects, in the same order of members only", () => {
  interface Kept extends ApiObject {
    readonly spec: { readonly containers: readonly unknown[]; readonly labels: object; readonly nodeName?: string };
  }
  const compactor = new Compactor(), containers = [{ name: "c", ports: [{ port: 1 }] }];
  const kept = (name: string, spec: object, like?: Kept) => compactor.of(object(name, { spec }) as Kept, like);
  const first = kept("a", { containers, labels: { a: "1", b: "2" } });
  const second = kept("b", { containers: structuredClone(containers), labels: { b: "2", a: "1" }, nodeName: "n" }, first);
  assert.equal(second.spec.containers, first.spec.containers);
  assert.notEqual(second.spec, first.spec);
  assert.equal(JSON.stringify(second.spec), '{"containers":[{"name":"c","ports":[{"port":1}]}],"labels":{"b":"2","a":"1"},"nodeName":"n"}');
  assert.deepEqual(kept("c", { containers: [], labels: {}, ["__proto__"]: {} }, first).spec, {
    containers: [],
    labels: {},
    ["__proto__"]: {},
  });
});

test("Compactor keeps no document in memory out of which texts were cut", () => {
  const compactor = new Compactor(), kept: ApiObject[] = [], bytes = () => process.memoryUsage().heapUsed;
  const filler = "x".repeat(1_000_000), before = bytes();
  for (let i = 0; i < 200; i++) {
    const document = `${i}${filler}the name of object ${i}${"y".repeat(i % 2 * 300)}`;
    kept.push(compactor.of(object(document.slice(document.indexOf("the name")))));
  }
  assert.equal(kept.length, 200);
  // The documents are 200 MB: without a collection most of them are gone already if nothing keeps them.
  assert.ok(bytes() - before < 150_000_000);
});
