import assert from "node:assert/strict";
import { test } from "node:test";
import { expressionTurnMs, ExpressionWork } from "./expression-work.ts";

/** An expression that takes as long as a turn may. */
function longExpression(): void {
  for (const begun = performance.now(); performance.now() - begun < expressionTurnMs;);
}

test("the first expressions of requests that arrive together run in turns of their own once one of them was long", async () => {
  let turn = 0, over = false;
  const count = () => {
    turn++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const seen: { readonly request: number; readonly turn: number }[] = [];
  await Promise.all(Array.from({ length: 5 }, async (_, request) => {
    const work = new ExpressionWork();
    for (let expression = 0; expression < 2; expression++) {
      const pause = work.pause();
      if (pause !== undefined) await pause;
      seen.push({ request, turn });
      longExpression();
    }
  }));
  over = true;
  assert.equal(new Set(seen.map((each) => each.turn)).size, seen.length, JSON.stringify(seen));
});

test("a request whose expressions are short does not wait, unless others do", async () => {
  await new Promise((resolve) => setImmediate(resolve)); // a turn without others
  assert.equal(new ExpressionWork().pause(), undefined);
  longExpression();
  const first = new ExpressionWork(), paused = first.pause();
  assert.ok(paused !== undefined, "expressions of another request took long in this turn");
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(new ExpressionWork().pause() !== undefined, "another one waits");
  await paused;
  assert.equal(first.pause(), undefined, "its turn");
});
