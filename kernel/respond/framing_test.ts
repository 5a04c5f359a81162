import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestContext } from "../request-context.ts";
import { framingOf } from "./framing.ts";

test("framingOf().id of a table changes each second, as its ages do, and is constant otherwise", () => {
  let now = 5_000;
  const idOf = (as: string) => {
    const call = {
      endpoint: { apiVersion: "v1" },
      backend: { meter: { now: () => 0, watched: () => () => {} }, clock: { now: () => now } },
      output: { encoding: "json", transform: { as, version: "v1" } },
      info: { query: { first: () => "" } },
    } as unknown as RequestContext; // the fields that framingOf() reads
    return framingOf(call);
  };
  const table = idOf("Table"), partial = idOf("PartialObjectMetadata");
  const [ofTable, ofPartial] = [table.id, partial.id];
  now = 5_999;
  assert.deepEqual([table.id, idOf("Table").id, partial.id], [ofTable, ofTable, ofPartial]);
  now = 6_000;
  assert.notEqual(table.id, ofTable);
  assert.deepEqual([idOf("Table").id, partial.id], [table.id, ofPartial]);
});
