import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldRequirement } from "../../../core/selectors/field.ts";
import { assertCheap } from "../../../core/test-cost.ts";
import { collectionOf } from "../../reads/reads.ts";
import { endpointOf, prefix } from "../../../test/reads/fixture.ts";
import { selectionOf } from "./selection.ts";

const collection = collectionOf(prefix, endpointOf("notes"), "default", "");

test("selectionOf() takes linear time for very many requirements on names", () => {
  const fields = Array.from(
    { length: 500_000 },
    (_, at): FieldRequirement => ({ field: "metadata.name", operator: "!=", value: `n${at}` }),
  );
  const { chooses } = assertCheap("selectionOf()", () => selectionOf(collection, { labels: [], fields }));
  assert.ok(chooses);
});

test("selectionOf().name is equal for equal selections only", () => {
  const nameOf = (value: string) => selectionOf(collection, { labels: [{ key: "a", operator: "=", values: [value] }], fields: [] }).name;
  assert.equal(nameOf("b"), nameOf("b"));
  assert.notEqual(nameOf("b"), nameOf("c"));
});
