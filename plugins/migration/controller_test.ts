import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { test } from "node:test";
import type { Api } from "../../core/api.ts";
import { fakeApi, fakeContext } from "../../testing/fakes.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { StatusError } from "../../core/status-error.ts";
import { migrationController, migrationControllerWith } from "./controller.ts";

const groupVersion = "storagemigration.k8s.io/v1beta1";
type Migration = ApiObject & {
  status: { conditions?: readonly { type: string; status: string; message: string }[]; resourceVersion?: string };
};
const migration = (name: string, resource: string, status: Migration["status"] = {}): any => ({
  kind: "StorageVersionMigration",
  apiVersion: groupVersion,
  metadata: { name, uid: `uid-${name}` },
  spec: { resource: { group: "", resource } },
  status,
});

/** A fake API with these migrations and two pages of things. The run ends when `until` returns true. */
function apiOver(
  migrations: readonly any[],
  things: readonly string[],
  until: (written: readonly string[]) => boolean,
  version = groupVersion,
  definition?: object,
) {
  const stored = new Map<string, any>(migrations.map((each) => [each.metadata.name, each]));
  const written: string[] = [];
  const done = new AbortController();
  const record = (text: string) => {
    written.push(text);
    if (until(written)) done.abort();
  };
  const api: Partial<Api> = {
    collections: (verb) => [
      { groupVersion: version, resource: "storageversionmigrations", kind: "StorageVersionMigration", namespaced: false },
      { groupVersion: "v1", resource: "things", kind: "Thing", namespaced: true },
      ...(definition === undefined ? [] : [
        {
          groupVersion: "apiextensions.k8s.io/v1",
          resource: "customresourcedefinitions",
          kind: "CustomResourceDefinition",
          namespaced: false,
        },
      ]),
      ...(verb === "list" || verb === "get" ? [{ groupVersion: "v1", resource: "readings", kind: "Reading", namespaced: true }] : []),
    ],
    get: (_version, resource, _namespace, name) =>
      Promise.resolve(resource === "customresourcedefinitions" ? definition : stored.get(name)),
    apply: (_version, _resource, _namespace, name, object: any) => {
      const { conditions: [{ type, status }], storedVersions = [] } = object.status;
      record(`definition ${name} ${type}=${status} ${storedVersions}`);
      return Promise.resolve(object);
    },
    list: (_version, _resource, _namespace, query = {}) => {
      if (query["continue"] === "old") return Promise.reject(new StatusError("Expired", "too old", { continue: "newer" }));
      if (query["continue"] === "ancient") return Promise.reject(new StatusError("Expired", "too old"));
      if (query["continue"] === "made up") {
        return Promise.reject(new StatusError("BadRequest", "no such token"));
      }
      const items = things.map((name) => ({ kind: "", apiVersion: "", metadata: { name, namespace: "demo" } }));
      const first = query["continue"] === undefined;
      const metadata = { resourceVersion: "7", ...(first ? { continue: "next" } : {}) };
      return Promise.resolve({ metadata, items: first ? items.slice(0, 1) : items.slice(1) });
    },
    update: (_version, resource, _namespace, name, object, { subresource } = {}) => {
      if (resource === "things") {
        record(`thing ${name}`);
        const reason = name === "gone"
          ? "NotFound"
          : name === "changed"
          ? "Conflict"
          : name === "bad"
          ? "Invalid"
          : name === "busy"
          ? "ServerTimeout"
          : undefined;
        return reason === undefined ? Promise.resolve(object as ApiObject) : Promise.reject(new StatusError(reason, `no ${name}`));
      }
      if (subresource !== "status") {
        stored.set(name, object);
        record(`${name} continues from ${Object.values((object as ApiObject).metadata.annotations ?? {}).join()}`);
        return Promise.resolve(object as ApiObject);
      }
      const { status } = object as Migration; // `as`: the controller writes migrations
      stored.set(name, object);
      const conditions = (status.conditions ?? []).map(({ type, status }) => `${type}=${status}`).join(",");
      record(`${name} ${conditions}${status.resourceVersion === undefined ? "" : ` at ${status.resourceVersion}`}`);
      return Promise.resolve(object as ApiObject);
    },
    async *watch(_version, _resource, _namespace, _query, signal) {
      for (const object of migrations) yield { type: "ADDED", object };
      if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  };
  const shown: string[] = [];
  const progress = (what: string) => ({
    done: (objects: number, left?: number) => void shown.push(`${what} ${objects} ${left}`),
    end: () => void shown.push("end"),
  });
  const run = migrationControllerWith({ settleMs: 0 }).run(
    fakeContext({ api: fakeApi(api), gates: () => true, progress }),
    AbortSignal.any([done.signal, AbortSignal.timeout(60_000)]),
  );
  return { run, written, stored, shown };
}
const endsWith = (text: string) => (written: readonly string[]) => written.at(-1)?.startsWith(text) ?? false;

test("rule migration-progress: migrationController writes every object of every page, skips changed and deleted ones, and saves its progress", async () => {
  const { run, written } = apiOver([migration("one", "things")], ["a", "changed", "gone", "z"], endsWith("one Running=False"));
  await run;
  assert.deepEqual(written, [
    "one Running=True",
    "one Running=True at 7",
    "thing a",
    "one continues from next",
    "thing changed",
    "thing gone",
    "thing z",
    "one Running=False,Succeeded=True at 7",
  ]);
});

test("migrationController shows how many objects are written, and how many are left once a page says so", async () => {
  const { run, shown } = apiOver([migration("one", "things")], ["a", "b", "c"], endsWith("one Running=False"));
  await run;
  // The first page of the fake does not say how many objects follow.
  assert.deepEqual(shown, ["migrating things 1 undefined", "migrating things 1 1", "migrating things 1 0", "end"]);
});

test("migrationController ends its progress if an object cannot be written", async () => {
  const { run, shown } = apiOver([migration("one", "things")], ["bad"], endsWith("one Running=False"));
  await run;
  assert.deepEqual(shown, ["end"]);
});

test("migrationController marks the definition of a custom resource first, and trims its stored versions before the end", async () => {
  const definition = {
    metadata: { name: "things.", generation: 1, resourceVersion: "3" },
    spec: { versions: [{ name: "v1", storage: true }] },
    status: { conditions: [{ type: "StorageMigrating", status: "True", observedGeneration: 1 }] },
  };
  const { run, written } = apiOver([migration("one", "things")], ["a"], endsWith("one Running=False"), groupVersion, definition);
  await run;
  assert.deepEqual(written, [
    "definition things. StorageMigrating=True ",
    "one Running=True",
    "one Running=True at 7",
    "thing a",
    "one continues from next",
    "definition things. StorageMigrating=False v1",
    "one Running=False,Succeeded=True at 7",
  ]);
});

test("migrationController does not mark the definition again when it continues a migration", async () => {
  const definition = { metadata: { name: "things.", generation: 2 }, spec: { versions: [{ name: "v1", storage: true }] }, status: {} };
  const { run, written } = apiOver([begun("next")], ["a", "z"], endsWith("one Running=False"), groupVersion, definition);
  await run;
  assert.deepEqual(written, ["thing z", "definition things. StorageMigrating=False ", "one Running=False,Succeeded=True at 5"]);
});

const begun = (token: string) => {
  const one = migration("one", "things", { conditions: [{ type: "Running", status: "True", message: "" }], resourceVersion: "5" });
  return { ...one, metadata: { ...one.metadata, annotations: { "storagemigration.k8s.io/v1alpha1-continue-token": token } } };
};

test("rule migration-progress: migrationController continues an interrupted migration from its token", async () => {
  const { run, written } = apiOver([begun("next")], ["a", "y", "z"], endsWith("one Running=False"));
  await run;
  assert.deepEqual(written, ["thing y", "thing z", "one Running=False,Succeeded=True at 5"]);
});

test("migrationController replaces an expired token by the new one, or starts again, and saves that", async () => {
  const old = apiOver([begun("old")], ["a", "y", "z"], endsWith("one Running=False"));
  await old.run;
  assert.deepEqual(old.written, ["one continues from newer", "thing y", "thing z", "one Running=False,Succeeded=True at 5"]);
  const ancient = apiOver([begun("ancient")], ["a", "z"], endsWith("one Running=False"));
  await ancient.run;
  assert.deepEqual(ancient.written.slice(0, 4), ["one continues from ", "thing a", "one continues from next", "thing z"]);
});

test("migrationController fails a migration with an invalid token", async () => {
  const { run, stored } = apiOver([begun("made up")], ["a"], endsWith("one Running=False"));
  await run;
  assert.equal(stored.get("one").status.conditions[1].message, "migration encountered unhandled error: no such token");
});

test("migrationController retries a migration if the server is busy, and does not fail it", async () => {
  const { run, written } = apiOver([migration("one", "things")], ["busy", "z"], (written) => written.length === 4);
  await run;
  assert.deepEqual(written, ["one Running=True", "one Running=True at 7", "thing busy", "thing busy"]);
});

test("migrationController fails a migration if an object cannot be written", async () => {
  const { run, written, stored } = apiOver([migration("one", "things")], ["bad", "z"], endsWith("one Running=False"));
  await run;
  assert.equal(written.at(-1), "one Running=False,Failed=True at 7");
  assert.equal(stored.get("one").status.conditions[1].message, "migration encountered unhandled error: no bad");
});

test("migrationController runs migrations of one resource one after the other, and skips finished ones", async () => {
  const over = migration("over", "things", { conditions: [{ type: "Failed", status: "True", message: "" }] });
  const { run, written } = apiOver([over, migration("one", "things"), migration("two", "things")], ["a"], endsWith("two Running=False"));
  await run;
  assert.deepEqual(written.filter((text) => text.includes("Running=True") || text.includes("Succeeded")), [
    "one Running=True",
    "one Running=True at 7",
    "one Running=False,Succeeded=True at 7",
    "two Running=True",
    "two Running=True at 7",
    "two Running=False,Succeeded=True at 7",
  ]);
});

test("migrationController uses v1alpha1 if v1beta1 is not served", async () => {
  const alpha = "storagemigration.k8s.io/v1alpha1";
  const one = { ...migration("one", "things"), apiVersion: alpha, spec: { resource: { resource: "things" } } };
  const { run, stored } = apiOver([one], ["a", "z"], endsWith("one Running=False"), alpha);
  await run;
  const { spec, status, apiVersion } = stored.get("one");
  assert.deepEqual([apiVersion, spec], [alpha, { resource: { version: "v1", resource: "things" }, continueToken: "next" }]);
  assert.deepEqual(status.conditions.map((each: object) => Object.keys(each).includes("lastUpdateTime")), [true, true]);
});

test("migrationController lists all needed verbs if the resource lacks one", async () => {
  const { run, stored } = apiOver([migration("one", "readings")], [], endsWith("one Running=False"));
  await run;
  assert.equal(
    stored.get("one").status.conditions[1].message,
    'resource "/v1, Resource=readings" does not support discovery operations: [update patch list]',
  );
});

test("migrationController runs if its gate is enabled and one of the two versions is served", () => {
  assert.equal(migrationController.gate, "StorageVersionMigrator");
  assert.deepEqual(migrationController.needs, [{
    resource: "storageversionmigrations",
    groupVersions: ["storagemigration.{domain}/v1beta1", "storagemigration.{domain}/v1alpha1"],
  }]);
});

test("migrationController logs and retries an error of one resource, and goes on with the others", async () => {
  const done = new AbortController(), calls: string[] = [], logged: unknown[] = [];
  const broken: Partial<Api> = {
    collections: () => [{ groupVersion, resource: "storageversionmigrations", kind: "StorageVersionMigration", namespaced: false }],
    get(_version, _resource, _namespace, name) {
      calls.push(name);
      if (["one", "two"].every((each) => calls.filter((call) => call === each).length >= 2)) done.abort();
      return Promise.reject(new Error("broken"));
    },
    async *watch(_version, _resource, _namespace, _query, signal) {
      yield { type: "ADDED", object: migration("one", "things") };
      yield { type: "ADDED", object: migration("two", "others") };
      if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  };
  const logError = (sentence: string, error: unknown) => logged.push([sentence, (error as Error).message]);
  const context = fakeContext({ api: fakeApi(broken), gates: () => true, logError });
  await migrationController.run(context, AbortSignal.any([done.signal, AbortSignal.timeout(60_000)]));
  assert.equal(done.signal.aborted, true, `each is tried again: ${calls.join(" ")}`);
  for (const key of ["things", "others"]) {
    assert.ok(logged.some((each) => isDeepStrictEqual(each, [`work on "${key}" failed and is retried`, "broken"])), key);
  }
});

test("migrationController rejects if its watch does, so that it is restarted", async () => {
  const broken: Partial<Api> = {
    collections: () => [],
    // deno-lint-ignore require-yield
    async *watch() {
      throw new Error("no watch");
    },
  };
  const context = fakeContext({ api: fakeApi(broken), gates: () => true });
  await assert.rejects(migrationController.run(context, new AbortController().signal), /no watch/);
});
