import assert from "node:assert/strict";
import { test } from "node:test";
import { Budget } from "../budget.ts";
import type { Json } from "../json.ts";
import { StatusError } from "../status-error.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { defaultBytesMax, withDefaults } from "./defaults.ts";
import { requestStepsMax } from "../../kernel/pipeline/dispatch.ts";

const text = (length: number): StructuralSchema => ({ type: "string", default: "x".repeat(length) });
const items = (length: number): StructuralSchema => ({
  type: "array",
  items: { type: "object", properties: { d: text(length) } },
});
const empty = (count: number): Json => Array.from({ length: count }, () => ({}));
const newBudget = () => new Budget(requestStepsMax, () => new Error("steps"));

/** Bytes of the member `"d":"x..."` as they are counted. */
const counted = (length: number) => 1 + length + 2 + 4;

test("withDefaults() adds defaults up to the bound of bytes, and rejects more in a request", () => {
  const count = Math.floor(defaultBytesMax / counted(993));
  const full = newBudget().run(() => withDefaults(empty(count), items(993))) as readonly { readonly d: string }[];
  assert.equal(full.every(({ d }) => d.length === 993), true);
  const isRefused = (error: unknown) =>
    error instanceof StatusError && error.code === 413 && /defaults of the definition/.test(error.message);
  assert.throws(() => newBudget().run(() => withDefaults(empty(count + 1), items(993))), isRefused);
});

test("withDefaults() leaves defaults beyond the bound out of an object that is read", () => {
  const found = withDefaults(empty(10_000), items(20_000)) as readonly { readonly d?: string }[];
  assert.equal(found.length, 10_000);
  assert.equal(found.filter(({ d }) => d !== undefined).length, Math.floor(defaultBytesMax / counted(20_000)));
});

test("withDefaults() counts defaults inside of defaults while they are added", () => {
  let inner: StructuralSchema = { type: "object", properties: { d: text(10) } };
  for (let depth = 0; depth < 8; depth++) {
    inner = {
      type: "object",
      properties: { l: { type: "array", items: inner, default: empty(50) } },
    };
  }
  assert.throws(() => newBudget().run(() => withDefaults({}, inner)), StatusError); // 50 to the power of 8
  assert.ok(JSON.stringify(withDefaults({}, inner)).length < 2 * defaultBytesMax);
});

test("withDefaults() charges members with defaults, not all members, of each item", () => {
  const properties = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type: "string" }]));
  const schema: StructuralSchema = { type: "array", items: { type: "object", properties: { ...properties, d: text(1) } } };
  const budget = newBudget();
  budget.run(() => withDefaults(empty(1_000), schema));
  assert.ok(budget.spent < 50_000, `${budget.spent} steps`);
});
