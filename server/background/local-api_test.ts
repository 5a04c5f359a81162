import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../core/async.ts";
import { definePlugin } from "../../core/define/define.ts";
import { listAll } from "../../core/listed.ts";
import { object } from "../../core/meta/object.ts";
import type { Api, ApiApplyOptions, ApiPatch, ApiWriteOptions } from "../../core/api.ts";
import { boolean, field, int64, mapBy, record, string, struct } from "../../core/schema.ts";
import { StatusError } from "../../core/status-error.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { withDefaults } from "../config/parse.ts";
import { watchRetryMs, watchRetryMsMax } from "../../core/client/follow.ts";
import { localApi, localWatchSecondsMin } from "./local-api.ts";
import { silentLog } from "../../kernel/observe/log.ts";
import type { RequestInfo } from "../../kernel/request/request-info.ts";
import { openServer } from "../startup/open-server.ts";

const things = definePlugin({
  name: "things",
  summary: "For tests.",
  resources: [{
    kind: "Thing",
    scope: "Cluster",
    summary: "A thing.",
    storedAs: "example.com/v1",
    storedUnder: "things",
    served: {
      "example.com/v1": {
        schema: object("Thing", { texts: field(2, record(string), "Texts."), large: field(3, int64, "Large.") }, { doc: "A thing." }),
        introduced: "1.0",
      },
    },
  }],
});
const thing = (name: string) => ({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name } });
const firstPage = 10, wholePage = 100;
const names = (count: number) => Array.from({ length: count }, (_, index) => `thing-${String(index).padStart(3, "0")}`);

/** A server with `count` things. */
async function scene(count: number) {
  const { server, close } = await openServer({ config: withDefaults({ "data-dir": ":memory:" }), plugins: [things], log: silentLog });
  const api = localApi(server, { name: "admin", groups: ["system:masters"] });
  for (const name of names(count)) await api.create("example.com/v1", "things", "", thing(name));
  const { store } = server.backend;
  /** Expires the continue tokens of earlier lists. */
  const expire = async () => await store.compact((await store.get("/")).revision);
  return { api, server, close, expire };
}

/** All things, and the number of things in each page. */
async function read(api: Api): Promise<{ readonly seen: readonly string[]; readonly sizes: readonly number[]; readonly revision: string }> {
  const sizes: number[] = [], seen: string[] = [];
  const list: Api["list"] = async (...wanted) => {
    const page = await api.list(...wanted);
    sizes.push(page.items.length);
    return page;
  };
  const objects = listAll({ list }, "example.com/v1", "things", "");
  for (let next = await objects.next();; next = await objects.next()) {
    if (next.done === true) return { seen, sizes, revision: next.value };
    seen.push(next.value.metadata.name!);
  }
}

for (
  const { count, pages } of [
    { count: 0, pages: [0] },
    { count: firstPage, pages: [firstPage] },
    { count: firstPage + wholePage, pages: [firstPage, wholePage] },
    { count: firstPage + wholePage + 1, pages: [firstPage, wholePage, 1] },
  ]
) {
  test(`listAll() yields each of ${count} objects once and returns their revision, in pages of ${pages}`, async () => {
    const { api, close } = await scene(count);
    const { seen, sizes, revision } = await read(api);
    assert.deepEqual(seen, names(count));
    assert.equal(revision, (await api.list("example.com/v1", "things", "")).metadata.resourceVersion);
    assert.deepEqual(sizes, pages);
    await close();
  });
}

test("listAll() reads smaller pages if objects are long", async () => {
  const { api, close } = await scene(0);
  const annotations = { note: "x".repeat(200_000) };
  for (const name of names(40)) {
    await api.create("example.com/v1", "things", "", { ...thing(name), metadata: { name, annotations } });
  }
  const { seen, sizes } = await read(api);
  assert.deepEqual(seen, names(40));
  assert.deepEqual(sizes, [firstPage, 21, 9]);
  await close();
});

test("watch() of an API in process delivers the existing objects and then all changes without a gap", async () => {
  const { api, close } = await scene(wholePage + 1);
  const ending = new AbortController();
  const seen: string[] = [];
  for await (const { type, object } of api.watch("example.com/v1", "things", "", {}, ending.signal)) {
    seen.push(`${type} ${object.metadata.name}`);
    // During the first page, and after the last.
    if (seen.length === 1) await api.create("example.com/v1", "things", "", thing("zz-during"));
    if (seen.length === wholePage + 1) await api.delete("example.com/v1", "things", "", "thing-000");
    if (type === "DELETED") ending.abort();
  }
  assert.deepEqual(seen, [...names(wholePage + 1).map((name) => `ADDED ${name}`), "ADDED zz-during", "DELETED thing-000"]);
  await close();
});

test("watch() of an API in process has a duration that does not depend on --min-request-timeout", async () => {
  const { server, close } = await scene(1);
  const durations: number[] = [];
  const counting = {
    ...server,
    countOwnRequest(_: string, { verb, query }: RequestInfo) {
      if (verb === "watch") durations.push(Number(query.first("timeoutSeconds")));
    },
  };
  const ending = new AbortController();
  const api = localApi(counting, { name: "admin", groups: ["system:masters"] });
  const changes = api.watch("example.com/v1", "things", "", {}, ending.signal)[Symbol.asyncIterator]();
  await changes.next(); // the object that exists
  const created = changes.next(); // opens the watch
  await api.create("example.com/v1", "things", "", thing("new"));
  await created;
  ending.abort();
  await changes.return?.();
  const least = localWatchSecondsMin;
  assert.ok(durations.length > 0 && durations.every((seconds) => seconds >= least && seconds <= 2 * least), String(durations));
  await close();
});

test("watch() of an API in process waits longer after each failed watch, up to a bound, and starts over after an event", async () => {
  const { server, close } = await scene(1);
  const first = watchRetryMs;
  const most = watchRetryMsMax;
  const delays: number[] = [];
  const clock: Clock = {
    now: () => 0,
    after(ms, run) {
      delays.push(ms);
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
  };
  let failures = 12;
  const failing = {
    ...server,
    async authorize(user: UserInfo, info: RequestInfo) {
      if (info.verb === "watch" && failures-- > 0) throw new StatusError("ServiceUnavailable", "not now");
      await server.authorize(user, info);
    },
    backend: { ...server.backend, ending: () => open.signal },
  };
  let open = new AbortController();
  const ending = new AbortController();
  const api = localApi(failing, { name: "admin", groups: ["system:masters"] }, { clock });
  const changes = api.watch("example.com/v1", "things", "", {}, ending.signal)[Symbol.asyncIterator]();
  const nextOf = async (name: string) => {
    for (;;) {
      const { value, done } = await changes.next();
      if (done === true || value.object.metadata.name === name) return;
    }
  };
  await nextOf("thing-000");
  const created = nextOf("new");
  while (failures >= 0) await new Promise((resolve) => setImmediate(resolve));
  await api.create("example.com/v1", "things", "", thing("new"));
  await created;
  const doubled = Array.from({ length: 12 }, (_, index) => Math.min(most, first * 2 ** index));
  assert.deepEqual(delays, doubled);
  assert.equal(doubled.at(-1), most, "the bound is reached");
  failures = 1;
  const again = nextOf("last");
  const ended = open;
  open = new AbortController();
  ended.abort();
  while (failures >= 0) await new Promise((resolve) => setImmediate(resolve));
  await api.create("example.com/v1", "things", "", thing("last"));
  await again;
  assert.deepEqual(delays.slice(doubled.length), [first]);
  ending.abort();
  await changes.return?.();
  await close();
});

test("watch() of an API in process ends when it is aborted while it waits after a failed watch", { timeout: 10_000 }, async () => {
  const { server, close } = await scene(1);
  const ending = new AbortController();
  let cancelled = 0;
  const clock: Clock = {
    now: () => 0,
    after() {
      setImmediate(() => ending.abort());
      return () => void cancelled++;
    },
  };
  const failing = {
    ...server,
    async authorize(user: UserInfo, info: RequestInfo) {
      if (info.verb === "watch") throw new StatusError("ServiceUnavailable", "not now");
      await server.authorize(user, info);
    },
  };
  const api = localApi(failing, { name: "admin", groups: ["system:masters"] }, { clock });
  const seen: string[] = [];
  for await (const { type, object } of api.watch("example.com/v1", "things", "", {}, ending.signal)) {
    seen.push(`${type} ${object.metadata.name}`);
  }
  assert.deepEqual([seen, cancelled], [["ADDED thing-000"], 1]);
  await close();
});

test("watch() of an API in process begins anew where what it has begun to read is gone", async () => {
  const { api, close, expire } = await scene(wholePage + 1);
  const ending = new AbortController();
  const seen: string[] = [];
  for await (const { type, object } of api.watch("example.com/v1", "things", "", {}, ending.signal)) {
    seen.push(`${type} ${object.metadata.name}`);
    if (seen.length === 1) {
      await api.create("example.com/v1", "things", "", thing("zz-during"));
      await expire();
    }
    if (object.metadata.name === "zz-during") ending.abort();
  }
  const added = (some: readonly string[]) => some.map((name) => `ADDED ${name}`);
  assert.deepEqual(seen, [...added(names(firstPage)), ...added(names(wholePage + 1)), "ADDED zz-during"]);
  await close();
});

for (
  const { query, wanted } of [
    { query: {}, wanted: ["ADDED a", "ADDED b", "MODIFIED a finalizers", "MODIFIED b owners", "MODIFIED a deleting", "DELETED a"] },
    // With a selector, every change may add or remove an object.
    {
      query: { labelSelector: "told=yes" },
      wanted: ["ADDED a told", "MODIFIED a finalizers", "DELETED a finalizers", "ADDED a told", "MODIFIED a deleting", "DELETED a"],
    },
  ]
) {
  test(`watch() of an API in process with the scope ownership delivers its changes, creations and deletions (${JSON.stringify(query)})`, async () => {
    const { api, close } = await scene(0);
    const ending = new AbortController();
    const seen: string[] = [];
    const change = async (name: string, metadata: object) => {
      const live = await api.get("example.com/v1", "things", "", name);
      await api.update("example.com/v1", "things", "", name, { ...live, metadata: { ...live.metadata, ...metadata } });
    };
    const write = async () => {
      await api.create("example.com/v1", "things", "", thing("a"));
      const owner = await api.create("example.com/v1", "things", "", thing("b"));
      await change("b", { annotations: { step: "1" } });
      await change("a", { labels: { told: "yes" }, annotations: { step: "told" } });
      await change("a", { finalizers: ["example.com/keep"], annotations: { step: "finalizers" } });
      await change("a", { labels: { told: "no" } });
      await change("a", { labels: { told: "yes" }, annotations: { step: "told" } });
      await change("b", {
        ownerReferences: [{ apiVersion: "example.com/v1", kind: "Thing", name: "b", uid: owner.metadata.uid }],
        annotations: { step: "owners" },
      });
      await change("b", { labels: { told: "later" } });
      await api.delete("example.com/v1", "things", "", "a");
      await change("a", { finalizers: [], annotations: { step: "" } });
    };
    let writing: Promise<void> | undefined;
    // The watch is open once this object, which exists before, is delivered.
    await api.create("example.com/v1", "things", "", { ...thing("begin"), metadata: { name: "begin", labels: { told: "yes" } } });
    for await (const { type, object: { metadata } } of api.watch("example.com/v1", "things", "", query, ending.signal, "ownership")) {
      writing ??= write();
      if (metadata.name === "begin") continue;
      const step = metadata.deletionTimestamp !== undefined && type === "MODIFIED" ? "deleting" : metadata.annotations?.step ?? "";
      seen.push(`${type} ${metadata.name} ${type === "DELETED" && metadata.deletionTimestamp !== undefined ? "" : step}`.trim());
      if (type === "DELETED" && metadata.deletionTimestamp !== undefined) ending.abort();
    }
    await writing;
    assert.deepEqual(seen, wanted);
    await close();
  });
}

test("watch() of an API in process delivers metadata only if it follows ownership", async () => {
  const { api, close } = await scene(0);
  try {
    const empty = new AbortController();
    for await (const _ of api.watch("example.com/v1", "things", "", {}, empty.signal, "ownership", () => empty.abort())) assert.fail();
    await api.create("example.com/v1", "things", "", { ...thing("a"), texts: { key: "value" } });
    for (const scope of ["everything", "ownership"] as const) {
      const ending = new AbortController();
      const seen: [string | undefined, boolean][] = [];
      for await (const { object } of api.watch("example.com/v1", "things", "", {}, ending.signal, scope)) {
        seen.push([object.metadata.name, "texts" in object]);
        if (seen.length === 1) await api.create("example.com/v1", "things", "", { ...thing(`of-${scope}`), texts: { key: "value" } });
        if (object.metadata.name === `of-${scope}`) ending.abort();
      }
      assert.ok(seen.length >= 2);
      for (const [name, isWhole] of seen) assert.equal(isWhole, scope === "everything", String(name));
    }
  } finally {
    await close();
  }
});

test("watch() of an API in process with the scope owned omits other objects until their deletion", async () => {
  const { api, close } = await scene(0);
  const ending = new AbortController();
  const create = (name: string, finalizers?: readonly string[]) =>
    api.create("example.com/v1", "things", "", { ...thing(name), metadata: { name, ...(finalizers === undefined ? {} : { finalizers }) } });
  const kept = ["example.com/keep"];
  const setFinalizers = async (name: string, finalizers: readonly string[]) => {
    const live = await api.get("example.com/v1", "things", "", name);
    await api.update("example.com/v1", "things", "", name, { ...live, metadata: { ...live.metadata, finalizers } });
  };
  try {
    await create("plain");
    await create("kept", kept);
    const write = async () => {
      await create("plain-later");
      await create("kept-later", kept);
      await setFinalizers("plain", kept);
      await setFinalizers("plain", []);
      await api.delete("example.com/v1", "things", "", "plain-later");
      await api.delete("example.com/v1", "things", "", "plain");
    };
    let writing: Promise<void> | undefined;
    const seen: string[] = [];
    for await (
      const { type, object: { metadata } } of api.watch(
        "example.com/v1",
        "things",
        "",
        {},
        ending.signal,
        "owned",
        () => writing ??= write(),
      )
    ) {
      seen.push(`${type} ${metadata.name}`);
      if (type === "DELETED" && metadata.name === "plain") ending.abort();
    }
    await writing;
    assert.deepEqual(seen, ["ADDED kept", "ADDED kept-later", "MODIFIED plain", "MODIFIED plain", "DELETED plain-later", "DELETED plain"]);
  } finally {
    await close();
  }
});

test("localApi() reads every key and integer as it is", async () => {
  const { api, close } = await scene(0);
  try {
    // An engine that reads a key of one escaped character wrongly does so after objects whose first keys are the same.
    const all = ["b", "\n", "\u2028", "c", "\t"].map((key, at) => ({ name: `odd-${at}`, texts: { a: "1", [key]: "2" } }));
    for (const { name, texts } of all) {
      await api.create("example.com/v1", "things", "", { ...thing(name), texts, large: 9007199254740993n });
    }
    for (let round = 0; round < 20; round++) {
      for (const { name, texts } of all) {
        const read = await api.get("example.com/v1", "things", "", name) as unknown as { texts: unknown; large: unknown };
        assert.deepEqual({ texts: read.texts, large: read.large }, { texts, large: 9007199254740993n });
      }
    }
  } finally {
    await close();
  }
});

const mark = struct("Mark", { name: field(1, string, "Name.", { required: true }), on: field(2, boolean, "On.") });
const specOfNote = struct("NoteSpec", {
  texts: field(1, record(string), "Texts."),
  marks: field(2, mapBy(["name"], mark), "Marks.", { patch: { strategy: ["merge"], mergeKey: "name" } }),
});
const notes = definePlugin({
  name: "notes",
  summary: "For tests.",
  resources: [{
    kind: "Note",
    scope: "Cluster",
    summary: "A note.",
    storedAs: "notes.{domain}/v1",
    storedUnder: "notes",
    served: {
      "notes.{domain}/v1": {
        schema: object("Note", {
          spec: field(2, specOfNote, "What is wanted."),
          status: field(3, struct("NoteStatus", { seen: field(1, string, "Seen.") }), "What is."),
        }, { doc: "A note." }),
        introduced: "1.0",
      },
    },
  }],
});
const home = "notes.{domain}/v1";

/** A server with notes, and its API for a program called `manager`. */
async function noteScene(manager?: string) {
  const { server, close } = await openServer({ config: withDefaults({ "data-dir": ":memory:" }), plugins: [notes], log: silentLog });
  const api = localApi(server, { name: "admin", groups: ["system:masters"] }, manager === undefined ? {} : { manager });
  const owners = async (name: string) => {
    const { metadata } = await api.get(home, "notes", "", name);
    return (metadata.managedFields ?? []).map(({ manager, operation, subresource = "" }) =>
      `${manager} ${operation} ${subresource}`.trim()
    );
  };
  return { api, owners, [Symbol.asyncDispose]: close };
}
const refusal = (reason: string, message: RegExp) => (error: unknown) =>
  error instanceof StatusError && error.reason === reason && message.test(error.message);

test("Api.patch() sends JSON patches, merge patches and strategic merge patches, also to subresources", async () => {
  await using scene = await noteScene();
  const { api } = scene;
  await api.create(home, "notes", "", { metadata: { name: "a" }, spec: { texts: { x: "1", y: "2" }, marks: [{ name: "one" }] } });
  const json = [{ op: "test", path: "/spec/texts/x", value: "1" }, { op: "replace", path: "/spec/texts/x", value: "3" }] as const;
  const at = async (patch: ApiPatch, options?: ApiWriteOptions) =>
    (await api.patch(home, "notes", "", "a", patch, options)) as unknown as { readonly spec: unknown; readonly status: unknown };
  assert.deepEqual((await at({ json })).spec, { texts: { x: "3", y: "2" }, marks: [{ name: "one" }] });
  assert.deepEqual((await at({ merge: { spec: { texts: { y: null } } } })).spec, { texts: { x: "3" }, marks: [{ name: "one" }] });
  assert.deepEqual((await at({ strategic: { spec: { marks: [{ name: "two", on: true }] } } })).spec, {
    texts: { x: "3" },
    marks: [{ name: "two", on: true }, { name: "one" }],
  });
  const status = await at({ merge: { spec: { texts: { x: "ignored" } }, status: { seen: "yes" } } }, { subresource: "status" });
  assert.deepEqual(status, await api.get(home, "notes", "", "a", { subresource: "status" }));
  assert.deepEqual([(status.spec as { texts: unknown }).texts, status.status], [{ x: "3" }, { seen: "yes" }]);
  await assert.rejects(at({ json: [{ op: "test", path: "/spec/texts/x", value: "9" }] }), refusal("Invalid", /rejected our request/));
  await assert.rejects(api.patch(home, "notes", "", "none", { merge: {} }), refusal("NotFound", /not found/));
});

test("Api.apply() creates and changes an object, removes what it applied before, and takes fields over unless force is false", async () => {
  await using scene = await noteScene("gardener");
  const { api, owners } = scene;
  const texts = async (wanted: object, options?: ApiApplyOptions) => {
    const object = await api.apply(home, "notes", "", "a", { spec: { texts: wanted } }, options);
    return (object as unknown as { readonly spec: { readonly texts?: unknown } }).spec.texts;
  };
  assert.deepEqual(await texts({ x: "1", y: "2" }), { x: "1", y: "2" });
  assert.deepEqual(await texts({ x: "1" }), { x: "1" });
  assert.deepEqual(await owners("a"), ["gardener Apply"]);
  await assert.rejects(texts({ x: "2" }, { fieldManager: "other", force: false }), refusal("Conflict", /conflict with "gardener"/));
  assert.deepEqual(await texts({ x: "2" }, { fieldManager: "other" }), { x: "2" });
  await api.apply(home, "notes", "", "a", { status: { seen: "yes" } }, { subresource: "status" });
  assert.deepEqual((await owners("a")).toSorted(), ["gardener Apply status", "other Apply"]);
  await assert.rejects(api.apply(home, "notes", "", "none", {}, { subresource: "status" }), refusal("NotFound", /not found/));
});

test("writes of the API in process take options: dry runs, field validation, and the name of the manager", async () => {
  await using scene = await noteScene("tools/gardener");
  const { api, owners } = scene;
  const a = { metadata: { name: "a" }, spec: { texts: { x: "1" } } };
  await api.create(home, "notes", "", a, { dryRun: true });
  await assert.rejects(api.get(home, "notes", "", "a"), refusal("NotFound", /not found/));
  await assert.rejects(
    api.create(home, "notes", "", { ...a, odd: 1 }, { fieldValidation: "Strict" }),
    refusal("BadRequest", /unknown field "odd"/),
  );
  await api.create(home, "notes", "", a);
  assert.deepEqual(await owners("a"), ["tools/gardener Update"], "a slash does not end the name");
  const changed = (x: string) => ({ ...a, spec: { texts: { x } } });
  await api.update(home, "notes", "", "a", changed("2"), { dryRun: true });
  assert.deepEqual((await api.get(home, "notes", "", "a") as unknown as { spec: unknown }).spec, a.spec);
  await api.update(home, "notes", "", "a", changed("3"), { fieldManager: "other" });
  assert.deepEqual((await owners("a")).toSorted(), ["other Update", "tools/gardener Update"]);
  await api.update(home, "notes", "", "a", { ...changed("3"), status: { seen: "yes" } }, { subresource: "status" });
  assert.ok((await owners("a")).includes("tools/gardener Update status"));
});
