// The quota controller follows many collections and quotas: each is made to fail in turn, and the others go on.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api } from "../../core/api.ts";
import { fakeApi, fakeContext } from "../../testing/fakes.ts";
import { quotaController } from "./controller.ts";
import type { ResourceQuota } from "./quota-schema.ts";
import { quotaOf } from "./test-quota.ts";

const resources = ["configmaps", "secrets", "persistentvolumeclaims"], namespaces = ["one", "two", "three"];
const hard = { configmaps: "9", secrets: "9", persistentvolumeclaims: "9" };
const untilAborted = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

/** What fails. `watch` throws for a resource that cannot be watched. */
interface Faults extends Partial<Pick<Api, "list" | "update">> {
  readonly watch?: (resource: string) => void;
}

/** Runs the controller with a quota in each namespace until `isDone`, with faults in the API. */
async function run(
  faults: Faults,
  isDone: (seen: { readonly written: ReadonlySet<string>; readonly logged: readonly string[] }) => boolean,
) {
  const written = new Set<string>(), watched = new Set<string>(), logged: string[] = [], ending = new AbortController();
  const enough = () => isDone({ written, logged }) && ending.abort();
  const quotas = new Map(namespaces.map((namespace): readonly [string, ResourceQuota] => {
    const quota = quotaOf("q", hard, undefined);
    return [namespace, { ...quota, metadata: { ...quota.metadata, namespace } }];
  }));
  const api: Api = fakeApi({
    collections: () => resources.map((resource) => ({ groupVersion: "v1", resource, kind: resource, namespaced: true })),
    async *followCollections(_verb, signal) {
      yield [];
      await untilAborted(signal!);
    },
    async *watch(_groupVersion, resource, _namespace, _query, signal, _scope, synced) {
      if (resource === "resourcequotas") { for (const object of quotas.values()) yield { type: "ADDED", object }; }
      else {
        faults.watch?.(resource);
        watched.add(resource);
        synced?.();
      }
      await untilAborted(signal!);
    },
    get: (_groupVersion, _resource, namespace) => Promise.resolve(quotas.get(namespace)!),
    list: (groupVersion, resource, namespace, query) =>
      faults.list?.(groupVersion, resource, namespace, query) ?? Promise.resolve({ metadata: { resourceVersion: "1" }, items: [] }),
    async update(groupVersion, resource, namespace, name, object, options) {
      await faults.update?.(groupVersion, resource, namespace, name, object, options);
      const next = object as ResourceQuota; // the controller writes quotas
      quotas.set(namespace, next);
      for (const key of Object.keys(next.status.used ?? {})) written.add(`${namespace} ${key}`);
      enough();
      return next;
    },
  });
  const logError = (sentence: string, error?: unknown) => {
    logged.push(`${sentence} ${error instanceof Error ? error.message : error}`);
    enough();
  };
  await quotaController.run(fakeContext({ api, logError, gates: () => false }), ending.signal);
  return { written, watched, logged };
}
const everything = namespaces.flatMap((namespace) => resources.map((resource) => `${namespace} ${resource}`));

test("a kind that cannot be watched is named, and the usage of all kinds is written; the watches of the others stay open", async () => {
  for (const broken of resources) {
    const { watched, logged } = await run({
      watch(resource) {
        if (resource === broken) throw new Error("its webhook is down");
      },
    }, ({ written, logged }) => written.size === everything.length && logged.length === namespaces.length);
    assert.deepEqual([...watched].toSorted(), resources.filter((each) => each !== broken).toSorted());
    const line = `${broken} of v1 cannot be watched for quotas: it is tried again, other kinds go on its webhook is down`;
    assert.deepEqual(logged, namespaces.map(() => line));
  }
});

test("a kind that cannot be counted is named, and the usage of the others is written in each quota", async () => {
  for (const broken of resources) {
    const others = everything.filter((each) => !each.endsWith(broken));
    const { written, logged } = await run({
      list: (_groupVersion, resource) =>
        resource === broken
          ? Promise.reject(new Error("its webhook is down"))
          : Promise.resolve({ metadata: { resourceVersion: "1" }, items: [] }),
    }, ({ written, logged }) => written.size === others.length && logged.length === namespaces.length);
    assert.deepEqual([...written].toSorted(), others.toSorted());
    assert.ok(logged.every((each) => each.includes(`${broken} of v1: its webhook is down`)), logged.join("\n"));
  }
});

test("a quota whose status cannot be written is named, and the others are written", async () => {
  for (const broken of namespaces) {
    const others = everything.filter((each) => !each.startsWith(broken));
    const { written, logged } = await run({
      update: (_groupVersion, _resource, namespace, _name, object) =>
        namespace === broken ? Promise.reject(new Error("a webhook refused it")) : Promise.resolve(object as ResourceQuota), // `as`: not used
    }, ({ written, logged }) => written.size === others.length && logged.length > 0);
    assert.deepEqual([...written].toSorted(), others.toSorted());
    assert.ok(logged.every((each) => each.includes(`${broken}/q`) && each.includes("a webhook refused it")), logged.join("\n"));
  }
});
