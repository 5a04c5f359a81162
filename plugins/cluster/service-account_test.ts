import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { untilAborted } from "../../core/async.ts";
import { fakeApi, fakeContext } from "../../testing/fakes.ts";
import { noMetric } from "../../core/test-context.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { alreadyExistsError, forbiddenError, internalError, notFoundError } from "../../core/status-error.ts";
import { serviceAccountController } from "./service-account-controller.ts";
import { serviceAccounts } from "./service-account.ts";

const at: HookContext = {
  names: defaultNames,
  gates: () => false,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: "v1",
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
const metadata = { name: "one", namespace: "demo", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z" };
const make = (rest: object = {}) => ({ kind: "ServiceAccount", apiVersion: "v1", metadata, ...rest });

test("prepare() keeps only the names of a ServiceAccount's secrets", () => {
  const sent = make({ secrets: [{ name: "b", kind: "Secret", uid: "x" }, { name: "a" }, {}] });
  assert.deepEqual(serviceAccounts.prepare?.(sent, undefined, at), make({ secrets: [{ name: "b" }, { name: "a" }, {}] }));
  const clean = make({ secrets: [{ name: "a" }], imagePullSecrets: [{ name: "c" }, {}] });
  assert.equal(serviceAccounts.prepare?.(clean, undefined, at), clean);
});

test("an update of a ServiceAccount reports metadata errors twice", () => {
  const next = make({ metadata: { ...metadata, finalizers: ["bare"] } });
  assert.deepEqual(serviceAccounts.update?.(next, make(), at).map((error) => error.path), [
    "metadata.finalizers[0]",
    "metadata.finalizers[0]",
  ]);
});

test("a ServiceAccount with a deprecated annotation gives a warning only if the annotation is new", () => {
  const old = make({ metadata: { ...metadata, annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } } });
  const texts = [
    "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets",
  ];
  assert.deepEqual(serviceAccounts.warn?.(old, undefined, at), texts);
  assert.deepEqual(serviceAccounts.warn?.(old, make(), at), texts);
  assert.deepEqual(serviceAccounts.warn?.(old, old, at), []);
  assert.deepEqual(serviceAccounts.warn?.(make(), undefined, at), []);
});

const namespace = (name: string, more: object = {}): ApiObject => ({ kind: "Namespace", apiVersion: "v1", metadata: { name, ...more } });
type Change = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject };

/** Runs the controller with these watch events until it has tried `attempts` creations; returns the namespaces in which it created the account. */
async function madeBy(
  changes: Record<string, readonly Change[]>,
  attempts: number,
  create: (namespace: string) => void = () => {},
  existing: readonly string[] = [],
): Promise<readonly string[]> {
  const made: string[] = [], ended = new AbortController();
  let tried = 0;
  const api = fakeApi({
    create: async (_groupVersion, resource, into, object) => {
      assert.deepEqual([resource, object], ["serviceaccounts", { metadata: { name: "default" } }]);
      if (++tried === attempts) ended.abort();
      create(into);
      made.push(into);
      return namespace(into);
    },
    get: (_groupVersion, _resource, into) =>
      existing.includes(into)
        ? Promise.resolve(namespace(into))
        : Promise.reject(notFoundError({ group: "", name: "serviceaccounts" }, "default")),
    watch: async function* (_groupVersion, resource, _namespace, _query, signal, _scope, synced) {
      yield* changes[resource] ?? [];
      synced?.();
      await untilAborted(signal);
    },
  });
  await serviceAccountController.run(fakeContext({ api }), ended.signal);
  return made;
}

test("the controller creates the account in every active namespace, and recreates a deleted one", async () => {
  const changes = {
    namespaces: [
      { type: "ADDED", object: namespace("one") },
      { type: "MODIFIED", object: namespace("one") },
      { type: "ADDED", object: namespace("ending", { deletionTimestamp: "2024-01-02T03:04:05Z" }) },
    ],
    serviceaccounts: [
      { type: "ADDED", object: make({ metadata: { name: "default", namespace: "two" } }) },
      { type: "DELETED", object: make({ metadata: { name: "default", namespace: "two" } }) },
    ],
  } as const;
  assert.deepEqual((await madeBy(changes, 2)).toSorted(), ["one", "two"]);
});

test("the controller does not try to create the accounts that are there when it starts", async () => {
  const changes = {
    namespaces: [{ type: "ADDED", object: namespace("one") }, { type: "ADDED", object: namespace("two") }],
    serviceaccounts: [{ type: "ADDED", object: make({ metadata: { name: "default", namespace: "one" } }) }],
  } as const;
  assert.deepEqual(await madeBy(changes, 1), ["two"]);
});

test("the controller ignores existing accounts and terminating namespaces", async () => {
  const changes = { namespaces: [{ type: "ADDED", object: namespace("one") }, { type: "ADDED", object: namespace("two") }] } as const;
  const accounts = { group: "", name: "serviceaccounts" };
  for (
    const error of [alreadyExistsError(accounts, "default"), notFoundError(accounts, "one"), forbiddenError(accounts, "default", "ending")]
  ) {
    assert.deepEqual(await madeBy(changes, 2, (into) => into === "one" && assert.fail(error)), ["two"]);
  }
});

test("a creation that fails is retried, and does not hold other namespaces", async () => {
  const changes = { namespaces: [{ type: "ADDED", object: namespace("one") }, { type: "ADDED", object: namespace("two") }] } as const;
  let failures = 0;
  const made = await madeBy(changes, 4, (into) => into === "one" && failures++ < 2 && assert.fail(internalError("failed calling webhook")));
  assert.deepEqual([made, failures], [["two", "one"], 3]);
  // An account that exists needs no other attempt.
  const broken = () => assert.fail(internalError("failed calling webhook"));
  assert.deepEqual(await madeBy(changes, 2, broken, ["one", "two"]), []);
});
