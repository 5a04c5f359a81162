// In Deno's suite only: the rules use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServedVersion } from "../../core/controller.ts";
import { StatusError } from "../../core/status-error.ts";
import { fakeApi, fakeContext } from "../../testing.ts";
import { registration } from "./autoregister.ts";
import { localCondition } from "./available.ts";

const label = "kube-aggregator.kubernetes.io/automanaged";
const available = { conditions: [localCondition("2026-01-01T00:00:00Z")] };
const versions: readonly ServedVersion[] = [
  { group: "", version: "v1", groupPriority: 18_000, isCustom: false },
  { group: "apps", version: "v1", groupPriority: 17_800, isCustom: false },
  { group: "apiregistration.k8s.io", version: "v1", groupPriority: 20_000, isCustom: false },
  { group: "example.com", version: "v1", groupPriority: 1_000, isCustom: true },
];
const stored = (name: string, managed: string | undefined, groupPriorityMinimum: number, status: object = available) => {
  const [version, group] = name.split(/\.(.*)/);
  return {
    metadata: { name, uid: `uid of ${name}`, ...(managed === undefined ? {} : { labels: { [label]: managed } }) },
    spec: { group, version, groupPriorityMinimum, versionPriority: group === "" ? 1 : 15 },
    status,
  };
};

/** Runs the hook on these objects, and resolves with what it has written; then, if it rejects, the reason. */
async function written(items: readonly object[], createdBefore = false): Promise<readonly string[]> {
  const done: string[] = [], there: object[] = [...items];
  const api = fakeApi({
    collections: () => [{ groupVersion: "apiregistration.k8s.io/v1", resource: "apiservices", kind: "APIService", namespaced: false }],
    list: async () => ({ metadata: {}, items: [...there] }) as any, // `any`: objects as an API has them
    async create(_version, _resource, _namespace, object: any) {
      done.push(`create ${object.metadata.name} ${object.metadata.labels[label]} ${object.spec.groupPriorityMinimum}`);
      if (createdBefore) throw new StatusError("AlreadyExists", "another server was faster");
      there.push({ ...object, status: available });
      return { ...object, status: available };
    },
    async update(_version, _resource, _namespace, name, object: any) {
      done.push(`update ${name} ${object.spec.groupPriorityMinimum}`);
      return object;
    },
    async delete(_version, _resource, _namespace, name, options: any) { // `any`: the options of the API
      done.push(`delete ${name} ${options?.preconditions?.uid}`);
      return {} as any; // `any`: not looked at
    },
  });
  const types = { versions: () => versions, resources: () => [], schemaOf: () => undefined, stored: () => [] };
  const context = fakeContext({ api, types });
  await registration.run(context, new AbortController().signal).catch((error: Error) => done.push(error.message));
  return done;
}

test("the own group versions are registered at the start, and nothing is written if all are there", async () => {
  assert.deepEqual(await written([]), ["create v1. onstart 18000", "create v1.apps onstart 17800"]);
  assert.deepEqual(await written([stored("v1.", "onstart", 18_000), stored("v1.apps", "onstart", 17_800)]), []);
});

test("an own APIService with the label is corrected, and one without belongs to its user", async () => {
  const others = [stored("v1.", "onstart", 18_000)];
  for (const managed of ["onstart", "true"]) {
    assert.deepEqual(await written([...others, stored("v1.apps", managed, 5)]), ["update v1.apps 17800"]);
  }
  assert.deepEqual(await written([...others, stored("v1.apps", undefined, 5)]), []);
});

test("an APIService of a group version that is served no longer is deleted unless it belongs to a user or to definitions", async () => {
  const own = [stored("v1.", "onstart", 18_000), stored("v1.apps", "onstart", 17_800)];
  assert.deepEqual(
    await written([...own, stored("v9.apps", "onstart", 5), stored("v8.apps", undefined, 5), stored("v1.example.com", "true", 1_000)]),
    ["delete v9.apps uid of v9.apps"],
  );
});

test("the registration is not complete while an own APIService is absent or not available", async () => {
  const missing = "missing APIService: [v1.apps]";
  assert.deepEqual(await written([stored("v1.", "onstart", 18_000)], true), ["create v1.apps onstart 17800", missing]);
  const absent = { conditions: [{ ...localCondition("2026-01-01T00:00:00Z"), status: "False" }] };
  assert.deepEqual(await written([stored("v1.", "onstart", 18_000), stored("v1.apps", undefined, 5, absent)]), [missing]);
});
