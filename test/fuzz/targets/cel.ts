import assert from "node:assert/strict";
import type { Expr } from "../../../cel/ast.ts";
import type { CheckedAst, Overload } from "../../../cel/declarations.ts";
import type { Value } from "../../../cel/values.ts";
import type { Target } from "../fuzz.ts";

/** Deeper expressions are rejected by the parser. */
const depthMax = 100;
const costMax = 20_000;

/** Whether a function has an overload of so many arguments. The checker rejects other calls. */
type IsCallable = (name: string, args: number) => boolean;

/** The inputs for making an expression. */
interface Making {
  readonly next: () => number;
  readonly isCallable: IsCallable;
}

/** An expression as JSON: `["call", argument...]`, `["map", range, body]`, `["all", range, body]`, `["name"]`, or a literal. */
function exprOf(json: unknown, depth: number, making: Making): Expr | undefined {
  const { next } = making;
  if (depth > depthMax) return undefined;
  if (typeof json === "number") return { tag: "constant", id: next(), value: Number.isInteger(json) ? BigInt(json) : json };
  if (json === null || typeof json === "string" || typeof json === "boolean") return { tag: "constant", id: next(), value: json };
  if (!Array.isArray(json) || typeof json[0] !== "string") return undefined;
  const parts = json.slice(1).map((part) => exprOf(part, depth + 1, making));
  if (parts.some((part) => part === undefined)) return undefined;
  return nodeOf(json[0], parts as Expr[], making); // none is undefined
}

function nodeOf(name: string, parts: readonly Expr[], { next, isCallable }: Making): Expr | undefined {
  const [first, second] = parts;
  if (first === undefined) return { tag: "identifier", id: next(), name };
  if (name === "list") return { tag: "list", id: next(), elements: parts, optional: [] };
  if (name === "entry" && second !== undefined) {
    return { tag: "map", id: next(), entries: [{ id: next(), key: first, value: second, optional: false }] };
  }
  if (name === "has" || name === "field") return { tag: "select", id: next(), operand: first, field: "a", testOnly: name === "has" };
  if ((name === "map" || name === "all") && second !== undefined) return loopOf(name === "map", first, second, next);
  return isCallable(name, parts.length) ? { tag: "call", id: next(), target: undefined, function: name, args: parts } : undefined;
}

function loopOf(isMap: boolean, range: Expr, body: Expr, next: () => number): Expr {
  const result = (): Expr => ({ tag: "identifier", id: next(), name: "@result" });
  const call = (name: string, ...args: Expr[]): Expr => ({ tag: "call", id: next(), target: undefined, function: name, args });
  const items: Expr = { tag: "list", id: next(), elements: [body], optional: [] };
  return {
    tag: "comprehension",
    id: next(),
    range,
    variable: "x",
    variable2: undefined,
    accumulator: "@result",
    initial: isMap ? { tag: "list", id: next(), elements: [], optional: [] } : { tag: "constant", id: next(), value: true },
    condition: isMap ? { tag: "constant", id: next(), value: true } : call("@not_strictly_false", result()),
    step: isMap ? call("_+_", result(), items) : call("_&&_", result(), body),
    result: result(),
  };
}

function checkedOf(expr: Expr): CheckedAst {
  return {
    expr,
    source: "",
    positions: new Map(),
    macroCalls: new Map(),
    types: new Map(),
    references: new Map(),
    outputType: { tag: "dyn" },
  };
}

/** Expressions of all operators and functions with arguments of any type: each ends within its cost, with a value or an error. */
export const celEvaluation: Target = {
  name: "cel-evaluation",
  grammar: {
    expr: ["<value>", '["<unary>",<expr>]', '["<binary>",<expr>,<expr>]', '["<ternary>",<expr>,<expr>,<expr>]', "<loop>"],
    loop: ['["map",<range>,<expr>]', '["all",<range>,<expr>]', '["map",["map",<range>,<expr>],["_+_",["x"],["x"]]]'],
    range: ['["list",<expr>,<expr>,<expr>]', '["object"]', '["field",["object"]]', "<expr>"],
    value: [
      "1",
      "-1",
      "0",
      "2.5",
      '"<text>"',
      "null",
      "true",
      "9007199254740991",
      '["object"]',
      '["x"]',
      '["field",["object"]]',
      '["absent"]',
    ],
    text: [
      "",
      "a",
      "1",
      "1h",
      "2024-01-01T00:00:00Z",
      "[a-z]*",
      "(a|b){2,9}",
      "é😀",
      "1Ki",
      "10.0.0.1",
      "http://a/",
      "UTC",
      "a".repeat(300),
    ],
    unary: [
      "!_",
      "-_",
      "size",
      "has",
      "field",
      "list",
      "int",
      "uint",
      "double",
      "string",
      "bytes",
      "bool",
      "timestamp",
      "duration",
      "type",
      "dyn",
      "getHours",
      "getFullYear",
      "getMilliseconds",
      "optional.of",
      "optional.ofNonZeroValue",
      "hasValue",
      "value",
      "quantity",
      "url",
      "ip",
      "cidr",
      "semver",
      "reverse",
      "sort",
      "distinct",
      "flatten",
      "sum",
      "trim",
      "lowerAscii",
      "absent",
    ],
    binary: [
      "_+_",
      "_-_",
      "_*_",
      "_/_",
      "_%_",
      "_==_",
      "_!=_",
      "_<_",
      "_>=_",
      "_&&_",
      "_||_",
      "@in",
      "_[_]",
      "_[?_]",
      "_?._",
      "or",
      "orValue",
      "contains",
      "startsWith",
      "matches",
      "findAll",
      "split",
      "join",
      "format",
      "indexOf",
      "entry",
      "list",
      "sets.contains",
      "add",
    ],
    ternary: ["_?_:_", "replace", "substring", "slice", "list"],
  },
  start: "expr",
  binary: false,
  // An evaluation may use all of its steps: what it does within its cost does not depend on the length of the expression.
  stepsPerCharacter: 10_000_000,
  async open(code) {
    const { programOf } = await code.load("cel/evaluate/program.ts");
    const { environment } = await code.load("cel/environment.ts");
    const { valueOfJson, jsonOfValue } = await code.load("cel/value/json.ts");
    const { messageText } = await code.load("cel/value/text.ts");
    const { runMetered } = await code.load("cel/value/work.ts");
    const known = environment();
    const isCallable: IsCallable = (name, count) =>
      known.functions.get(name)?.overloads.some(({ args }: Overload) => args.length === count) ?? false;
    const object: Value = valueOfJson({ a: [1, 2, "x", null, { a: 1.5 }], b: { a: "text" }, c: true });
    const variables = (name: string): Value | undefined => name === "object" ? object : undefined;
    return (input) => {
      let json: unknown;
      try {
        json = JSON.parse(input);
      } catch {
        return; // mutated inputs may be no JSON
      }
      const ids = { next: 1 };
      const expr = exprOf(json, 0, { next: () => ids.next++, isCallable });
      if (expr === undefined) return;
      const program = programOf(checkedOf(expr), known);
      if (typeof program === "string") return;
      const first = program.evaluate(variables, costMax), second = program.evaluate(variables, costMax);
      assert.equal(first.cost, second.cost, "the cost stays");
      // One call may cost more than is left; then the evaluation has stopped.
      assert.ok(first.cost <= costMax || first.stopped === "cost", "the evaluation ends within its cost");
      runMetered(100_000, () => (jsonOfValue(first.value), messageText(first.value)));
    };
  },
};
