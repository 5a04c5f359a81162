import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api } from "../../core/api.ts";
import { alreadyExistsError, forbiddenError, internalError, notFoundError } from "../../core/status-error.ts";
import { manualClock } from "../../core/test-clock.ts";
import { fakeApi } from "../../testing/fakes.ts";
import { bootstrapper } from "./bootstrap-objects.ts";

const groupVersion = "example.com/v1", resource = "things";
const seed = (name: string, namespace?: string) => ({
  groupVersion,
  resource,
  ...(namespace === undefined ? {} : { namespace }),
  object: { metadata: { name } },
});
const thing = seed("first");
const absent = notFoundError({ group: "example.com", name: "things" }, "first");

/** A bootstrapper over a fake API. `logged`: its lines. */
function opened(methods: Partial<Api>, isServed?: () => boolean) {
  const logged: string[] = [], clock = manualClock(), ending = new AbortController();
  const log = { error: (message: string) => void logged.push(message) };
  return {
    logged,
    clock,
    ending,
    ...bootstrapper({ api: fakeApi(methods), log, clock, signal: ending.signal, ...(isServed === undefined ? {} : { isServed }) }),
  };
}

test("bootstrapper() accepts a rejection of an object that exists, such as by a webhook that cannot be called", async () => {
  const asked: string[] = [];
  for (const error of [internalError("failed calling webhook"), forbiddenError({ group: "", name: "things" }, "first", "a policy")]) {
    const { create, created, logged } = opened({
      create: () => Promise.reject(error),
      get(groupVersion, resource, namespace, name) {
        asked.push(`${groupVersion} ${resource} ${namespace} ${name}`);
        return Promise.resolve({ kind: "Thing", apiVersion: groupVersion, ...thing.object });
      },
    });
    await create([thing]);
    await created;
    assert.deepEqual(logged, []);
  }
  assert.deepEqual(asked, Array(2).fill("example.com/v1 things  first"));
});

test("an object that cannot be created keeps no other from being created, is logged by name once for each cause, and is tried again", async () => {
  const seeds = [seed("a"), seed("b", "inner"), seed("c")];
  for (const broken of seeds) {
    const { name } = broken.object.metadata, made: string[] = [];
    let error: Error | undefined = internalError("failed calling webhook");
    const tried = Promise.withResolvers<void>();
    let attempts = 0;
    const { create, created, logged, clock } = opened({
      get: () => Promise.reject(absent),
      create(_groupVersion, _resource, _namespace, object) {
        const { name: asked = "" } = (object as { readonly metadata: { readonly name?: string } }).metadata;
        if (asked === name && ++attempts === 3) tried.resolve();
        if (asked === name && error !== undefined) return Promise.reject(error);
        made.push(asked);
        return Promise.resolve({ kind: "Thing", apiVersion: groupVersion, metadata: {} });
      },
    });
    const shown = `the bootstrap object ${name === "b" ? "inner/" : ""}${name} (things of example.com/v1) cannot be created`;
    await assert.rejects(create(seeds), { message: `${shown}: Internal error occurred: failed calling webhook` });
    assert.deepEqual(made, seeds.map(({ object }) => object.metadata.name).filter((each) => each !== name));
    assert.deepEqual(logged, [`${shown}; it is tried again, the others are not affected`]);

    clock.advance(5_000); // the same cause: not logged again
    await turns(() => attempts === 2 && clock.waiting === 1);
    error = undefined;
    clock.advance(5_000);
    await tried.promise;
    await created;
    assert.deepEqual([made.at(-1), made.length, logged.length, clock.waiting], [name, 3, 1, 0]);
  }
});

test("errors that are no Status, and those while the store is down, are treated in the same way; an abort ends the attempts", async () => {
  const { create, created, logged, clock, ending } = opened({
    create: () => Promise.reject(new TypeError("a hook failed")),
    get: () => Promise.reject(new Error("the store is down")),
  });
  void created.then(() => assert.fail("none was created"));
  await assert.rejects(create([thing, seed("second")]), /first .*: a hook failed; .*second .*: a hook failed/);
  assert.equal(logged.length, 2);
  ending.abort();
  await turns(() => clock.waiting === 0);
  await create([thing]);
  assert.equal(logged.length, 2);
});

test("objects of a later configuration replace those that could not be created, and those that exist are not created again", async () => {
  const asked: string[] = [], one = seed("one"), two = seed("two"), three = seed("three");
  const { create, created, clock } = opened({
    get: () => Promise.reject(absent),
    create(_groupVersion, _resource, _namespace, object) {
      const { name = "" } = (object as { readonly metadata: { readonly name?: string } }).metadata;
      asked.push(name);
      return Promise.reject(name === "one" ? internalError("no") : alreadyExistsError({ group: "", name: "things" }, name));
    },
  });
  await assert.rejects(create([one, two]));
  await create([two, three]);
  await created;
  clock.advance(5_000);
  await turns(() => clock.waiting === 0);
  assert.deepEqual(asked, ["one", "two", "three"]);
});

/** Waits for a state that other promises bring about. */
async function turns(is: () => boolean): Promise<void> {
  for (let turn = 0; !is(); turn++) {
    assert.ok(turn < 1000, "not reached");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("an object whose resource is no longer served since a reload is not missed", async () => {
  let isServed = true;
  const { create, created, logged } = opened({
    get: () => Promise.reject(absent),
    create() {
      isServed = false;
      return Promise.reject(absent);
    },
  }, () => isServed);
  await create([thing]);
  await created;
  assert.deepEqual(logged, []);
});
