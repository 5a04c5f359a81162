import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { environment } from "../environment.ts";
import { parse } from "../parse/parse.ts";
import { mapType, parameterType } from "../types.ts";
import { TooLarge } from "./bounds.ts";
import { check } from "./check.ts";
import { Substitutions } from "./substitutions.ts";

const base = environment();
function messages(source: string): readonly string[] | undefined {
  const { ast, issues } = parse(source, base);
  assert.equal(issues, undefined);
  const result = check(ast!, base);
  return result.ok ? undefined : result.issues.map(({ message }) => message);
}
/** A type that doubles with each level. */
const doubling = (levels: number): string => {
  const open = Array.from({ length: levels }, (_, at) => `[{v${at}: v${at}}].map(v${at + 1}, `);
  return `['a'].map(v0, ${open.join("")}v${levels}${")".repeat(levels + 1)}`;
};
describe("check()", () => {
  it("bounds the parts of types, at the bound and one past it", () => {
    assert.equal(messages(doubling(5)), undefined);
    for (const levels of [20, 60]) assert.deepEqual(messages(doubling(levels)), ["type has more than 500 parts"]);
    // Each map adds three parts: itself, and a list of int as its key.
    const maps = (inner: string) => `${"{[1]: ".repeat(166)}${inner}${"}".repeat(166)}`;
    assert.equal(messages(maps("[1]")), undefined);
    assert.deepEqual(messages(maps("[[1]]")), ["type has more than 500 parts"]);
  });

  it("reports a type that is too large as an issue without a position", () => {
    const { ast } = parse(doubling(60), base);
    assert.deepEqual(check(ast!, base), { ok: false, issues: [{ message: "type has more than 500 parts", position: -1 }] });
  });
});

describe("Substitutions.resolve()", () => {
  it("bounds the steps of a chain of parameters that stand for maps of the next one", () => {
    const chain = (length: number) => {
      const substitutions = new Substitutions();
      for (let at = 0; at < length; at++) {
        const next = parameterType(`p${at + 1}`);
        assert.ok(substitutions.isAssignable(parameterType(`p${at}`), mapType(next, next)));
      }
      return () => substitutions.resolve(parameterType("p0"), true);
    };
    assert.doesNotThrow(chain(10));
    assert.throws(chain(40), TooLarge);
  });
});
