import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { base64Of } from "../../core/scalars/base64.ts";
import { conflictError, invalidError, notFoundError } from "../../core/status-error.ts";
import { fakeApi, fakeContext } from "../../testing/fakes.ts";
import { legacyTokenController } from "./legacy-token-controller.ts";

type Change = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject };
const base64 = (text: string): string => base64Of(new TextEncoder().encode(text));
const account = (name: string, uid: string, more: object = {}): ApiObject => ({
  kind: "ServiceAccount",
  apiVersion: "v1",
  metadata: { name, namespace: "demo", uid, resourceVersion: "1" },
  ...more,
});
const key = (name: string): string => `kubernetes.io/service-account.${name}`;
const secret = (name: string, annotations: Readonly<Record<string, string>>, more: object = {}): ApiObject => ({
  kind: "Secret",
  apiVersion: "v1",
  metadata: { name, namespace: "demo", uid: `u-${name}`, resourceVersion: "7", annotations },
  type: "kubernetes.io/service-account-token",
  ...more,
} as ApiObject);

interface World {
  readonly accounts?: readonly Change[];
  readonly secrets?: readonly Change[];
  /** The stored objects, by `resource/name`. */
  readonly stored?: Readonly<Record<string, ApiObject>>;
  readonly update?: () => Promise<void>;
  readonly certificates?: string;
}

/** The controller's requests until `until` of them were made; each as a line. */
async function doneBy(
  { accounts = [], secrets = [], stored = {}, update, certificates }: World,
  until: number,
): Promise<readonly unknown[]> {
  const done: unknown[] = [], stop = new AbortController(), enough = Promise.withResolvers<void>();
  const note = (what: unknown): void => {
    done.push(what);
    if (done.length >= until) enough.resolve();
  };
  if (until === 0) enough.resolve();
  const api = fakeApi({
    get(_version, resource, _namespace, name) {
      const found = stored[`${resource}/${name}`];
      return found === undefined ? Promise.reject(notFoundError({ group: "", name: resource }, name)) : Promise.resolve(found);
    },
    async update(_version, resource, _namespace, name, object) {
      note({ update: `${resource}/${name}`, object });
      await update?.();
      return object as ApiObject;
    },
    delete(_version, resource, _namespace, name, options) {
      note({ delete: `${resource}/${name}`, options });
      return Promise.resolve({});
    },
    async *watch(_version, resource, _namespace, query, signal) {
      if (resource === "secrets") assert.deepEqual(query, { fieldSelector: "type=kubernetes.io/service-account-token" });
      yield* resource === "secrets" ? secrets : accounts;
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    },
  });
  const issueLegacyToken = (namespace: string, { name, uid }: { readonly name: string; readonly uid: string }, secretName: string) =>
    Promise.resolve(`${namespace} ${name} ${uid} ${secretName}`);
  const context = fakeContext({
    api,
    issueLegacyToken,
    logError: (sentence) => note({ logged: sentence }),
    ...(certificates === undefined ? {} : { rootCertificates: certificates }),
  });
  const running = legacyTokenController.run(context, stop.signal);
  await enough.promise;
  // Pending work is done before the controller ends.
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await running;
  return done;
}
const added = (object: ApiObject): Change => ({ type: "ADDED", object });
const robot = account("robot", "u1");

test("a new Secret gets token, namespace and certificates, and the UID of its account", async () => {
  const tok = secret("tok", { [key("name")]: "robot", other: "kept" });
  const done = await doneBy({ accounts: [added(robot)], secrets: [added(tok)], stored: { "secrets/tok": tok }, certificates: "pem" }, 1);
  assert.deepEqual(done, [{
    update: "secrets/tok",
    object: {
      ...tok,
      metadata: { ...tok.metadata, annotations: { [key("name")]: "robot", other: "kept", [key("uid")]: "u1" } },
      data: { "ca.crt": base64("pem"), namespace: base64("demo"), token: base64("demo robot u1 tok") },
    },
  }]);
});

test("existing data is kept, except other certificates; a complete Secret is unchanged", async () => {
  const data = { "ca.crt": base64("mine"), namespace: base64("elsewhere"), token: base64("t") };
  const tok = secret("tok", { [key("name")]: "robot" }, { data });
  const world = { accounts: [added(robot)], secrets: [added(tok)], stored: { "secrets/tok": tok } };
  const [changed] = await doneBy({ ...world, certificates: "pem" }, 1) as readonly { readonly object: { readonly data: object } }[];
  assert.deepEqual(changed?.object.data, { ...data, "ca.crt": base64("pem") });
  assert.deepEqual(await doneBy(world, 0), [], "without root certificates any are kept");
});

test("a Secret without its account, or of another UID, is deleted", async () => {
  const orphan = secret("orphan", { [key("name")]: "nobody" }), other = secret("other", { [key("name")]: "robot", [key("uid")]: "u0" });
  const done = await doneBy({
    accounts: [added(robot)],
    secrets: [added(orphan), added(other)],
    stored: { "serviceaccounts/robot": robot },
  }, 2);
  assert.deepEqual(
    new Set(done),
    new Set(["orphan", "other"].map((name) => ({ delete: `secrets/${name}`, options: { preconditions: { uid: `u-${name}` } } }))),
  );
});

test("an account that the watch has not delivered yet is looked up", async () => {
  const tok = secret("tok", { [key("name")]: "late" });
  const done = await doneBy({ secrets: [added(tok)], stored: { "secrets/tok": tok, "serviceaccounts/late": account("late", "u9") } }, 1);
  assert.deepEqual(done.map((each) => Object.keys(each as object)[0]), ["update"]);
});

test("the Secrets of a deleted account are deleted, and those of its successor stay", async () => {
  const complete = { data: { namespace: base64("demo"), token: base64("t") } };
  const of = (name: string, uid?: string) =>
    secret(name, { [key("name")]: "robot", ...(uid === undefined ? {} : { [key("uid")]: uid }) }, complete);
  const accounts: readonly Change[] = [added(robot), { type: "DELETED", object: robot }, added(account("robot", "u2"))];
  const stored = { "serviceaccounts/robot": account("robot", "u2") };
  const done = await doneBy({ accounts, secrets: [added(of("old", "u1")), added(of("new", "u2"))], stored }, 1);
  assert.deepEqual(new Set(done.map((each) => (each as { readonly delete: string }).delete)), new Set(["secrets/old"]));
});

test("a deleted Secret is removed from the list of its account, with retries after conflicts", async () => {
  const listing = account("robot", "u1", { secrets: [{ name: "tok" }, { name: "other" }] });
  const gone: Change = { type: "DELETED", object: secret("tok", { [key("name")]: "robot", [key("uid")]: "u1" }) };
  let tries = 0;
  const update = () =>
    ++tries === 1 ? Promise.reject(conflictError({ group: "", name: "serviceaccounts" }, "robot", "changed")) : Promise.resolve();
  const done = await doneBy({ accounts: [added(listing)], secrets: [gone], stored: { "serviceaccounts/robot": listing }, update }, 2);
  const wanted = { update: "serviceaccounts/robot", object: { ...listing, secrets: [{ name: "other" }] } };
  assert.deepEqual(done, [wanted, wanted]);
  const other: Change = { type: "DELETED", object: secret("tok", { [key("name")]: "robot", [key("uid")]: "u0" }) };
  assert.deepEqual(await doneBy({ accounts: [added(listing)], secrets: [other], stored: { "serviceaccounts/robot": listing } }, 0), []);
});

test("a Secret that changed meanwhile is processed at its next event, and an immutable one is logged once", async () => {
  const tok = secret("tok", { [key("name")]: "robot" });
  const newer = { ...tok, metadata: { ...tok.metadata, resourceVersion: "8" } };
  assert.deepEqual(await doneBy({ accounts: [added(robot)], secrets: [added(tok)], stored: { "secrets/tok": newer } }, 0), []);
  const update = () => Promise.reject(invalidError({ group: "", name: "Secret" }, "tok", []));
  const done = await doneBy({ accounts: [added(robot)], secrets: [added(tok)], stored: { "secrets/tok": tok }, update }, 2);
  assert.deepEqual(done[1], { logged: 'cannot put a token into the Secret "demo/tok"' });
});
