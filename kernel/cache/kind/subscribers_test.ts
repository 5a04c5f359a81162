import { limits } from "../../../core/limits.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WatchScope } from "../../../core/api.ts";
import { listOptions } from "../../request/options.ts";
import { parseQuery } from "../../request/query.ts";
import { collectionOf } from "../../reads/reads.ts";
import { entryMaker, makeEntry } from "../index/entry.ts";
import { type Subscriber, subscribers, type SubscriberScope } from "./subscribers.ts";
import type { RingEvent } from "./ring.ts";
import { selectionOf } from "../index/selection.ts";
import { RecentObjects } from "../index/recent-objects.ts";
import { Slabs } from "../index/slabs.ts";
import { catalog, endpointOf, noteOf, prefix } from "../testing/fixture.ts";
import { storedBytes } from "../../objects/objects.ts";
import { attributesReader } from "../index/attributes.ts";

const endpoint = endpointOf("notes");
const maker = entryMaker(endpoint.stored, new Slabs(), new RecentObjects(), attributesReader(endpoint.stored, catalog));

/** The scope of a watch. */
function where(namespace: string, query: string, watchScope?: WatchScope): SubscriberScope {
  const options = listOptions(parseQuery(query), endpoint, catalog.names, { watchList: true, watchPrefix: false });
  return selectionOf(collectionOf(prefix, endpoint, namespace, ""), options, watchScope);
}

type Note = NonNullable<Parameters<typeof noteOf>[1]> & { readonly finalizers?: readonly string[] };
/** An event of a note in the namespace "default"; `before` or `after` is undefined if the note did not exist. */
function changed(name: string, before: Note | undefined, after: Note | undefined, failure?: Error): RingEvent {
  const key = `${prefix}/notes/default/${name}`;
  const entry = (what: Note | undefined, revision: number) => {
    if (what === undefined) return undefined;
    const { metadata, ...rest } = noteOf(name, what);
    const finalizers = what.finalizers === undefined ? {} : { finalizers: what.finalizers };
    return makeEntry(maker, key, revision, storedBytes(endpoint.stored, { ...rest, metadata: { ...metadata, ...finalizers } }));
  };
  return { key, revision: 2, prior: entry(before, 1), next: entry(after, 2), failure, at: 0 };
}

/** `count` subscribers of everything; each records the position at which it was woken when it is served. */
function scene(count: number) {
  const clock = { now: 1_000 };
  const all = subscribers(`${prefix}/notes/`, () => clock.now);
  const served: number[][] = [];
  for (let index = 0; index < count; index++) {
    const mine: number[] = [];
    let woken: number | undefined;
    const subscriber: Subscriber = {
      get waits() {
        return woken === undefined;
      },
      wake: (first) => woken = first,
      pump() {
        mine.push(woken!);
        woken = undefined;
      },
      check() {},
      end() {},
    };
    all.add(subscriber, where("", ""));
    served.push(mine);
  }
  return { clock, served, notify: (first: number) => all.notify([changed("a", undefined, {})], first) };
}
const many = 32;
const each = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test("subscribers() serves a few at every event", () => {
  const { notify, served } = scene(many - 1);
  for (const first of [1, 2, 3]) notify(first);
  assert.deepEqual(served, each(many - 1, [1, 2, 3]));
});

for (const { count, ms } of [{ count: many, ms: 6.4 }, { count: 100, ms: 20 }, { count: 125, ms: 25 }, { count: 128, ms: 25 }]) {
  test(`subscribers() gathers events for ${count} within ${ms} ms after the last write, and serves the first event after a pause at once`, async () => {
    const { clock, notify, served } = scene(count);
    notify(1);
    assert.deepEqual(served, each(count, [1]));
    clock.now += ms - 0.1;
    notify(2);
    notify(3);
    assert.deepEqual(served, each(count, [1]));
    while (served[0]!.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    // Each was woken by the second event, and finds the third itself.
    assert.deepEqual(served, each(count, [1, 2]));
    clock.now += ms;
    notify(4);
    assert.deepEqual(served, each(count, [1, 2, 4]));
  });
}

test("subscribers() wakes only those with a matching token, of a thousand with one value each", () => {
  const woken: string[] = [];
  const all = subscribers(`${prefix}/notes/`);
  const add = (name: string, namespace: string, query: string): () => void =>
    all.add({ waits: true, wake: () => void woken.push(name), pump() {}, check() {}, end() {} }, where(namespace, query));
  const notify = (...events: RingEvent[]): string[] => {
    woken.length = 0;
    all.notify(events, 1);
    return [...new Set(woken)].sort();
  };
  for (let index = 0; index < 1_000; index++) {
    add(`mood ${index}`, index % 2 === 0 ? "default" : "", `fieldSelector=mood=m${index}`);
    add(`team ${index}`, index % 2 === 0 ? "default" : "", `labelSelector=team=t${index}`);
    add(`name ${index}`, "", `fieldSelector=metadata.name=n${index}`);
  }
  add("elsewhere", "elsewhere", "labelSelector=team=t1");
  add("two teams", "", "labelSelector=team in (t1,t2)");
  add("both", "", "fieldSelector=mood=m1&labelSelector=team=t2");
  const many = Array.from({ length: limits.watchTokensMax }, (_, index) => `t${index}`);
  add("as many values as tokens", "", `labelSelector=team in (${many})`);
  add("one more", "", `labelSelector=team in (${many},last)`);
  add("all but one", "", "labelSelector=team!=t9");
  const leave = add("has a team", "default", "labelSelector=team");
  const always = ["all but one", "one more"];

  assert.deepEqual(notify(changed("x", undefined, {})), [...always, "has a team"].sort());
  assert.deepEqual(notify(changed("x", undefined, { mood: "m7" })), [...always, "has a team", "mood 7"].sort());
  leave();
  assert.deepEqual(notify(changed("n5", undefined, { mood: "m7" })), [...always, "mood 7", "name 5"].sort());
  // A subscriber of the old state must see the deletion.
  assert.deepEqual(
    notify(changed("x", { labels: { team: "t30" } }, { labels: { team: "t40" } })),
    [...always, "team 30", "team 40"].sort(),
  );
  assert.deepEqual(notify(changed("x", { mood: "m7", labels: { team: "t30" } }, undefined)), [...always, "mood 7", "team 30"].sort());
  assert.deepEqual(
    notify(changed("x", undefined, { labels: { team: "t1" } })),
    [...always, "as many values as tokens", "team 1", "two teams"].sort(),
  );
  assert.deepEqual(
    notify(changed("x", undefined, { mood: "m1", labels: { team: "t99" } })),
    [...always, "both", "mood 1", "team 99"].sort(),
  );
  // Two events at once.
  assert.deepEqual(
    notify(changed("x", undefined, { mood: "m50" }), changed("y", undefined, { mood: "m60" })),
    [...always, "mood 50", "mood 60"].sort(),
  );
});

test("subscribers() wakes all below its prefix for a state that cannot be decoded", () => {
  const woken: string[] = [];
  const all = subscribers(`${prefix}/notes/`);
  for (
    const [namespace, query] of [["default", "fieldSelector=mood=sad"], ["", "labelSelector=a=b"], ["other", "labelSelector=a=b"]] as const
  ) {
    all.add({ waits: true, wake: () => void woken.push(namespace), pump() {}, check() {}, end() {} }, where(namespace, query));
  }
  all.notify([changed("x", undefined, undefined, new Error("unreadable"))], 1);
  assert.deepEqual(woken.sort(), ["", "default"]);
});

test("subscribers() wakes ownership subscribers for ownership changes only, unless they have a selector", () => {
  const woken: string[] = [];
  const all = subscribers(`${prefix}/notes/`);
  const looks = [["", ""], ["default", ""], ["other", ""], ["", "labelSelector=team=a"], ["", "fieldSelector=metadata.name=x"]] as const;
  for (const [namespace, query] of looks) {
    const subscriber = { waits: true, wake: () => void woken.push(`${namespace} ${query}`.trim()), pump() {}, check() {}, end() {} };
    all.add(subscriber, where(namespace, query, "ownership"));
  }
  const notify = (...events: RingEvent[]): string[] => {
    woken.length = 0;
    all.notify(events, 1);
    return [...new Set(woken)].sort();
  };
  const unselected = ["", "default"];
  const owned = { finalizers: ["example.com/keep"] };
  assert.deepEqual(notify(changed("y", { mood: "m1" }, { mood: "m2", labels: { some: "thing" } })), []);
  assert.deepEqual(notify(changed("y", { mood: "m1", ...owned }, { mood: "m2", ...owned })), []);
  assert.deepEqual(notify(changed("y", {}, owned)), unselected);
  assert.deepEqual(notify(changed("y", owned, {})), unselected);
  assert.deepEqual(notify(changed("y", undefined, {})), unselected);
  assert.deepEqual(notify(changed("y", {}, undefined)), unselected);
  const selecting = ["labelSelector=team=a", "fieldSelector=metadata.name=x"];
  assert.deepEqual(notify(changed("y", undefined, undefined, new Error("unreadable"))), [...unselected, ...selecting].sort());
  assert.deepEqual(notify(changed("y", {}, { labels: { team: "a" } })), ["labelSelector=team=a"]);
  assert.deepEqual(notify(changed("x", { mood: "m1" }, { mood: "m2" })), ["fieldSelector=metadata.name=x"]);
  assert.deepEqual(notify(changed("y", { mood: "m1" }, { mood: "m2" }), changed("y", {}, owned)), unselected);
});
