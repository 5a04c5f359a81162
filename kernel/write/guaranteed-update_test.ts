/** Two servers on one store. The cache of the first has not received the writes of the second. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { object } from "../../core/meta/object.ts";
import { field, record, string } from "../../core/schema.ts";
import { logCheck, startUp, switchCheck } from "../../health/mod.ts";
import { chainOf } from "../access/authorization/mod.ts";
import { noFaults } from "../store/fault.ts";
import { assemble } from "../../server/startup/assemble.ts";
import { withCache } from "../../test/reads/bench.ts";
import { withDefaults } from "../../server/config/parse.ts";
import { directReads } from "../reads/direct-reads.ts";
import type { Exchange } from "../request/exchange.ts";
import { toStatusError } from "../respond/failure.ts";
import { activeConfigOf } from "../../server/config/active-config.ts";
import { errorReply } from "../handle.ts";
import { dispatch } from "../pipeline/dispatch.ts";
import { replyOf } from "../respond/answer.ts";
import { silentLog } from "../observe/log.ts";
import { openMetrics } from "../../server/startup/open-metrics.ts";
import { requestInfo } from "../request/request-info.ts";
import { route } from "../request/route.ts";
import type { Server } from "../server.ts";
import { Warnings } from "../request/warnings.ts";

const things = definePlugin({
  name: "things",
  summary: "For tests.",
  resources: [{
    kind: "Thing",
    scope: "Cluster",
    summary: "A thing.",
    storedAs: "v1",
    storedUnder: "things",
    served: {
      v1: { schema: object("Thing", { data: field(2, record(string), "What it says.") }, { doc: "A thing." }), introduced: "1.0" },
    },
  }],
});
const config = withDefaults({ "data-dir": ":memory:" });
const active = activeConfigOf(config, [things]);

interface Told {
  readonly status: number;
  // An object or a Status.
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}
type Ask = (method: string, body?: unknown, more?: { readonly query?: string; readonly type?: string }) => Promise<Told>;

/** Sends requests for the thing "a". */
function askOf(server: Server): Ask {
  return async (method, body, { query = "", type = "application/json" } = {}) => {
    const bytes = new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body));
    const url = `/api/v1/things${method === "POST" ? "" : "/a"}?${query}`;
    const exchange: Exchange = {
      method,
      url,
      headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": type }) },
      body: () => Promise.resolve(bytes),
      peer: undefined,
      remote: "local",
      protocol: "HTTP/1.1",
      signal: new AbortController().signal,
    };
    const info = requestInfo(method, url)!; // our own URLs are well formed
    const admin = { name: "admin", groups: ["system:masters"] };
    const { catalog } = server;
    const asked = {
      exchange,
      info,
      where: route(info, method, catalog),
      user: admin,
      catalog,
      server,
      warnings: new Warnings(),
      step() {},
    };
    const reply = await dispatch(asked, { of: replyOf, moved: () => assert.fail() }).catch((error: unknown) =>
      errorReply(exchange, toStatusError(error, info, () => {}), catalog)
    );
    assert.ok(typeof reply.body === "string" || reply.body instanceof Uint8Array);
    const text = typeof reply.body === "string" ? reply.body : new TextDecoder().decode(reply.body);
    return { status: reply.status, body: JSON.parse(text) };
  };
}

const thing = (value: string, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "a", ...metadata },
  data: { k: value },
});
const merge = "application/merge-patch+json", json = "application/json-patch+json", applied = "application/apply-patch+yaml";

interface Scene {
  /** The server whose cache is out of date once `hold` was called. */
  readonly here: Ask;
  readonly elsewhere: Ask;
  /** Stops the events to the first server's cache. */
  hold(): void;
  /** Asserts that a request reads `count` objects from the store. */
  reads(count: number, ask: () => Promise<Told>): Promise<Told>;
  /** The thing as created, with `k: "one"`. */
  readonly first: { readonly metadata: { readonly resourceVersion: string; readonly uid: string } };
}

const unused = (): never => assert.fail("no token is issued here");

function scene(use: (scene: Scene) => Promise<void>): Promise<void> {
  return withCache(async ({ cache, faulty }) => {
    const storage = { store: faulty.store, faults: noFaults, cache };
    const parts = {
      config: { current: () => active, onSwap: () => {} },
      access: {
        authentication: {
          authenticators: () => [],
          authenticateToken: () => Promise.resolve({ tag: "refused" as const, reasons: [] }),
          isAnonymous: () => true,
          issuer: { issue: unused, issueLegacy: unused },
          documents: { paths: () => [], read: unused },
        },
        authorization: chainOf([]),
      },
      reports: { registry: openMetrics(config, silentLog), log: silentLog, recentErrors: () => [], controllers: () => [] },
      health: {
        shutdown: switchCheck("shutdown", "process is shutting down", true),
        start: startUp(),
        logWritten: logCheck(() => performance.now()).check,
      },
      processes: {},
      ending: () => new AbortController().signal,
    };
    const here = askOf(assemble({ ...parts, storage }));
    const uncached = { ...cache, store: faulty.store, reads: directReads(faulty.store) };
    const elsewhere = askOf(assemble({ ...parts, storage: { ...storage, cache: uncached } }));
    const { status, body: first } = await elsewhere("POST", thing("one"));
    assert.equal(status, 201);
    while ((await here("GET", undefined, { query: "resourceVersion=0" })).status !== 200);
    const reads = async (count: number, ask: () => Promise<Told>): Promise<Told> => {
      const { gets } = faulty;
      const told = await ask();
      assert.equal(faulty.gets - gets, count, "reads of the store");
      return told;
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    const hold = () => void (faulty.hold = promise);
    // Closing would wait for the events that are held back.
    await use({ here, elsewhere, hold, reads, first }).finally(resolve);
  }, { catalog: active.catalog });
}

const writes: readonly { readonly what: string; readonly ask: (here: Ask) => Promise<Told> }[] = [
  { what: "an update", ask: (here) => here("PUT", thing("new")) },
  { what: "a merge patch", ask: (here) => here("PATCH", { data: { k: "new" } }, { type: merge }) },
  { what: "a JSON patch", ask: (here) => here("PATCH", [{ op: "replace", path: "/data/k", value: "new" }], { type: json }) },
  { what: "an apply", ask: (here) => here("PATCH", thing("new"), { type: applied, query: "fieldManager=me&force=true" }) },
  { what: "a delete", ask: (here) => here("DELETE") },
];

for (const { what, ask } of writes) {
  test(`${what} starts from the cached object, without a read of the store`, () =>
    scene(async ({ here, elsewhere, reads }) => {
      assert.equal((await reads(0, () => ask(here))).status, 200);
      assert.equal((await elsewhere("GET")).body.data?.k, what === "a delete" ? undefined : "new");
    }));

  test(`${what} is repeated with the object that the store returns if the cache is out of date`, () =>
    scene(async ({ here, elsewhere, hold, reads }) => {
      hold();
      await elsewhere("PATCH", { metadata: { labels: { late: "1" } } }, { type: merge });
      assert.equal((await reads(0, () => ask(here))).status, 200);
      const { status, body } = await elsewhere("GET");
      if (what === "a delete") assert.equal(status, 404);
      else assert.deepEqual([body.data.k, body.metadata.labels?.late], ["new", what === "an update" ? undefined : "1"]);
    }));

  test(`${what} of an object that another server deleted returns 404 or creates it`, () =>
    scene(async ({ here, elsewhere, hold, first }) => {
      hold();
      await elsewhere("DELETE");
      const { status, body } = await ask(here);
      if (what !== "an apply") return assert.deepEqual([status, body.reason], [404, "NotFound"]);
      assert.equal(status, 201);
      assert.notEqual(body.metadata.uid, first.metadata.uid);
    }));

  test(`${what} of an object that another server deleted and created again changes the new one`, () =>
    scene(async ({ here, elsewhere, hold }) => {
      hold();
      await elsewhere("DELETE");
      const { body: { metadata: { uid } } } = await elsewhere("POST", thing("again"));
      const { status, body } = await ask(here);
      assert.deepEqual([status, body.metadata?.uid ?? body.details?.uid ?? uid], [200, uid]);
    }));
}

test("an update with the newest resourceVersion succeeds although the cache has an older one", () =>
  scene(async ({ here, elsewhere, hold, reads, first }) => {
    hold();
    const { body: { metadata: { resourceVersion } } } = await elsewhere("PUT", thing("two"));
    assert.equal((await reads(1, () => here("PUT", thing("three", { resourceVersion })))).status, 200);
    const { status, body } = await here("PUT", thing("four", { resourceVersion: first.metadata.resourceVersion }));
    assert.deepEqual([status, body.reason], [409, "Conflict"]);
    assert.equal((await elsewhere("GET")).body.data.k, "three");
  }));

test("an update with the cached resourceVersion is rejected if the store has a newer one", () =>
  scene(async ({ here, elsewhere, hold, reads, first: { metadata: { resourceVersion } } }) => {
    hold();
    await elsewhere("PUT", thing("two"));
    const { status, body } = await reads(0, () => here("PUT", thing("three", { resourceVersion })));
    assert.deepEqual([status, body.reason], [409, "Conflict"]);
    assert.equal((await elsewhere("GET")).body.data.k, "two");
  }));

test("an update with an unknown resourceVersion is rejected after a read of the store", () =>
  scene(async ({ here, reads }) => {
    const { status, body } = await reads(1, () => here("PUT", thing("three", { resourceVersion: "1" })));
    assert.deepEqual([status, body.reason], [409, "Conflict"]);
  }));

test("a patch that the cached object rejects is repeated with the stored object", () =>
  scene(async ({ here, elsewhere, hold, reads }) => {
    hold();
    await elsewhere("PUT", thing("two"));
    const patch = (from: string) => [{ op: "test", path: "/data/k", value: from }, { op: "replace", path: "/data/k", value: "three" }];
    assert.equal((await here("PATCH", patch("one"), { type: json })).status, 422);
    assert.equal((await reads(1, () => here("PATCH", patch("two"), { type: json }))).status, 200);
    assert.equal((await elsewhere("GET")).body.data.k, "three");
  }));

test("a patch that does not change the cached object is repeated with the stored object", () =>
  scene(async ({ here, elsewhere, hold, reads }) => {
    hold();
    await elsewhere("PUT", thing("two"));
    const { status, body } = await reads(1, () => here("PATCH", { data: { k: "one" } }, { type: merge }));
    assert.deepEqual([status, body.data.k], [200, "one"]);
    assert.equal((await elsewhere("GET")).body.data.k, "one");
  }));

test("a patch without changes returns the stored resourceVersion, after a read of the store", () =>
  scene(async ({ here, reads, first }) => {
    const { status, body } = await reads(1, () => here("PATCH", { data: { k: "one" } }, { type: merge }));
    assert.deepEqual([status, body.metadata.resourceVersion], [200, first.metadata.resourceVersion]);
  }));

for (const method of ["PATCH", "DELETE"]) {
  test(`a dry run of ${method} applies to the stored object`, () =>
    scene(async ({ here, elsewhere, hold, reads }) => {
      hold();
      await elsewhere("PATCH", { metadata: { labels: { late: "1" }, finalizers: ["example.com/waits"] } }, { type: merge });
      const body = method === "PATCH" ? { data: { k: "new" } } : undefined;
      const told = await reads(1, () => here(method, body, { type: merge, query: "dryRun=All" }));
      assert.deepEqual([told.status, told.body.metadata.labels], [200, { late: "1" }]);
      assert.equal((await elsewhere("GET")).body.data.k, "one");
    }));
}

test("preconditions of a delete are compared with the stored object", () =>
  scene(async ({ here, elsewhere, hold, reads, first }) => {
    hold();
    const { body: { metadata: { resourceVersion } } } = await elsewhere("PUT", thing("two"));
    const remove = (version: string) => () => here("DELETE", { preconditions: { resourceVersion: version } });
    assert.deepEqual((await reads(0, remove(first.metadata.resourceVersion))).status, 409);
    assert.deepEqual((await reads(1, remove(resourceVersion))).status, 200);
    assert.equal((await elsewhere("GET")).status, 404);
  }));

test("a write after an own write whose event has not arrived starts from the stored object", () =>
  scene(async ({ here, hold, reads }) => {
    hold();
    assert.equal((await reads(0, () => here("PUT", thing("two")))).status, 200);
    const { status, body } = await reads(1, () => here("PATCH", { metadata: { labels: { l: "1" } } }, { type: merge }));
    assert.deepEqual([status, body.data.k], [200, "two"]);
  }));
