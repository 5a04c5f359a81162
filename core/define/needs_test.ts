// In Deno's suite only: a function of values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { needMistakes } from "./needs.ts";

const plugin = (name: string, ...needs: string[]) => ({ name, summary: "A plugin.", needs });

test("needMistakes() names both plugins, for each need that is not selected", () => {
  assert.deepEqual(needMistakes([plugin("a", "b", "c"), plugin("c"), { name: "d", summary: "Another." }]), [
    'plugin "a" needs the plugin "b", which is not selected: select "b" too, or leave out "a"',
  ]);
  assert.deepEqual(needMistakes([plugin("a", "b"), plugin("b", "a")]), []);
});
