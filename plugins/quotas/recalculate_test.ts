import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { fakeApi } from "../../testing/fakes.ts";
import { type ApiObject, notFoundError } from "../../plugin.ts";
import type { Amounts } from "./amounts.ts";
import type { ResourceQuota } from "./quota-schema.ts";
import { recalculate, type Recalculation } from "./recalculate.ts";
import { objectOf, quotaOf } from "./test-quota.ts";
import { usageOf } from "./usage.ts";

/** A namespace with this quota and these objects by resource. */
function namespaceOf(quota: ResourceQuota | undefined, objects: Readonly<Record<string, readonly ApiObject[]>>, settled = true) {
  const writes: ResourceQuota[] = [], chunks: string[] = [];
  const api = fakeApi({
    get: () => quota === undefined ? Promise.reject(notFoundError({ group: "", name: "resourcequotas" }, "q")) : Promise.resolve(quota),
    list: async (_groupVersion, resource, _namespace, query = {}) => {
      if (resource === "configmaps" && "fails" in objects) throw new Error("they cannot be read");
      const all = objects[resource] ?? [], limit = Number(query["limit"]);
      chunks.push(`${resource} ${query["limit"]}`);
      return await Promise.resolve({
        metadata: { resourceVersion: "9", ...all.length > limit ? { remainingItemCount: all.length - limit } : {} },
        items: all.slice(0, limit),
      });
    },
    update: async (_groupVersion, _resource, _namespace, _name, object, options) => {
      assert.equal(options?.subresource, "status");
      writes.push(object as ResourceQuota);
      return await Promise.resolve(object as ResourceQuota);
    },
  });
  const counted = ["secrets", "configmaps", "persistentvolumeclaims"].map((resource) => ({
    collection: { groupVersion: "v1" as const, resource, kind: resource, namespaced: true },
    usage: usageOf("", resource, { names: defaultNames, gates: () => true, seconds: () => 0 })!,
  }));
  const at: Recalculation = { api, names: defaultNames, counted, isSettled: () => settled };
  return { run: () => recalculate("shop", "q", at), writes, chunks };
}
const secrets = (number: number) => ({ secrets: Array.from({ length: number }, (_, i) => objectOf(`s${i}`)) });
const withUsage = (used: Amounts | undefined, hard: Amounts = { secrets: "5" }) => quotaOf("q", hard, used);

test("recalculate() counts objects by one chunk of a list, and writes limits and usage", async () => {
  const { run, writes, chunks } = namespaceOf(
    withUsage(undefined, { secrets: "5", "count/secrets": "5", pods: "1", "count/nothing.example.com": "1" }),
    secrets(3),
  );
  assert.equal(await run(), "done");
  assert.deepEqual(chunks, ["secrets 1"]);
  const hard = { secrets: "5", "count/secrets": "5", pods: "1", "count/nothing.example.com": "1" };
  assert.deepEqual(writes.map(({ status }) => status), [{ hard, used: { pods: "0", "count/secrets": "3", secrets: "3" } }]);
});

test("recalculate() keeps the usage of objects that cannot be read, writes that of the others, and names the former", async () => {
  const used = { secrets: "1", configmaps: "4" };
  const { run, writes } = namespaceOf(withUsage(used, { secrets: "5", configmaps: "5" }), { ...secrets(3), fails: [] });
  await assert.rejects(run(), { message: "configmaps of v1: they cannot be read" });
  assert.deepEqual(writes.map(({ status }) => status.used), [{ secrets: "3", configmaps: "4" }]);
});

test("recalculate() writes nothing if nothing changes, and nothing for a deleted quota", async () => {
  const same = namespaceOf(withUsage({ secrets: "3" }), secrets(3));
  assert.equal(await same.run(), "done");
  const gone = namespaceOf(undefined, {});
  assert.equal(await gone.run(), "done");
  assert.deepEqual([same.writes, gone.writes], [[], []]);
});

test("recalculate() does not lower the usage while a charged create may not have been stored", async () => {
  const early = namespaceOf(withUsage({ secrets: "5" }), secrets(4), false);
  assert.equal(await early.run(), "unsettled");
  assert.deepEqual(early.writes, []);
  const later = namespaceOf(withUsage({ secrets: "5" }), secrets(4));
  assert.equal(await later.run(), "done");
  assert.deepEqual(later.writes.map(({ status }) => status.used), [{ secrets: "4" }]);
});

test("recalculate() raises the usage at once", async () => {
  const { run, writes } = namespaceOf(withUsage({ secrets: "3" }), secrets(4), false);
  assert.equal(await run(), "done");
  assert.deepEqual(writes.map(({ status }) => status.used), [{ secrets: "4" }]);
});

test("recalculate() adds up the claims in the scopes of the quota", async () => {
  const claim = (storage: string, name?: string) =>
    objectOf(storage, { spec: { resources: { requests: { storage } }, ...name === undefined ? {} : { volumeAttributesClassName: name } } });
  const objects = { persistentvolumeclaims: [claim("1Gi", "gold"), claim("2Gi", "gold"), claim("4Gi")] };
  const limited = { "requests.storage": "9Gi", persistentvolumeclaims: "9", configmaps: "9" };
  const scoped = namespaceOf(quotaOf("q", limited, undefined, { scopes: ["VolumeAttributesClass"] }), {
    ...objects,
    configmaps: [objectOf("a")],
  });
  await scoped.run();
  assert.deepEqual(scoped.writes[0]?.status.used, { configmaps: "0", persistentvolumeclaims: "2", "requests.storage": "3Gi" });
  const whole = namespaceOf(quotaOf("q", limited, undefined), objects);
  await whole.run();
  assert.deepEqual(whole.writes[0]?.status.used, { configmaps: "0", persistentvolumeclaims: "3", "requests.storage": "7Gi" });
});

test("recalculate() keeps the usage of limits that it cannot count, and drops that of names without a limit", async () => {
  const { run, writes } = namespaceOf(withUsage({ "example.com/gpu": "7", configmaps: "2" }, { "example.com/gpu": "9" }), {});
  await run();
  assert.deepEqual(writes.map(({ status }) => status.used), [{ "example.com/gpu": "7" }]);
});
