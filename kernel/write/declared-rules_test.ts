import assert from "node:assert/strict";
import { test } from "node:test";
import { coveredByRule, invalid } from "../../core/field-error.ts";
import { object } from "../../core/meta/object.ts";
import { field, int32, struct } from "../../core/schema.ts";
import { createRegistry } from "../../metrics/mod.ts";
import { compileRules } from "../catalog/compile-rules.ts";
import { meterOf } from "../observe/meter.ts";
import { kernelMetrics } from "../../server/metrics/metrics.ts";
import type { RequestContext } from "../request-context.ts";
import { withDeclaredRules } from "./declared-rules.ts";

const Shop = object("Shop", {
  spec: field(2, struct("ShopSpec", { size: field(1, int32, "Size.", { rules: [{ rule: "self > 0" }] }) }), "The shop.", {
    written: "always",
  }),
}, { doc: "A shop." });
const shop = { apiVersion: "example.com/v1", kind: "Shop", metadata: { name: "a" }, spec: { size: 0 } };

/** A request for a kind whose objects cannot be encoded. */
function broken(mode: "compared" | undefined, gates: readonly string[]) {
  const registry = createRegistry(kernelMetrics), reports: string[] = [];
  const stored = { resource: { kind: "Shop" }, rules: compileRules(Shop).rules, encode: () => "{" };
  const call = {
    endpoint: { stored, resource: { kind: "Shop", rules: mode } },
    catalog: { gates: { isOn: (name: string) => gates.includes(name) } },
    backend: { meter: meterOf(registry.record, () => 0) },
    warnings: { add() {} },
    report: (error: unknown) => reports.push(String(error)),
  } as unknown as RequestContext; // the parts that are read
  return { call, registry, reports };
}

test("a failed evaluation is counted and reported; it refuses the object only where the rules apply", async () => {
  const written = [coveredByRule(invalid("spec.size", 0, "in code"))];
  const refusal = /^panic during declarative validation: our own JSON cannot be read: /;
  for (
    const [mode, gates, refuses] of [
      [undefined, [], true],
      ["compared", ["DeclarativeValidation"], false],
      ["compared", ["DeclarativeValidation", "DeclarativeValidationTakeover"], true],
    ] as const
  ) {
    const { call, registry, reports } = broken(mode, gates);
    const errors = withDeclaredRules(call, written, shop, undefined);
    const last = errors.at(-1)!;
    if (refuses) assert.match(last.detail, refusal);
    else assert.deepEqual(errors, written);
    assert.equal(last.type, refuses ? "Internal" : "Invalid");
    assert.equal(reports.length, 1);
    assert.match(await registry.text(), /^apiserver_validation_declarative_validation_panic_total 1$/m);
  }
});
