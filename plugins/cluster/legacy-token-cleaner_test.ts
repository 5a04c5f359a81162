import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { notFoundError } from "../../core/status-error.ts";
import { fakeApi, fakeContext } from "../../testing/fakes.ts";
import { cleanTokens } from "./legacy-token-cleaner.ts";
import { dayOf, legacyTokenTracking, parseDay, trackingMap } from "./legacy-token-tracking.ts";

const now = Date.UTC(2026, 10, 23, 12), day = 86_400_000, year = 365 * day;
const used = "kubernetes.io/legacy-token-last-used", invalid = "kubernetes.io/legacy-token-invalid-since";
const ago = (ms: number): string => dayOf(now - ms);

interface Given {
  readonly labels?: Readonly<Record<string, string>>;
  readonly created?: number;
  readonly since?: string | undefined;
  readonly account?: object | undefined;
  readonly more?: object;
}

/** The changes to a Secret that its account lists. */
async function outcome({ labels = {}, created = 3 * year, more = {}, ...given }: Given) {
  const since = "since" in given ? given.since : ago(2 * year),
    account = "account" in given ? given.account : { secrets: [{ name: "tok" }] };
  const done: unknown[] = [];
  const stored: Readonly<Record<string, ApiObject>> = {
    [`configmaps/${trackingMap.name}`]: { kind: "ConfigMap", apiVersion: "v1", metadata: {}, data: { since } } as ApiObject,
    ...(account === undefined
      ? {}
      : { "serviceaccounts/robot": { kind: "ServiceAccount", apiVersion: "v1", metadata: { uid: "u1" }, ...account } as ApiObject }),
  };
  const annotations = { "kubernetes.io/service-account.name": "robot", "kubernetes.io/service-account.uid": "u1" };
  const metadata = {
    name: "tok",
    namespace: "demo",
    uid: "u-tok",
    resourceVersion: "7",
    labels,
    annotations,
    creationTimestamp: new Date(now - created).toISOString(),
    ...more,
  };
  const api = fakeApi({
    get: (_version, resource, _namespace, name) => {
      const found = stored[`${resource}/${name}`];
      return found === undefined ? Promise.reject(notFoundError({ group: "", name: resource }, name)) : Promise.resolve(found);
    },
    list: (_version, resource, namespace, query) => {
      assert.deepEqual([resource, namespace, query?.["fieldSelector"]], ["secrets", "", "type=kubernetes.io/service-account-token"]);
      return Promise.resolve({ metadata: { resourceVersion: "9" }, items: [{ kind: "Secret", apiVersion: "v1", metadata }] });
    },
    patch: (_version, _resource, _namespace, name, patch) => {
      done.push({ patch: name, ...patch });
      return Promise.resolve({ kind: "Secret", apiVersion: "v1", metadata });
    },
    delete: (_version, _resource, _namespace, name, options) => {
      done.push({ delete: name, options });
      return Promise.resolve({});
    },
  });
  await cleanTokens(fakeContext({ api }), now);
  return done[0];
}
const labelled = { patch: "tok", merge: { metadata: { uid: "u-tok", labels: { [invalid]: ago(0) } } } };
const deleted = { delete: "tok", options: { preconditions: { uid: "u-tok", resourceVersion: "7" } } };

test("an unused token is labelled invalid, and its Secret is deleted a year later", async () => {
  assert.deepEqual(await outcome({}), labelled);
  assert.deepEqual(await outcome({ labels: { [used]: ago(year + day) } }), labelled);
  assert.deepEqual(await outcome({ labels: { [invalid]: "no day" } }), labelled);
  assert.equal(await outcome({ labels: { [invalid]: ago(year) } }), undefined, "not yet");
  assert.deepEqual(await outcome({ labels: { [invalid]: ago(year + day) } }), deleted);
  assert.equal(
    await outcome({ labels: { [invalid]: ago(year + day), [used]: ago(day) } }),
    undefined,
    "a use, also a refused one, keeps it",
  );
});

test("a token that is in use, new, not listed by its account or not tracked for long enough is unchanged", async () => {
  const kept: readonly Given[] = [
    { labels: { [used]: ago(year) } },
    { labels: { [used]: "yesterday" } },
    { created: year },
    { more: { deletionTimestamp: "2026-11-23T00:00:00Z" } },
    { more: { annotations: {} } },
    { account: undefined },
    { account: {} },
    { account: { secrets: [{ name: "other" }] } },
    { account: { metadata: { uid: "u2" }, secrets: [{ name: "tok" }] } },
    { since: ago(year) },
    { since: "2026-13-01" },
    { since: undefined },
  ];
  for (const each of kept) assert.equal(await outcome(each), undefined, JSON.stringify(each));
});

test("parseDay() parses days only", () => {
  assert.equal(parseDay("2026-11-23"), Date.UTC(2026, 10, 23));
  for (const other of [undefined, "", "2026-11-31", "2026-1-1", "2026-11-23T00:00:00Z", "abc"]) assert.equal(parseDay(other), undefined);
});

test("the day is stored when its namespace exists, and nothing is logged before", async () => {
  const stop = new AbortController(), created = Promise.withResolvers<void>(), logged: string[] = [];
  let tries = 0;
  const api = fakeApi({
    get: (_version, resource, _namespace, name) => Promise.reject(notFoundError({ group: "", name: resource }, name)),
    create(_version, _resource, namespace, object) {
      if (++tries < 3) return Promise.reject(notFoundError({ group: "", name: "namespaces" }, namespace));
      created.resolve();
      return Promise.resolve(object as ApiObject);
    },
    async *watch(_version, _resource, _namespace, _query, signal) {
      yield* []; // Without an object.
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    },
  });
  const running = legacyTokenTracking.run(fakeContext({ api, logError: (sentence) => logged.push(sentence) }), stop.signal);
  await created.promise;
  stop.abort();
  await running;
  assert.deepEqual([tries, logged], [3, []]);
});

test("the first day of the recording is stored once, and again if it is missing or invalid", async () => {
  const done: string[] = [];
  const world = async (found: object | undefined) => {
    const stop = new AbortController(), worked = Promise.withResolvers<void>();
    const api = fakeApi({
      get: (_version, resource, namespace, name) => {
        assert.deepEqual([resource, namespace, name], ["configmaps", "kube-system", trackingMap.name]);
        worked.resolve();
        return found === undefined
          ? Promise.reject(notFoundError({ group: "", name: resource }, name))
          : Promise.resolve(found as ApiObject);
      },
      create: (_version, _resource, _namespace, object) => {
        done.push(`create ${JSON.stringify((object as { readonly data: object }).data)}`);
        return Promise.resolve(object as ApiObject);
      },
      update: (_version, _resource, _namespace, _name, object) => {
        done.push(`update ${JSON.stringify((object as { readonly data: object }).data)}`);
        return Promise.resolve(object as ApiObject);
      },
      async *watch(_version, _resource, _namespace, _query, signal) {
        yield* []; // Without an object.
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      },
    });
    const running = legacyTokenTracking.run(fakeContext({ api }), stop.signal);
    await worked.promise;
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await running;
    return done.splice(0);
  };
  const today = dayOf(Date.now());
  assert.deepEqual(await world(undefined), [`create {"since":"${today}"}`]);
  assert.deepEqual(await world({ metadata: {}, data: { since: "2024-02-29" } }), []);
  assert.deepEqual(await world({ metadata: {}, data: { since: "soon", more: "kept" } }), [`update {"since":"${today}","more":"kept"}`]);
});

test("a token whose account cannot be read keeps no other from being ended, and is named", async () => {
  const names = ["a", "b", "c"];
  for (const broken of names) {
    const ended: string[] = [], logged: string[] = [];
    const secrets = names.map((name) => ({
      kind: "Secret",
      apiVersion: "v1",
      metadata: {
        name,
        namespace: "demo",
        annotations: { "kubernetes.io/service-account.name": `of-${name}` },
        creationTimestamp: new Date(now - 3 * year).toISOString(),
      },
    }));
    const api = fakeApi({
      get(_version, resource, _namespace, name) {
        if (name === `of-${broken}`) return Promise.reject(new Error("its value cannot be decoded"));
        const rest = resource === "configmaps" ? { data: { since: ago(2 * year) } } : { secrets: names.map((each) => ({ name: each })) };
        return Promise.resolve({ kind: "", apiVersion: "v1", metadata: {}, ...rest } as ApiObject);
      },
      list: () => Promise.resolve({ metadata: { resourceVersion: "9" }, items: secrets }),
      patch(_version, _resource, _namespace, name) {
        ended.push(name);
        return Promise.resolve(secrets[0]!);
      },
    });
    await cleanTokens(fakeContext({ api, logError: (sentence) => void logged.push(sentence) }), now);
    assert.deepEqual(ended, names.filter((each) => each !== broken));
    assert.deepEqual(logged, [`cannot end the unused token in the Secret "demo/${broken}"`]);
  }
});
