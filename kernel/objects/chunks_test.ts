import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "../../core/turns.ts";
import { Turn } from "./chunks.ts";

test("Turn.next() lets I/O run between the work of many bodies", async () => {
  const bodies = 16, partMs = 6, partsOfBody = 3;
  let made = 0, most = 0, over = false;
  const watching = (async () => {
    for (let before = made; !over; before = made) {
      await nextTurn();
      most = Math.max(most, made - before);
    }
  })();
  const body = async () => {
    const turn = new Turn();
    for (let part = 0; part < partsOfBody; part++) {
      await turn.next();
      for (const begun = performance.now(); performance.now() - begun < partMs;);
      made++;
    }
  };
  await Promise.all(Array.from({ length: bodies }, body));
  over = true;
  await watching;
  assert.equal(made, bodies * partsOfBody);
  assert.ok(most <= bodies / 2, `${most} parts without I/O between them`);
});
