// In Deno's suite only: the cache uses nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WatchScope } from "../../../core/api.ts";
import { listOptions } from "../../request/options.ts";
import { parseQuery } from "../../../core/net/query.ts";
import { collectionOf } from "../../reads/reads.ts";
import { entryMaker, makeEntry } from "../index/entry.ts";
import { type Subscriber, Subscribers, type SubscriberScope, type Subscription } from "./subscribers.ts";
import type { RingEvent } from "./ring.ts";
import { selectionOf } from "../index/selection.ts";
import { gather, gatherMs, watchesPerTurnMax } from "../../../core/gather.ts";
import { RecentObjects } from "../index/recent-objects.ts";
import { Slabs } from "../index/slabs.ts";
import { catalog, endpointOf, noteOf, prefix } from "../../../test/reads/fixture.ts";
import { storedBytes } from "../../objects/objects.ts";
import { attributesReader } from "../index/attributes.ts";
import { watchTokensMax } from "../index/tokens.ts";

const endpoint = endpointOf("notes");
const maker = entryMaker(endpoint.stored, new Slabs(), new RecentObjects(), attributesReader(endpoint.stored, catalog));

/** The scope of a watch. */
function where(namespace: string, query: string, watchScope?: WatchScope): SubscriberScope {
  const options = listOptions(parseQuery(query), endpoint, catalog);
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
  const all = new Subscribers(`${prefix}/notes/`, () => clock.now);
  const served: number[][] = [];
  /** Number of subscribers that each turn has served. */
  const turns: number[] = [];
  let isTurn = false;
  const counted = (): void => {
    if (!isTurn) {
      turns.push(0);
      queueMicrotask(() => isTurn = false);
    }
    isTurn = true;
    turns[turns.length - 1]!++;
  };
  for (let index = 0; index < count; index++) {
    const mine: number[] = [];
    let woken: number | undefined;
    const subscriber: Subscriber = {
      get waits() {
        return woken === undefined;
      },
      wake: (first) => woken = first,
      pump() {
        counted();
        mine.push(woken!);
        woken = undefined;
      },
      check() {},
      end() {},
    };
    all.add(subscriber, where("", ""));
    served.push(mine);
  }
  return { clock, served, turns, notify: (first: number) => all.notify([changed("a", undefined, {})], first) };
}
const many = 32;
const each = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test("Subscribers serves a few at every event", () => {
  const { notify, served } = scene(many - 1);
  for (const first of [1, 2, 3]) notify(first);
  assert.deepEqual(served, each(many - 1, [1, 2, 3]));
});

/** Resolves when the turns that are planned at the clock's time have served every subscriber this often. */
async function servedTimes(times: number, served: readonly (readonly number[])[]): Promise<void> {
  while (served.some((mine) => mine.length < times)) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Gives turns that are planned at the clock's time the opportunity to run. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}

for (
  const { count, ms } of [
    { count: many, ms: 10 },
    { count: 333, ms: 10 },
    { count: 500, ms: 15 },
    { count: 800, ms: 24 },
    { count: 1_000, ms: 25 },
  ]
) {
  test(`Subscribers serves each of ${count} at once after a pause, again ${ms - gather.advanceMs} ms later, and then once in ${ms} ms`, async () => {
    const { clock, notify, served } = scene(count);
    notify(1);
    await servedTimes(1, served);
    notify(2);
    clock.now += ms - gather.advanceMs - 0.1;
    await someTurns();
    assert.deepEqual(served, each(count, [1]));
    clock.now += 0.2;
    await servedTimes(2, served);
    notify(3);
    notify(4);
    clock.now += ms - 0.3;
    await someTurns();
    assert.deepEqual(served, each(count, [1, 2]));
    clock.now += 0.4;
    await servedTimes(3, served);
    // Each was woken by the third event, and finds the fourth itself.
    assert.deepEqual(served, each(count, [1, 2, 3]));
  });
}

for (const { count, ms } of [{ count: many, ms: 10 }, { count: 500, ms: 15 }, { count: 1_000, ms: 25 }]) {
  test(`Subscribers serves ${count} at once if there is an event in ${ms} ms`, async () => {
    const { clock, notify, served } = scene(count);
    for (let first = 1; first <= 5; first++) {
      notify(first);
      await servedTimes(first, served);
      clock.now += ms + 0.1;
    }
    assert.deepEqual(served, each(count, [1, 2, 3, 4, 5]));
  });
}

for (const { count, size } of [{ count: 100, size: 32 }, { count: 500, size: 50 }, { count: 3_000, size: watchesPerTurnMax }]) {
  test(`Subscribers serves gathered events of ${count} in turns of ${size}`, async () => {
    const { clock, notify, served, turns } = scene(count);
    let sent = 0;
    do {
      notify(++sent);
      await someTurns();
      if (sent === 1) await servedTimes(1, served);
    } while (served[0]!.length === sent);
    turns.length = 0;
    clock.now += gather.msMax;
    await servedTimes(sent, served);
    assert.deepEqual(turns, [...each(Math.floor(count / size), size), ...count % size === 0 ? [] : [count % size]]);
  });
}

test("Subscribers makes the interval longer while its turns are late, at most gather.msMax", async () => {
  const { clock, notify, served } = scene(many);
  let sent = 0;
  const next = async (): Promise<void> => {
    notify(++sent);
    await someTurns();
  };
  const waiting = (): boolean => served[0]!.length < sent;
  for (let turn = 0; turn < 6; turn++) {
    while (!waiting()) await next();
    clock.now += 40;
    await servedTimes(sent, served);
  }
  clock.now += 1_000;
  await next();
  assert.ok(!waiting());
  await next();
  clock.now += gather.msMax - gather.advanceMs - 0.1;
  await someTurns();
  assert.ok(waiting());
  clock.now += 0.2;
  await servedTimes(sent, served);
});

/** Subscribers of everything on connections with this many each; `turns` has the connections of each turn, once for each subscriber. */
function connectedScene(sizes: readonly number[]) {
  const clock = { now: 1_000 };
  const all = new Subscribers(`${prefix}/notes/`, () => clock.now);
  const turns: number[][] = [];
  let isTurn = false;
  for (const [connection, size] of sizes.entries()) {
    const identity = {};
    for (let index = 0; index < size; index++) {
      let isWoken = false;
      all.add(
        {
          get waits() {
            return !isWoken;
          },
          wake: () => isWoken = true,
          pump() {
            if (!isTurn) {
              turns.push([]);
              queueMicrotask(() => isTurn = false);
            }
            isTurn = true;
            turns.at(-1)!.push(connection);
            isWoken = false;
          },
          check() {},
          end() {},
        },
        where("", ""),
        identity,
      );
    }
  }
  const served = (): number => turns.flat().length;
  return {
    clock,
    turns,
    notify: (first: number) => all.notify([changed("a", undefined, {})], first),
    async until(count: number) {
      while (served() < count) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
}

test("Subscribers serves all subscribers of a connection in one turn", async () => {
  const sizes = [90, 90, 30, 60];
  const { clock, turns, notify, until } = connectedScene(sizes);
  notify(1);
  await until(270);
  assert.deepEqual(turns.map((turn) => [...new Set(turn)]), [[0], [1, 2], [3]]);
  assert.deepEqual(turns.map((turn) => turn.length), [90, 120, 60]);
  // Gathered: each connection again as a whole.
  notify(2);
  notify(3);
  clock.now += gather.msMax;
  await until(540);
  const seen = new Map<number, number>();
  for (const [turn, connections] of turns.entries()) {
    for (const connection of connections) {
      const before = seen.get(connection);
      assert.ok(before === undefined || before === turn || before < 3 && turn >= 3, "a connection is not split");
      seen.set(connection, turn);
    }
  }
});

test("Subscribers divides a connection with more than watchesPerTurnMax", async () => {
  const count = 2 * watchesPerTurnMax + 1;
  const { turns, notify, until } = connectedScene([count]);
  notify(1);
  await until(count);
  assert.deepEqual(turns.map(({ length }) => length), [watchesPerTurnMax, watchesPerTurnMax, 1]);
});

test("Subscribers does not gather the events of a hundred watches on few connections", async () => {
  const { turns, notify } = connectedScene(each(10, 10));
  for (const first of [1, 2, 3]) {
    notify(first);
    await Promise.resolve();
  }
  assert.deepEqual(turns.map(({ length }) => length), [100, 100, 100]);
});

test("gatherMs() counts a further watch of a connection as an eighth of a write", () => {
  for (
    const [connections, watches, ms] of [[31, 31, 0], [32, 32, 10], [16, 136, 0], [16, 144, 10], [500, 500, 15], [100, 3_300, 15]] as const
  ) {
    assert.equal(gatherMs(connections, watches, 1), ms);
  }
});

test("Subscribers serves at most watchesPerTurnMax in one turn, the others in the next ones and not later than further events", async () => {
  const count = 2 * watchesPerTurnMax + 1;
  const { clock, notify, served } = scene(count);
  notify(1);
  const now = () => served.filter((mine) => mine.length === 1).length;
  assert.equal(now(), watchesPerTurnMax);
  notify(2);
  await servedTimes(1, served);
  assert.deepEqual(
    served.slice(watchesPerTurnMax),
    each(count - watchesPerTurnMax, [1]),
    "the second event is found by those that waited",
  );
  clock.now += gather.msMax;
  await servedTimes(2, served.slice(0, watchesPerTurnMax));
});

test("Subscribers wakes those of a connection when it is served, each from its first event on; until then Subscription.first is that event", async () => {
  const clock = { now: 1_000 };
  const all = new Subscribers(`${prefix}/notes/`, () => clock.now);
  const connection = {}, served: string[] = [];
  const add = (name: string, on: object, waits = () => true): Subscription => {
    const subscriber: Subscriber = {
      get waits() {
        return waits();
      },
      wake: (first) => void served.push(`${name} ${first}`),
      pump() {},
      check() {},
      end() {},
    };
    return all.add(subscriber, where("", ""), on);
  };
  let isReading = true;
  const one = add("one", connection), other = add("other", connection), reading = add("reading", connection, () => !isReading);
  const elsewhere = Array.from({ length: many }, () => add("elsewhere", {}, () => false));
  const event = changed("a", undefined, {});
  all.notify([event], 1);
  assert.deepEqual(served.splice(0).sort(), ["one 1", "other 1"]);
  assert.deepEqual([one.first, elsewhere.at(-1)!.first], [undefined, undefined]);
  all.notify([event], 2);
  all.notify([event, event], 3);
  await someTurns();
  assert.deepEqual([served, one.first, other.first, reading.first], [[], 2, 2, 2]);
  // Before the turn one leaves, and another has read what it had before, and waits.
  other.remove();
  isReading = false;
  clock.now += gather.msMax;
  while (served.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(served.sort(), ["one 2", "reading 2"]);
  assert.deepEqual([one.first, reading.first], [undefined, undefined]);
});

test("Subscribers wakes only those with a matching token, of a thousand with one value each", () => {
  const woken: string[] = [];
  const all = new Subscribers(`${prefix}/notes/`);
  const add = (name: string, namespace: string, query: string): Subscription =>
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
  const many = Array.from({ length: watchTokensMax }, (_, index) => `t${index}`);
  add("as many values as tokens", "", `labelSelector=team in (${many})`);
  add("one more", "", `labelSelector=team in (${many},last)`);
  add("all but one", "", "labelSelector=team!=t9");
  const subscription = add("has a team", "default", "labelSelector=team");
  const always = ["all but one", "one more"];

  assert.deepEqual(notify(changed("x", undefined, {})), [...always, "has a team"].sort());
  assert.deepEqual(notify(changed("x", undefined, { mood: "m7" })), [...always, "has a team", "mood 7"].sort());
  subscription.remove();
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

test("Subscribers wakes all below its prefix for a state that cannot be decoded", () => {
  const woken: string[] = [];
  const all = new Subscribers(`${prefix}/notes/`);
  for (
    const [namespace, query] of [["default", "fieldSelector=mood=sad"], ["", "labelSelector=a=b"], ["other", "labelSelector=a=b"]] as const
  ) {
    all.add({ waits: true, wake: () => void woken.push(namespace), pump() {}, check() {}, end() {} }, where(namespace, query));
  }
  all.notify([changed("x", undefined, undefined, new Error("unreadable"))], 1);
  assert.deepEqual(woken.sort(), ["", "default"]);
});

test("Subscribers wakes ownership subscribers for ownership changes only, unless they have a selector", () => {
  const woken: string[] = [];
  const all = new Subscribers(`${prefix}/notes/`);
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

test("Subscribers does not count those that never wait in the interval of the others, and wakes them once they wait", () => {
  const clock = { now: 1_000 }, woken: string[] = [];
  const all = new Subscribers(`${prefix}/notes/`, () => clock.now);
  let stuckWait = false;
  const add = (name: string, waits: () => boolean): void => {
    const nothing = (): void => {};
    const subscriber: Subscriber = {
      get waits() {
        return waits();
      },
      wake: (first) => void woken.push(`${name} ${first}`),
      ...{ pump: nothing, check: nothing, end: nothing },
    };
    all.add(subscriber, where("", ""));
  };
  for (let index = 0; index < many * 2; index++) add("stuck", () => stuckWait);
  add("reads", () => true);
  const notify = (first: number) => all.notify([changed("a", undefined, {})], first);
  const next = (): string[] => woken.splice(0);
  try {
    notify(1);
    assert.deepEqual(next(), ["reads 1"]);
    clock.now += gather.msMax;
    for (const first of [2, 3, 4]) {
      notify(first);
      assert.deepEqual(next(), [`reads ${first}`], "at once");
    }
    stuckWait = true;
    notify(5);
    assert.deepEqual(next().toSorted(), ["reads 5", ...each(many * 2, "stuck 5")]);
  } finally {
    // Planned turns end only when their time has come.
    clock.now += 1_000;
  }
});
