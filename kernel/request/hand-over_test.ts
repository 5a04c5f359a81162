// In Deno's suite only: nothing here depends on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HeavyRoute } from "./hand-over.ts";

test("HeavyRoute.check() throws from a change on, until the change is undone", () => {
  const route = new HeavyRoute({ run: () => Promise.reject(new Error("not used")) });
  route.check();
  route.changes("an object");
  assert.throws(() => route.check(), /A request that has changed an object cannot be handed over/);
  route.isUndone();
  route.check();
});
