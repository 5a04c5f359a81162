import { limits } from "../../../core/limits.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WatchScope } from "../../../core/plugin.ts";
import { listOptions } from "../../request/options.ts";
import { parseQuery } from "../../request/query.ts";
import { collectionOf } from "../../reads/reads.ts";
import { entryMaker, makeEntry } from "../index/entry.ts";
import { type Follower, followers, type Where } from "./subscribers.ts";
import type { RingEvent } from "./ring.ts";
import { selectionOf } from "../index/selection.ts";
import { RecentObjects } from "../index/recent-objects.ts";
import { Slabs } from "../index/slabs.ts";
import { catalog, endpointOf, noteOf, prefix } from "../testing/fixture.ts";
import { storedBytes } from "../../objects/objects.ts";
import { attributesReader } from "../index/attributes.ts";

const endpoint = endpointOf("notes");
const maker = entryMaker(endpoint.stored, new Slabs(), new RecentObjects(), attributesReader(endpoint.stored, catalog));

/** What a watch looks at. */
function where(namespace: string, query: string, watchScope?: WatchScope): Where {
  const options = listOptions(parseQuery(query), endpoint, catalog.names, { watchList: true, watchPrefix: false });
  return selectionOf(collectionOf(prefix, endpoint, namespace, ""), options, watchScope);
}

type Note = NonNullable<Parameters<typeof noteOf>[1]> & { readonly finalizers?: readonly string[] };
/** A change of a note in the namespace "default"; undefined where there is none before or after. */
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

/** So many followers of everything, each of which notes from where on it was woken whenever it is served. */
function scene(count: number) {
  const clock = { now: 1_000 };
  const all = followers(`${prefix}/notes/`, () => clock.now);
  const served: number[][] = [];
  for (let index = 0; index < count; index++) {
    const mine: number[] = [];
    let woken: number | undefined;
    const follower: Follower = {
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
    all.add(follower, where("", ""));
    served.push(mine);
  }
  return { clock, served, tell: (first: number) => all.tell([changed("a", undefined, {})], first) };
}
const many = 32;
const each = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test("followers() serves a few whenever something happens", () => {
  const { tell, served } = scene(many - 1);
  for (const first of [1, 2, 3]) tell(first);
  assert.deepEqual(served, each(many - 1, [1, 2, 3]));
});

for (const { count, ms } of [{ count: many, ms: 6.4 }, { count: 100, ms: 20 }, { count: 125, ms: 25 }, { count: 128, ms: 25 }]) {
  test(`followers() gathers for ${count} what comes within ${ms} ms after the last, and serves the first after a pause at once`, async () => {
    const { clock, tell, served } = scene(count);
    tell(1);
    assert.deepEqual(served, each(count, [1]));
    clock.now += ms - 0.1;
    tell(2);
    tell(3);
    assert.deepEqual(served, each(count, [1]));
    while (served[0]!.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    // Each was woken by the second, and finds the third by itself.
    assert.deepEqual(served, each(count, [1, 2]));
    clock.now += ms;
    tell(4);
    assert.deepEqual(served, each(count, [1, 2, 4]));
  });
}

test("followers() wakes of a thousand who demand one value each only those whom a change may concern", () => {
  const woken: string[] = [];
  const all = followers(`${prefix}/notes/`);
  const add = (name: string, namespace: string, query: string): () => void =>
    all.add({ waits: true, wake: () => void woken.push(name), pump() {}, check() {}, end() {} }, where(namespace, query));
  const tell = (...events: RingEvent[]): string[] => {
    woken.length = 0;
    all.tell(events, 1);
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
  add("as many as are told apart", "", `labelSelector=team in (${many})`);
  add("one more", "", `labelSelector=team in (${many},last)`);
  add("all but one", "", "labelSelector=team!=t9");
  const leave = add("has a team", "default", "labelSelector=team");
  const always = ["all but one", "one more"];

  assert.deepEqual(tell(changed("x", undefined, {})), [...always, "has a team"].sort());
  assert.deepEqual(tell(changed("x", undefined, { mood: "m7" })), [...always, "has a team", "mood 7"].sort());
  leave();
  assert.deepEqual(tell(changed("n5", undefined, { mood: "m7" })), [...always, "mood 7", "name 5"].sort());
  // Who saw it before is told that it is gone.
  assert.deepEqual(
    tell(changed("x", { labels: { team: "t30" } }, { labels: { team: "t40" } })),
    [...always, "team 30", "team 40"].sort(),
  );
  assert.deepEqual(tell(changed("x", { mood: "m7", labels: { team: "t30" } }, undefined)), [...always, "mood 7", "team 30"].sort());
  assert.deepEqual(
    tell(changed("x", undefined, { labels: { team: "t1" } })),
    [...always, "as many as are told apart", "team 1", "two teams"].sort(),
  );
  assert.deepEqual(tell(changed("x", undefined, { mood: "m1", labels: { team: "t99" } })), [...always, "both", "mood 1", "team 99"].sort());
  // One change after the other.
  assert.deepEqual(
    tell(changed("x", undefined, { mood: "m50" }), changed("y", undefined, { mood: "m60" })),
    [...always, "mood 50", "mood 60"].sort(),
  );
});

test("followers() wakes all below its prefix for a state that cannot be read", () => {
  const woken: string[] = [];
  const all = followers(`${prefix}/notes/`);
  for (
    const [namespace, query] of [["default", "fieldSelector=mood=sad"], ["", "labelSelector=a=b"], ["other", "labelSelector=a=b"]] as const
  ) {
    all.add({ waits: true, wake: () => void woken.push(namespace), pump() {}, check() {}, end() {} }, where(namespace, query));
  }
  all.tell([changed("x", undefined, undefined, new Error("unreadable"))], 1);
  assert.deepEqual(woken.sort(), ["", "default"]);
});

test("followers() wakes those whom ownership concerns for nothing else, unless they select", () => {
  const woken: string[] = [];
  const all = followers(`${prefix}/notes/`);
  const looks = [["", ""], ["default", ""], ["other", ""], ["", "labelSelector=team=a"], ["", "fieldSelector=metadata.name=x"]] as const;
  for (const [namespace, query] of looks) {
    const follower = { waits: true, wake: () => void woken.push(`${namespace} ${query}`.trim()), pump() {}, check() {}, end() {} };
    all.add(follower, where(namespace, query, "ownership"));
  }
  const tell = (...events: RingEvent[]): string[] => {
    woken.length = 0;
    all.tell(events, 1);
    return [...new Set(woken)].sort();
  };
  const unselected = ["", "default"];
  const owned = { finalizers: ["example.com/keep"] };
  assert.deepEqual(tell(changed("y", { mood: "m1" }, { mood: "m2", labels: { some: "thing" } })), []);
  assert.deepEqual(tell(changed("y", { mood: "m1", ...owned }, { mood: "m2", ...owned })), []);
  assert.deepEqual(tell(changed("y", {}, owned)), unselected);
  assert.deepEqual(tell(changed("y", owned, {})), unselected);
  assert.deepEqual(tell(changed("y", undefined, {})), unselected);
  assert.deepEqual(tell(changed("y", {}, undefined)), unselected);
  const selecting = ["labelSelector=team=a", "fieldSelector=metadata.name=x"];
  assert.deepEqual(tell(changed("y", undefined, undefined, new Error("unreadable"))), [...unselected, ...selecting].sort());
  assert.deepEqual(tell(changed("y", {}, { labels: { team: "a" } })), ["labelSelector=team=a"]);
  assert.deepEqual(tell(changed("x", { mood: "m1" }, { mood: "m2" })), ["fieldSelector=metadata.name=x"]);
  assert.deepEqual(tell(changed("y", { mood: "m1" }, { mood: "m2" }), changed("y", {}, owned)), unselected);
});
