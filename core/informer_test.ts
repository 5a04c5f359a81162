import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer } from "../server/startup/open-server.ts";
import { localApi } from "../server/background/local-api.ts";
import { withDefaults } from "../server/config/parse.ts";
import { silentLog } from "../kernel/observe/log.ts";
import type { RequestInfo } from "../kernel/request/request-info.ts";
import type { InformerHandlers, TypedChange } from "./api.ts";
import type { Clock } from "./async.ts";
import { definePlugin, defineResource } from "./define/define.ts";
import { informerOf } from "./informer.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import { object } from "./meta/object.ts";
import { StatusError } from "./status-error.ts";
import type { UserInfo } from "./user-info.ts";

const Thing = object("Thing", {}, { doc: "A thing." });
const things = defineResource<ApiObject>({
  kind: "Thing",
  scope: "Namespaced",
  summary: "A thing.",
  storedAs: "example.com/v1",
  storedUnder: "things",
  served: { "example.com/v1": { schema: Thing, introduced: "1.0" } },
});
const plugin = definePlugin({ name: "things", summary: "For tests.", resources: [things] });

const thing = (name: string, resourceVersion: string, uid = name): ApiObject => ({
  kind: "Thing",
  apiVersion: "example.com/v1",
  metadata: { namespace: "default", name, uid, resourceVersion },
});
const added = (...of: Parameters<typeof thing>) => ({ type: "ADDED" as const, object: thing(...of) });
const modified = (...of: Parameters<typeof thing>) => ({ type: "MODIFIED" as const, object: thing(...of) });
const deleted = (name: string) => ({ type: "DELETED" as const, object: { metadata: { namespace: "default", name } } });

/** Handlers that write down their calls. */
function noting(log: string[]): InformerHandlers<ApiObject> {
  const of = ({ metadata: { name, uid, resourceVersion } }: ApiObject) => `${name}${uid === name ? "" : `/${uid}`}@${resourceVersion}`;
  return {
    added: (object) => log.push(`added ${of(object)}`),
    updated: (object, before) => log.push(`updated ${of(before)} to ${of(object)}`),
    deleted: (before) => log.push(`deleted ${of(before)}`),
  };
}

/** An informer of these changes, whose first list has ended after `first` of them. */
function scripted(first: number, changes: readonly TypedChange<ApiObject>[]) {
  return informerOf<ApiObject>(async function* (_signal, synced) {
    for (const [index, change] of changes.entries()) {
      if (index === first) synced();
      yield change;
    }
    if (changes.length === first) synced();
  });
}
const never = new AbortController().signal;

for (
  const { what, changes, wanted } of [
    { what: "what exists", changes: [added("a", "1"), added("b", "2")], wanted: ["added a@1", "added b@2"] },
    {
      what: "changes",
      changes: [added("a", "1"), modified("a", "2"), deleted("a"), added("a", "4", "other")],
      wanted: ["added a@1", "updated a@1 to a@2", "deleted a@2", "added a/other@4"],
    },
    {
      what: "only differences after another list",
      changes: [added("a", "1"), added("b", "2"), added("c", "3"), deleted("c"), added("a", "1"), added("b", "5")],
      wanted: ["added a@1", "added b@2", "added c@3", "deleted c@3", "updated b@2 to b@5"],
    },
    {
      what: "the end of an object that another one of its name has replaced",
      changes: [added("a", "1"), added("a", "3", "other")],
      wanted: ["added a@1", "deleted a@1", "added a/other@3"],
    },
    { what: "a change of an object that it does not know as its addition", changes: [modified("a", "2")], wanted: ["added a@2"] },
    { what: "nothing for the deletion of an object that it does not know", changes: [deleted("a")], wanted: [] },
  ]
) {
  test(`an informer delivers ${what}`, async () => {
    const log: string[] = [];
    await scripted(0, changes).run(never, noting(log));
    assert.deepEqual(log, wanted);
  });
}

test("an informer has its objects by namespace and name, also without handlers, and is synced after the first list", async () => {
  const informer = scripted(2, [added("a", "1"), added("b", "2"), deleted("a")]);
  await informer.run(never);
  await informer.synced;
  assert.deepEqual(informer.objects(), [thing("b", "2")]);
  assert.deepEqual([informer.get("default", "b"), informer.get("default", "a"), informer.get("", "b")], [
    thing("b", "2"),
    undefined,
    undefined,
  ]);
});

test("an informer has changed its copy when a handler is called", async () => {
  const informer = scripted(0, [added("a", "1"), deleted("a")]), counts: number[] = [];
  const count = () => counts.push(informer.objects().length);
  await informer.run(never, { added: count, deleted: count });
  assert.deepEqual(counts, [1, 0]);
});

test("an informer ends with the error of a handler, is then not synced, and runs once only", async () => {
  const informer = scripted(2, [added("a", "1"), added("b", "2")]);
  const fail = () => {
    throw new Error("a bug");
  };
  await assert.rejects(informer.run(never, { added: fail }), /a bug/);
  await assert.rejects(informer.synced, /a bug/);
  await assert.rejects(informer.run(never), /Cannot run an informer a second time/);
});

test("an informer that is aborted before the end of the first list is not synced", async () => {
  const ending = new AbortController();
  ending.abort(new Error("enough"));
  const informer = informerOf<ApiObject>(async function* () {});
  await informer.run(ending.signal);
  await assert.rejects(informer.synced, /enough/);
});

test("an informer goes on after its watch has ended and the next one is refused with 410: its handlers get the differences", async () => {
  const { server, close } = await openServer({ config: withDefaults({ "data-dir": ":memory:" }), plugins: [plugin], log: silentLog });
  const admin = { name: "admin", groups: ["system:masters"] };
  const client = localApi(server, admin).of(things);
  const create = (name: string) => client.create("default", { metadata: { name } });
  const label = (name: string) => client.patch("default", name, { merge: { metadata: { labels: { seen: "yes" } } } });
  const open = new AbortController();
  let watches = 0;
  const interrupted = {
    ...server,
    async authorize(user: UserInfo, info: RequestInfo) {
      await server.authorize(user, info);
      if (info.verb !== "watch" || ++watches !== 2) return;
      // Between the two watches.
      await client.delete("default", "gone");
      await client.delete("default", "again");
      await create("again");
      await label("changed");
      await create("new");
      throw new StatusError("Expired", "the history is gone");
    },
    backend: { ...server.backend, ending: () => watches < 2 ? open.signal : never },
  };
  const clock: Clock = {
    now: () => 0,
    after(_ms, run) {
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
  };
  try {
    for (const name of ["again", "changed", "gone", "same"]) await create(name);
    const informer = localApi(interrupted, admin, { clock }).of(things).informer("default");
    const ending = new AbortController(), log: string[] = [];
    const note = (text: string) => {
      log.push(text);
      // The change that the first watch delivers, and the one that the last watch does.
      if (text === "added first") open.abort();
      if (text === "added last") ending.abort();
    };
    const running = informer.run(ending.signal, {
      added: ({ metadata: { name } }) => note(`added ${name}`),
      updated: ({ metadata: { name, labels } }) => note(`updated ${name} ${labels?.seen}`),
      deleted: ({ metadata: { name } }) => {
        note(`deleted ${name}`);
        if (name === "gone") void create("last");
      },
    });
    await informer.synced;
    assert.equal(informer.objects().length, 4);
    await create("first");
    await running;
    assert.deepEqual(log.slice(0, 5), [...["again", "changed", "gone", "same"].map((name) => `added ${name}`), "added first"]);
    const rest = ["deleted again", "added again", "updated changed yes", "added new", "deleted gone", "added last"];
    assert.deepEqual(log.slice(5), rest);
    assert.deepEqual(informer.objects().map(({ metadata }) => metadata.name).sort(), ["again", "changed", "first", "last", "new", "same"]);
  } finally {
    await close();
  }
});
