// Cases from the expression tables of Kubernetes' own tests. They are for a later release; the recorded cases hold where both differ.
// In Deno's suite only: expressions and their results are recorded, and no module of a runtime is used.
import assert from "node:assert/strict";
import { test } from "node:test";
import { environment } from "../../cel/environment.ts";
import { escapeName, unescapeName } from "../../cel/schema/escape.ts";
import { compile } from "../../cel/compile.ts";
import { CelError } from "../../cel/values.ts";
import { formatIssues } from "../../cel/issues.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { StructuralSchema } from "../../core/structural-schema.ts";
import { sharedFile } from "./cases.ts";
import { sameValue } from "./compare.ts";
import { runRuleCase } from "./rule-case.ts";
import { tagged } from "./values.ts";

interface KubernetesCase {
  readonly id: string;
  readonly group: string;
  readonly expr: string;
  readonly fixture?: string;
  readonly expect: {
    readonly value?: Json;
    readonly runtimeError?: string;
    readonly compileError?: string;
    readonly errorContains?: string;
    readonly runtimeCost?: number;
    readonly estimatedCostMax?: number;
  };
  readonly match?: "exact" | "regex";
  /** The text is that of upstream's parser: any error is right. */
  readonly wordingOptional?: boolean;
}
interface Fixture {
  readonly schema: StructuralSchema;
  readonly self: Json;
  readonly oldSelf?: Json;
  readonly resourceRoot?: boolean;
}
interface Vectors {
  readonly fixtures: Readonly<Record<string, Fixture>>;
  readonly cases: readonly KubernetesCase[];
  readonly escaping: {
    readonly cases: readonly { readonly name: string; readonly escaped: string | null }[];
    readonly malformedToUnescape: readonly string[];
  };
}

/** Integers beyond 2^53-1 are given as `{"$int": text}`. */
function revived(_key: string, value: unknown): unknown {
  return typeof value === "object" && value !== null && "$int" in value ? BigInt(String(value.$int)) : value;
}

/** The difference of a case of a rule in a schema; undefined if there is none. */
function mistakeOfRule(
  { expr, expect, wordingOptional }: KubernetesCase,
  { schema, self, oldSelf, resourceRoot }: Fixture,
): string | undefined {
  const ruled = { ...schema, "x-kubernetes-validations": [{ rule: expr }] } as StructuralSchema;
  const root = resourceRoot === true ? ruled : { type: "object", properties: { it: ruled } } as StructuralSchema;
  const objectOf = (value: Json): Json => resourceRoot === true ? value : { it: value };
  const found = runRuleCase({
    mode: "rule",
    id: "",
    group: "",
    schema: root,
    object: objectOf(self),
    ...(oldSelf === undefined ? {} : { oldObject: objectOf(oldSelf) }),
    expect: { errors: [] },
  });
  const [rule] = found["rules"] as readonly JsonObject[];
  const errors = [
    rule?.["compileError"],
    rule?.["typeInfoError"],
    ...(found["errors"] as readonly JsonObject[]).map(({ message }) => message),
  ]
    .filter((text) => typeof text === "string");
  const shown = JSON.stringify({ rule, errors, cost: found["cost"] });
  if (expect.errorContains !== undefined) {
    return errors.some((text) => wordingOptional === true || text.includes(expect.errorContains!)) ? undefined : shown;
  }
  const isTrue = errors.length === 0;
  const isRight = (expect.value === undefined || (expect.value as JsonObject)["bool"] === isTrue) &&
    (expect.runtimeCost === undefined || expect.runtimeCost === found["cost"]) &&
    (expect.estimatedCostMax === undefined || expect.estimatedCostMax === rule?.["estimatedCost"]);
  return isRight ? undefined : shown;
}

const all = environment();

/** The difference of a case without variables; undefined if there is none. Costs without constant folding are those of no API server, and are not compared. */
function mistakeOfExpression({ expr, expect, match }: KubernetesCase): string | undefined {
  const fits = (text: string, wanted: string) => match === "regex" ? new RegExp(wanted).test(text) : text.includes(wanted);
  const compiled = compile(expr, all);
  if (compiled.tag !== "program") {
    const text = compiled.tag === "failed" ? compiled.message : formatIssues(expr, compiled.issues);
    const wanted = expect.compileError ?? expect.runtimeError;
    return wanted !== undefined && fits(text, wanted) ? undefined : text;
  }
  const { value } = compiled.program.evaluate(() => undefined);
  if (value instanceof CelError) {
    return expect.runtimeError !== undefined && fits(value.message, expect.runtimeError) ? undefined : value.message;
  }
  const found = tagged(value);
  return expect.value !== undefined && sameValue(expect.value, found) ? undefined : JSON.stringify(found);
}

const file = sharedFile("cel-k8s-cases.json", revived);
if (file === undefined) test("cases of Kubernetes' own tests", { skip: "../shared/vectors is not there" }, () => {});
else {
  const { cases, fixtures, escaping } = file as unknown as Vectors; // as its README says
  for (const [group, members] of Map.groupBy(cases, (each) => each.group)) {
    if (group === "cost-library") continue; // Costs without constant folding only.
    test(`cases of Kubernetes' own tests: ${group}`, () => {
      const wrong = members.flatMap((each) => {
        const fixture = each.fixture === undefined ? undefined : fixtures[each.fixture];
        const mistake = fixture === undefined ? mistakeOfExpression(each) : mistakeOfRule(each, fixture);
        return mistake === undefined ? [] : [`${each.id} ${each.expr}: ${JSON.stringify(each.expect)}: ${mistake}`];
      });
      assert.deepEqual(wrong, []);
    });
  }
  test("cases of Kubernetes' own tests: names are escaped", () => {
    for (const { name, escaped } of escaping.cases) {
      assert.equal(escapeName(name) ?? null, escaped, name);
      if (escaped !== null) assert.equal(unescapeName(escaped), name);
    }
    for (const text of escaping.malformedToUnescape) assert.equal(unescapeName(text), undefined, text);
  });
}
