import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api } from "../../core/api.ts";
import type { Controller } from "../../core/controller.ts";
import { fakeApi, fakeContext } from "../../testing/fakes.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { conflictError } from "../../core/status-error.ts";
import { attributesClassProtection, claimProtection, volumeProtection } from "./protection-controller.ts";

type Change = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject };
interface FakeCluster {
  readonly changes: Readonly<Record<string, readonly Change[]>>;
  readonly listed?: Readonly<Record<string, readonly unknown[]>>;
  readonly updateError?: Error;
}

/** Runs the controller with these watch events and returns its writes as `resource/name: finalizers`. Watches end with the test. */
async function written(
  controller: Controller,
  { changes, listed = {}, updateError }: FakeCluster,
  more: Partial<Api> = {},
): Promise<readonly string[]> {
  const writes: string[] = [];
  const done = new AbortController();
  const api = fakeApi({
    list: (_groupVersion, resource) =>
      Promise.resolve({ metadata: { resourceVersion: "1" }, items: (listed[resource] ?? []) as readonly ApiObject[] }), // `as`: partial objects
    update: (_groupVersion, resource, _namespace, name, object) => {
      const { finalizers = [] } = (object as ApiObject).metadata; // `as`: the controller writes objects
      writes.push(`${resource}/${name}: ${finalizers.join(",")}`);
      return updateError === undefined ? Promise.resolve(object as ApiObject) : Promise.reject(updateError);
    },
    async *watch(_groupVersion, resource) {
      yield* changes[resource] ?? [];
    },
    ...more,
  });
  const context = fakeContext({ api });
  await controller.run(context, done.signal);
  return writes;
}

const terminating = { deletionTimestamp: "2024-01-02T03:04:05Z" };
const object = (name: string, finalizers: readonly string[], rest: object = {}, metadata: object = {}): ApiObject =>
  ({ kind: "", apiVersion: "", metadata: { name, finalizers, ...metadata }, spec: {}, status: {}, ...rest }) as ApiObject; // `as`: a partial object
const added = (each: ApiObject): Change => ({ type: "ADDED", object: each });
const pv = "kubernetes.io/pv-protection", pvc = "kubernetes.io/pvc-protection", vac = "kubernetes.io/vac-protection";

test("terminating volumes lose their finalizer unless they are bound; others get a missing one", async () => {
  const bound = { status: { phase: "Bound" } }, released = { status: { phase: "Released" } };
  const persistentvolumes = [
    added(object("kept", [pv])),
    added(object("bare", ["a.b/c"])),
    added(object("in-use", [pv], bound, terminating)),
    added(object("free", ["a.b/c", pv], released, terminating)),
    added(object("held", ["a.b/c"], released, terminating)),
    { type: "DELETED", object: object("gone", []) } as const,
  ];
  assert.deepEqual(await written(volumeProtection, { changes: { persistentvolumes } }), [
    `persistentvolumes/bare: a.b/c,${pv}`,
    "persistentvolumes/free: a.b/c",
  ]);
});

test("terminating claims lose their finalizer, bound or not", async () => {
  const persistentvolumeclaims = [added(object("one", [pvc], { status: { phase: "Bound" } }, terminating)), added(object("two", []))];
  assert.deepEqual(await written(claimProtection, { changes: { persistentvolumeclaims } }), [
    "persistentvolumeclaims/one: ",
    `persistentvolumeclaims/two: ${pvc}`,
  ]);
});

test("terminating attributes classes keep their finalizer while they are referenced; a missing one is not added", async () => {
  const volumeattributesclasses = [added(object("gold", [vac], {}, terminating)), added(object("bare", []))];
  const referring = { status: { currentVolumeAttributesClassName: "gold" }, spec: {} };
  const cluster = { changes: { volumeattributesclasses } };
  assert.deepEqual(await written(attributesClassProtection, cluster), ["volumeattributesclasses/gold: "]);
  assert.deepEqual(await written(attributesClassProtection, { ...cluster, listed: { persistentvolumeclaims: [referring] } }), []);
  assert.deepEqual(
    await written(attributesClassProtection, {
      ...cluster,
      listed: { persistentvolumes: [{ spec: { volumeAttributesClassName: "gold" } }] },
    }),
    [],
  );
});

test("an attributes class loses its finalizer if the last reference is removed during the check", async () => {
  const change = Promise.withResolvers<void>();
  let lists = 0;
  const page = (items: readonly ApiObject[]) => ({ metadata: { resourceVersion: "1" }, items });
  const referring = object("claim", [], { status: { currentVolumeAttributesClassName: "gold" } });
  const writes = await written(attributesClassProtection, { changes: {} }, {
    async list(_groupVersion, resource) {
      if (resource !== "persistentvolumeclaims" || ++lists > 1) return page([]);
      change.resolve();
      for (let turn = 0; turn < 50; turn++) await undefined; // the watch event arrives meanwhile
      return page([referring]);
    },
    async *watch(_groupVersion, resource) {
      if (resource === "volumeattributesclasses") yield added(object("gold", [vac], {}, terminating));
      if (resource !== "persistentvolumeclaims") return;
      await change.promise;
      yield { type: "MODIFIED", object: object("claim", []) };
    },
  });
  assert.deepEqual(writes, ["volumeattributesclasses/gold: "]);
});

test("a newer version of an attributes class that arrives during the reconciliation of the older one keeps waiting", async () => {
  const steps = { first: Promise.withResolvers<void>(), update: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  const settled = async () => {
    for (let turn = 0; turn < 50; turn++) await undefined; // the controller processes the response
  };
  const conflict = conflictError({ group: "", name: "volumeattributesclasses" }, "gold", "changed");
  const referring = object("claim", [], { status: { currentVolumeAttributesClassName: "gold" } });
  let lists = 0;
  const updates: ApiObject[] = [];
  await written(attributesClassProtection, { changes: {} }, {
    list(_groupVersion, resource) {
      const count = resource === "persistentvolumeclaims" ? ++lists : 0;
      if (count === 1) steps.first.resolve();
      if (count === 3) steps.second.resolve();
      return Promise.resolve({ metadata: { resourceVersion: "1" }, items: count === 1 || count === 3 ? [referring] : [] });
    },
    async update(_groupVersion, _resource, _namespace, _name, next) {
      updates.push(next as ApiObject); // `as`: the controller writes objects
      if (updates.length > 1) return next as ApiObject;
      steps.update.resolve();
      await steps.second.promise;
      await settled();
      throw conflict;
    },
    async *watch(_groupVersion, resource) {
      if (resource === "volumeattributesclasses") {
        yield added(object("gold", [vac], {}, { ...terminating, resourceVersion: "1" }));
        await steps.update.promise;
        yield { type: "MODIFIED", object: object("gold", [vac], {}, { ...terminating, resourceVersion: "2" }) };
      }
      if (resource !== "persistentvolumeclaims") return;
      await steps.first.promise;
      await settled();
      yield { type: "DELETED", object: object("claim", []) };
      yield { type: "DELETED", object: object("claim", []) };
    },
  });
  assert.deepEqual(updates.map(({ metadata }) => metadata.resourceVersion), ["1", "2"]);
});

test("the controller ignores a conflict and rejects with any other error", async () => {
  const persistentvolumeclaims = [added(object("one", [pvc], {}, terminating))];
  const conflict = conflictError({ group: "", name: "persistentvolumeclaims" }, "one", "changed");
  assert.equal((await written(claimProtection, { changes: { persistentvolumeclaims }, updateError: conflict })).length, 1);
  await assert.rejects(
    written(claimProtection, { changes: { persistentvolumeclaims }, updateError: new Error("store is gone") }),
    /store is gone/,
  );
});
