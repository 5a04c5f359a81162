import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "./turns.ts";

test("Turns.next() resolves for one caller in a turn of the event loop, in the order of the calls", async () => {
  const turns = new Turns();
  let turn = 0, over = false;
  const count = () => {
    turn++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const seen: { readonly caller: number; readonly turn: number }[] = [];
  await Promise.all([0, 1, 2, 3].map((caller) => turns.next().then(() => seen.push({ caller, turn }))));
  over = true;
  assert.deepEqual(seen.map(({ caller }) => caller), [0, 1, 2, 3]);
  assert.equal(new Set(seen.map((each) => each.turn)).size, seen.length);
});
