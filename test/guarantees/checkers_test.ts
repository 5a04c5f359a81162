// Each checker accepts a correct history and finds the violation in histories with one mistake.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./checkers.ts";
import type { Chain, History, Read, WatchEvent, Write } from "./history.ts";

const event = (type: WatchEvent["type"], key: string, value: string, revision: number, wanted = true): WatchEvent => ({
  type,
  key,
  value,
  revision,
  wanted,
});
const put = (key: string, value: string, revision: number, begun: number, ended: number): Write => ({
  op: "put",
  key,
  value,
  revision,
  begun,
  ended,
  outcome: "done",
});

const events = [
  event("ADDED", "a", "1", 11),
  event("MODIFIED", "a", "2", 12, false),
  event("BOOKMARK", "", "", 12),
  event("ADDED", "b", "3", 13),
  event("DELETED", "a", "2", 14, false),
];
const right = {
  writes: [
    put("a", "1", 11, 0, 10),
    put("a", "2", 12, 11, 20),
    put("b", "3", 13, 15, 30),
    { op: "delete", key: "a", value: "d", begun: 31, ended: 40, outcome: "done" },
    { op: "put", key: "b", value: "4", begun: 31, ended: 40, outcome: "refused" },
    { op: "put", key: "b", value: "5", begun: 31, ended: 40, outcome: "unknown" },
  ] as Write[],
  reads: [
    { key: "a", begun: 21, ended: 22, found: { revision: 12, value: "2" } },
    { key: "a", begun: 41, ended: 42, found: undefined },
  ] as Read[],
  chains: [
    { watcher: "all", filtered: false, start: 10, events },
    { watcher: "late", filtered: false, start: 12, events: events.slice(3) },
    {
      watcher: "some",
      filtered: true,
      start: 10,
      events: [events[0]!, event("DELETED", "a", "1", 12), events[3]!, event("BOOKMARK", "", "", 14)],
    },
  ] as Chain[],
} satisfies History;

test("a correct history has no violations", () => assert.deepEqual(violations(right), []));

/** Unfiltered watchers missed 13 to 15, in which `a` was deleted and `b` was written and lost its label. */
const gap: History = {
  writes: [...right.writes, { op: "delete", key: "b", value: "d", begun: 50, ended: 60, outcome: "done" }],
  reads: [
    { key: "a", begun: 70, ended: 71, found: undefined, atLeast: 12 },
    { key: "b", begun: 45, ended: 46, found: { revision: 15, value: "6" } },
  ],
  chains: [
    { watcher: "all", filtered: false, start: 10, events: events.slice(0, 3) },
    { watcher: "all 2", filtered: false, start: 15, events: [event("DELETED", "b", "6", 16, false)] },
    {
      watcher: "some",
      filtered: true,
      start: 10,
      events: [events[0]!, event("DELETED", "a", "1", 12), events[3]!, event("DELETED", "b", "3", 15)],
    },
  ],
};
test("events that no watcher saw because history was compacted are not a violation", () => assert.deepEqual(violations(gap), []));

const withEvents = (watcher: string, change: (events: WatchEvent[]) => WatchEvent[]): History => ({
  ...right,
  chains: right.chains.map((chain) => chain.watcher === watcher ? { ...chain, events: change([...chain.events]) } : chain),
});

for (
  const [what, history, expected] of [
    ["an event out of order", withEvents("late", ([a, b]) => [b!, a!]), /late: ADDED b=3 at 13 comes after 14/],
    ["an event twice", withEvents("late", ([a, b]) => [a!, a!, b!]), /late: ADDED b=3 at 13 comes after 13/],
    ["an event from before the start", withEvents("late", (some) => [events[1]!, ...some]), /late: MODIFIED a=2 at 12 comes after 12/],
    [
      "an event that a bookmark has passed",
      withEvents("all", ([a, b, c, ...rest]) => [a!, c!, b!, ...rest]),
      /all: MODIFIED a=2 at 12 comes after 12/,
    ],
    ["a gap", withEvents("all", (some) => some.filter(({ revision }) => revision !== 13)), /all: nothing at 13/],
    ["a gap before a bookmark", withEvents("late", () => [event("BOOKMARK", "", "", 14)]), /late: nothing at 13/],
    ["two watchers that see different things", withEvents("late", ([a, b]) => [{ ...a!, value: "x" }, b!]), /for others/],
    [
      "a filtered watcher with an event that does not match",
      withEvents("some", (some) => [...some, events[4]!]),
      /some: DELETED at 14, not nothing/,
    ],
    [
      "a filtered watcher that misses an object leaving",
      withEvents("some", (some) => some.filter(({ revision }) => revision !== 12)),
      /some: nothing at 12, not DELETED/,
    ],
    ["a lost write", { ...right, writes: [...right.writes, put("c", "9", 14, 0, 5)] }, /c=9 was acknowledged at 14, and is lost/],
    [
      "a refused write that was done",
      { ...right, writes: right.writes.map((each) => each.value === "3" ? { ...each, outcome: "refused" as const } : each) },
      /b=3 was refused, and is there at 13/,
    ],
    [
      "a lost deletion",
      { ...right, writes: [...right.writes, { ...right.writes[3]!, value: "d2" }] },
      /a: 2 deletions acknowledged and 0 perhaps, 1 seen/,
    ],
    [
      "revisions against the order of time",
      { ...right, writes: right.writes.map((each) => each.value === "1" ? { ...each, begun: 21, ended: 25 } : each) },
      /a=1 has 11, though 12 was acknowledged before it began/,
    ],
    [
      "a stale read",
      { ...right, reads: [{ key: "a", begun: 21, ended: 22, found: { revision: 11, value: "1" } }] },
      /a was read at 11, though 12/,
    ],
    [
      "a read that is older than what it asked for",
      { ...right, reads: [{ key: "a", begun: 11, ended: 12, atLeast: 12, found: { revision: 11, value: "1" } }] },
      /a was read at 11, though 12/,
    ],
    [
      "a read of what never stood there",
      { ...right, reads: [{ key: "a", begun: 0, ended: 1, found: { revision: 11, value: "0" } }] },
      /a=0 was read at 11/,
    ],
    [
      "an object that is not found",
      { ...right, reads: [{ key: "b", begun: 31, ended: 32, found: undefined }] },
      /b was not found, though 13/,
    ],
  ] as readonly (readonly [string, History, RegExp])[]
) {
  test(`the checkers find ${what}`, () => assert.match(violations(history).join("\n"), expected));
}
