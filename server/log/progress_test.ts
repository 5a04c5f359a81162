import assert from "node:assert/strict";
import { test } from "node:test";
import { loggedProgress, progressTerminal } from "./progress.ts";

/** A terminal that keeps its lines as they are seen. It knows what the program writes: texts, line ends, and clearing the last line. */
function fakeTerminal(columns?: number) {
  let lines = [""];
  return {
    columns,
    writes: 0,
    write(text: string) {
      this.writes++;
      for (const [index, line] of text.split("\n").entries()) {
        if (index > 0) lines.push("");
        const parts = line.split("\r\x1b[K");
        lines = lines.with(-1, parts.length > 1 ? parts.at(-1)! : lines.at(-1)! + line);
      }
    },
    seen: () => lines,
  };
}

test("loggedProgress() logs long work every two seconds, after a minute every thirty, and its end", () => {
  const lines: unknown[] = [];
  let at = 0;
  const begin = loggedProgress({ info: (text, fields) => void lines.push([text, fields]) }, () => at);
  const fill = begin("filling the watch cache");
  for (at of [1000, 1999, 2000, 2500, 4100]) fill.done(500);
  fill.end();
  assert.deepEqual(lines.splice(0), [
    ["filling the watch cache", { objects: 1500, seconds: 2 }],
    ["filling the watch cache", { objects: 2500, seconds: 4 }],
    ["filling the watch cache: ended", { objects: 2500, seconds: 4 }],
  ]);
  at = 0;
  const migration = begin("migrating widgets");
  for (at = 0; at <= 200_000; at += 1000) migration.done(10, 10 * (200 - at / 1000));
  assert.equal(lines.length, 30 + 4);
  assert.deepEqual(lines[4], ["migrating widgets", { objects: 110, total: 2010, seconds: 10, percent: 5, secondsLeft: 173 }]);
});

test("loggedProgress() logs nothing of short work", () => {
  let at = 0;
  const work = loggedProgress({ info: () => assert.fail() }, () => at)("filling the watch cache");
  for (at of [10, 1999]) work.done(500);
  work.end();
});

test("progressTerminal() rewrites one line with count, share, rate and the rest, and leaves nothing", () => {
  const terminal = fakeTerminal();
  let at = 0;
  const work = progressTerminal(terminal, () => at).begin("checking the store");
  at = 499;
  work.done(10, 90);
  assert.deepEqual(terminal.seen(), [""]);
  at = 500;
  work.done(10, 80);
  assert.deepEqual(terminal.seen(), ["checking the store: 20 of 100 objects (20 %), 40 a second, 2 s left"]);
  at = 599;
  work.done(10, 70);
  assert.equal(terminal.writes, 1);
  at = 1000;
  work.done(20, 50);
  assert.deepEqual(terminal.seen(), ["checking the store: 50 of 100 objects (50 %), 50 a second, 1 s left"]);
  work.done(50, 0);
  work.end();
  assert.deepEqual(terminal.seen(), [""]);
});

test("progressTerminal() shows no share and no rest of work whose size is unknown", () => {
  const terminal = fakeTerminal();
  let at = 0;
  const work = progressTerminal(terminal, () => at).begin("filling the watch cache");
  at = 2000;
  work.done(1000);
  assert.deepEqual(terminal.seen(), ["filling the watch cache: 1000 objects, 500 a second"]);
});

test("progressTerminal() keeps lines of the log above, cuts at the width, and shows one of several works", () => {
  const terminal = fakeTerminal(30);
  let at = 0;
  const { begin, above } = progressTerminal(terminal, () => at);
  const log = (line: string) => above(() => terminal.write(`${line}\n`));
  log("first");
  const one = begin("filling the watch cache"), other = begin("migrating widgets");
  at = 10_000;
  one.done(5);
  other.done(7);
  log("second");
  assert.deepEqual(terminal.seen(), ["first", "second", "filling the watch cache: 5 ob"]);
  one.end();
  assert.deepEqual(terminal.seen(), ["first", "second", "migrating widgets: 7 objects,"]);
  other.end();
  log("third");
  assert.deepEqual(terminal.seen(), ["first", "second", "third", ""]);
});
