// In Deno's suite only: documents are values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withRemoteSpec } from "./merged-v2.ts";

const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const get = (name: string) => ({ get: { responses: { 200: { schema: ref(name) } } } });
const own = {
  swagger: "2.0",
  paths: { "/api/v1/": get("Pod"), "/apis/taken/v1/": get("Pod") },
  definitions: {
    Meta: { description: "our words", type: "object", properties: { name: { type: "string" } } },
    Pod: { type: "object", properties: { metadata: ref("Meta") } },
    Status: { type: "object", "x-kubernetes-group-version-kind": [{ kind: "Status" }] },
  },
};
const prefixes = ["/apis/g/v1/"];

test("withRemoteSpec() takes the paths of the versions, with the definitions that they use", () => {
  const spec = {
    paths: { "/apis/g/v1/": get("Thing"), "/apis/g/v2/": get("Unused"), "/api/v1/": get("Unused") },
    definitions: { Thing: { properties: { more: ref("Part") } }, Part: { type: "string" }, Unused: { type: "object" } },
  };
  const merged = withRemoteSpec(own, { prefixes, spec });
  assert.deepEqual(Object.keys(merged["paths"] as object), ["/api/v1/", "/apis/g/v1/", "/apis/taken/v1/"]);
  assert.deepEqual(Object.keys(merged["definitions"] as object), ["Meta", "Part", "Pod", "Status", "Thing"]);
  assert.deepEqual((merged["paths"] as any)["/api/v1/"], get("Pod"), "paths that are there stay");
  assert.equal(Object.hasOwn(own.paths, "/apis/g/v1/"), false, "the argument is not changed");
});

test("withRemoteSpec() shares a definition that differs in descriptions only, with the kinds of both", () => {
  const spec = {
    paths: { "/apis/g/v1/": { ...get("Meta"), post: get("Status") } },
    definitions: {
      Meta: { properties: { name: { type: "string", description: "other words" } }, type: "object" },
      Status: { type: "object", "x-kubernetes-group-version-kind": [{ kind: "Status" }, { kind: "Other" }] },
    },
  };
  const { definitions } = withRemoteSpec(own, { prefixes, spec }) as any; // `any`: a document
  assert.deepEqual(Object.keys(definitions), ["Meta", "Pod", "Status"]);
  assert.equal(definitions.Meta.description, "our words");
  assert.deepEqual(definitions.Status["x-kubernetes-group-version-kind"], [{ kind: "Status" }, { kind: "Other" }]);
});

test("withRemoteSpec() gives another name to a definition that differs, and to those that use it", () => {
  const spec = {
    paths: { "/apis/g/v1/": get("Pod") },
    definitions: { Pod: own.definitions.Pod, Meta: { type: "object", properties: { name: { type: "integer" } } } },
  };
  const once = withRemoteSpec(own, { prefixes, spec }) as any; // `any`: a document
  assert.deepEqual(once.paths["/apis/g/v1/"], get("Pod_v2"));
  assert.deepEqual(once.definitions.Pod_v2, { type: "object", properties: { metadata: ref("Meta_v2") } });
  assert.deepEqual(once.definitions.Pod, own.definitions.Pod);
  const other = { ...spec, paths: { "/apis/g/v2/": get("Meta") }, definitions: { Meta: { type: "boolean" } } };
  const twice = withRemoteSpec(once, { prefixes: ["/apis/g/v2/"], spec: other }) as any; // `any`: a document
  assert.deepEqual(twice.definitions.Meta_v3, { type: "boolean" });
});

test("withRemoteSpec() gives other names to all of a long chain of definitions whose last one differs", () => {
  const length = 20_000, name = (index: number) => `S${index}`;
  const chain = (last: string) =>
    Object.fromEntries(
      Array.from({ length }, (_, index) => [name(index), index + 1 < length ? ref(name(index + 1)) : { type: last }]),
    );
  const before = { paths: {}, definitions: chain("string") };
  const merged = withRemoteSpec(before, { prefixes, spec: { paths: { "/apis/g/v1/": get(name(0)) }, definitions: chain("integer") } });
  assert.equal(Object.keys(merged["definitions"] as object).length, 2 * length);
  assert.deepEqual((merged["definitions"] as any)[`${name(length - 2)}_v2`], ref(`${name(length - 1)}_v2`));
});

test("withRemoteSpec() takes documents that refer to themselves, to nothing, and to names of JavaScript", () => {
  const spec = {
    paths: { "/apis/g/v1/": { a: ref("Self"), b: ref("missing"), c: ref("constructor"), d: { $ref: "#/paths/x" }, e: { $ref: 5 } } },
    definitions: { Self: { properties: { again: ref("Self") } } },
  };
  const { definitions } = withRemoteSpec(own, { prefixes, spec: spec as any }) as any; // `any`: a wrong reference
  assert.deepEqual(Object.keys(definitions), ["Meta", "Pod", "Self", "Status"]);
  assert.deepEqual(withRemoteSpec(own, { prefixes, spec: { paths: 5, definitions: null } }), own);
});
