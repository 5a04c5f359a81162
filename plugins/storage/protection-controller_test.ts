import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import type { Api, Controller, ControllerContext } from "../../core/plugin.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { conflictError } from "../../core/status-error.ts";
import { attributesClassProtection, claimProtection, volumeProtection } from "./protection-controller.ts";

type Change = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject };
interface Seen {
  readonly changes: Readonly<Record<string, readonly Change[]>>;
  readonly listed?: Readonly<Record<string, readonly unknown[]>>;
  readonly refuses?: Error;
}

/** What the controller writes while it sees these changes: `resource/name: finalizers`. Watches end with the test. */
async function written(
  controller: Controller,
  { changes, listed = {}, refuses }: Seen,
  more: Partial<Api> = {},
): Promise<readonly string[]> {
  const writes: string[] = [];
  const done = new AbortController();
  const unused = () => assert.fail("not called");
  const api: Api = {
    get: unused,
    create: unused,
    delete: unused,
    deleteCollection: unused,
    collections: unused,
    list: (_groupVersion, resource) =>
      Promise.resolve({ metadata: { resourceVersion: "1" }, items: (listed[resource] ?? []) as readonly ApiObject[] }), // what the test says
    update: (_groupVersion, resource, _namespace, name, object) => {
      const { finalizers = [] } = (object as ApiObject).metadata; // what the controller writes
      writes.push(`${resource}/${name}: ${finalizers.join(",")}`);
      return refuses === undefined ? Promise.resolve(object as ApiObject) : Promise.reject(refuses);
    },
    async *watch(_groupVersion, resource) {
      yield* changes[resource] ?? [];
    },
    ...more,
  };
  const world: ControllerContext = { names: defaultNames, api };
  await controller.run(world, done.signal);
  return writes;
}

const going = { deletionTimestamp: "2024-01-02T03:04:05Z" };
const object = (name: string, finalizers: readonly string[], rest: object = {}, metadata: object = {}): ApiObject =>
  ({ kind: "", apiVersion: "", metadata: { name, finalizers, ...metadata }, spec: {}, status: {}, ...rest }) as ApiObject; // enough of one
const added = (each: ApiObject): Change => ({ type: "ADDED", object: each });
const pv = "kubernetes.io/pv-protection", pvc = "kubernetes.io/pvc-protection", vac = "kubernetes.io/vac-protection";

test("volumes that go lose their finalizer unless they are bound, and others get it back", async () => {
  const bound = { status: { phase: "Bound" } }, released = { status: { phase: "Released" } };
  const persistentvolumes = [
    added(object("kept", [pv])),
    added(object("bare", ["a.b/c"])),
    added(object("in-use", [pv], bound, going)),
    added(object("free", ["a.b/c", pv], released, going)),
    added(object("held", ["a.b/c"], released, going)),
    { type: "DELETED", object: object("gone", []) } as const,
  ];
  assert.deepEqual(await written(volumeProtection, { changes: { persistentvolumes } }), [
    `persistentvolumes/bare: a.b/c,${pv}`,
    "persistentvolumes/free: a.b/c",
  ]);
});

test("claims that go lose their finalizer, bound or not", async () => {
  const persistentvolumeclaims = [added(object("one", [pvc], { status: { phase: "Bound" } }, going)), added(object("two", []))];
  assert.deepEqual(await written(claimProtection, { changes: { persistentvolumeclaims } }), [
    "persistentvolumeclaims/one: ",
    `persistentvolumeclaims/two: ${pvc}`,
  ]);
});

test("attributes classes that go wait for the claims and volumes that name them, and get nothing back", async () => {
  const volumeattributesclasses = [added(object("gold", [vac], {}, going)), added(object("bare", []))];
  const naming = { status: { currentVolumeAttributesClassName: "gold" }, spec: {} };
  const seen = { changes: { volumeattributesclasses } };
  assert.deepEqual(await written(attributesClassProtection, seen), ["volumeattributesclasses/gold: "]);
  assert.deepEqual(await written(attributesClassProtection, { ...seen, listed: { persistentvolumeclaims: [naming] } }), []);
  assert.deepEqual(
    await written(attributesClassProtection, { ...seen, listed: { persistentvolumes: [{ spec: { volumeAttributesClassName: "gold" } }] } }),
    [],
  );
});

test("an attributes class that is named no more while it is looked at goes, too", async () => {
  const change = Promise.withResolvers<void>();
  let lists = 0;
  const page = (items: readonly ApiObject[]) => ({ metadata: { resourceVersion: "1" }, items });
  const naming = object("claim", [], { status: { currentVolumeAttributesClassName: "gold" } });
  const writes = await written(attributesClassProtection, { changes: {} }, {
    async list(_groupVersion, resource) {
      if (resource !== "persistentvolumeclaims" || ++lists > 1) return page([]);
      change.resolve();
      for (let turn = 0; turn < 50; turn++) await undefined; // the change is seen meanwhile
      return page([naming]);
    },
    async *watch(_groupVersion, resource) {
      if (resource === "volumeattributesclasses") yield added(object("gold", [vac], {}, going));
      if (resource !== "persistentvolumeclaims") return;
      await change.promise;
      yield { type: "MODIFIED", object: object("claim", []) };
    },
  });
  assert.deepEqual(writes, ["volumeattributesclasses/gold: "]);
});

test("a newer state of an attributes class that came while the older one was settled goes on waiting", async () => {
  const steps = { first: Promise.withResolvers<void>(), update: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  const settled = async () => {
    for (let turn = 0; turn < 50; turn++) await undefined; // what was read is acted upon
  };
  const conflict = conflictError({ group: "", name: "volumeattributesclasses" }, "gold", "changed");
  const naming = object("claim", [], { status: { currentVolumeAttributesClassName: "gold" } });
  let looks = 0;
  const updates: ApiObject[] = [];
  await written(attributesClassProtection, { changes: {} }, {
    list(_groupVersion, resource) {
      const look = resource === "persistentvolumeclaims" ? ++looks : 0;
      if (look === 1) steps.first.resolve();
      if (look === 3) steps.second.resolve();
      return Promise.resolve({ metadata: { resourceVersion: "1" }, items: look === 1 || look === 3 ? [naming] : [] });
    },
    async update(_groupVersion, _resource, _namespace, _name, next) {
      updates.push(next as ApiObject); // what the controller writes
      if (updates.length > 1) return next as ApiObject;
      steps.update.resolve();
      await steps.second.promise;
      await settled();
      throw conflict;
    },
    async *watch(_groupVersion, resource) {
      if (resource === "volumeattributesclasses") {
        yield added(object("gold", [vac], {}, { ...going, resourceVersion: "1" }));
        await steps.update.promise;
        yield { type: "MODIFIED", object: object("gold", [vac], {}, { ...going, resourceVersion: "2" }) };
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

test("a conflict is left to the newer state that the watch brings, another refusal ends the run", async () => {
  const persistentvolumeclaims = [added(object("one", [pvc], {}, going))];
  const conflict = conflictError({ group: "", name: "persistentvolumeclaims" }, "one", "changed");
  assert.equal((await written(claimProtection, { changes: { persistentvolumeclaims }, refuses: conflict })).length, 1);
  await assert.rejects(
    written(claimProtection, { changes: { persistentvolumeclaims }, refuses: new Error("store is gone") }),
    /store is gone/,
  );
});
