import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Expr } from "../ast.ts";
import { formatIssues } from "../issues.ts";
import { optionalMacros, standardMacros, twoVariableMacros } from "./macros.ts";
import { parse } from "./parse.ts";

const macros = [...standardMacros, ...twoVariableMacros, ...optionalMacros];
const parsed = (source: string) => parse(source, { macros, optionalSyntax: true });
const tree = (source: string): string => {
  const { ast, issues } = parsed(source);
  return ast === undefined ? formatIssues(source, issues) : shown(ast.expr);
};
const messages = (source: string) => parsed(source).issues?.map(({ message, position }) => `${position} ${message}`);

/** The expression in one line. */
function shown(expr: Expr): string {
  switch (expr.tag) {
    case "constant":
      if (typeof expr.value === "bigint") return String(expr.value);
      if (expr.value instanceof Uint8Array) return `bytes[${expr.value}]`;
      if (typeof expr.value === "object" && expr.value !== null) return `${expr.value.value}u`;
      return typeof expr.value === "number" ? `double ${expr.value}` : JSON.stringify(expr.value);
    case "identifier":
      return expr.name;
    case "select":
      return `${shown(expr.operand)}.${expr.field}${expr.testOnly ? "~" : ""}`;
    case "call":
      return `${expr.target ? `${shown(expr.target)}.` : ""}${expr.function}(${expr.args.map(shown).join(", ")})`;
    case "list":
      return `[${expr.elements.map((element, at) => (expr.optional.includes(at) ? "?" : "") + shown(element)).join(", ")}]`;
    case "map":
      return `{${expr.entries.map((entry) => `${entry.optional ? "?" : ""}${shown(entry.key)}: ${shown(entry.value)}`).join(", ")}}`;
    case "struct":
      return `${expr.type}{${expr.entries.map((entry) => `${entry.optional ? "?" : ""}${entry.field}: ${shown(entry.value)}`).join(", ")}}`;
    case "comprehension": {
      const { range, variable, variable2, accumulator, initial, condition, step, result } = expr;
      const names = variable2 === undefined ? variable : `${variable}, ${variable2}`;
      return `fold(${names} of ${shown(range)}, ${accumulator} = ${shown(initial)}, ${shown(condition)}, ${shown(step)}, ${shown(result)})`;
    }
  }
}

describe("parse()", () => {
  it("binds operators as the grammar says", () => {
    assert.equal(tree("1 + 2 * 3 - 4"), "_-_(_+_(1, _*_(2, 3)), 4)");
    assert.equal(tree("a ? b : c ? d : e"), "_?_:_(a, b, _?_:_(c, d, e))");
    assert.equal(tree("!a.b || -c[0] in d && e"), "_||_(!_(a.b), _&&_(@in(-_(_[_](c, 0)), d), e))");
    assert.equal(tree("!!a"), "a");
    assert.equal(tree("-9223372036854775808"), "-9223372036854775808");
    assert.equal(tree("--1"), "1");
  });

  it("balances chains of logical operators", () => {
    assert.equal(tree("a && b && c && d"), "_&&_(_&&_(a, b), _&&_(c, d))");
    assert.equal(tree("a || b || c"), "_||_(_||_(a, b), c)");
  });

  it("reads literals", () => {
    assert.equal(tree("[0x1F, 12u, 1.5e3, .5, null, true]"), "[31, 12u, double 1500, double 0.5, null, true]");
    assert.equal(tree(String.raw`'a\n\x41\u00e9\U0001F600\101'`), JSON.stringify("a\nAé😀A"));
    assert.equal(tree(String.raw`r'\n' + """a"b""" + ''`), String.raw`_+_(_+_("\\n", "a\"b"), "")`);
    assert.equal(tree(String.raw`b'\xffé\377'`), "bytes[255,195,169,255]");
    assert.deepEqual(messages(String.raw`'\ud800'`), ["0 invalid unicode code point"]);
    assert.deepEqual(messages("9223372036854775808"), ["0 invalid int literal"]);
  });

  it("reads optional syntax where it is on", () => {
    assert.equal(tree("a.?b[?c]"), '_[?_](_?._(a, "b"), c)');
    assert.equal(tree("[?a, b] + {?'k': v} + T.U{?f: v}"), '_+_(_+_([?a, b], {?"k": v}), T.U{?f: v})');
    assert.deepEqual(parse("a.?b", { macros, optionalSyntax: false }).issues, [{ message: "unsupported syntax '.?'", position: 1 }]);
  });

  it("expands macros", () => {
    assert.equal(tree("has(a.b)"), "a.b~");
    assert.equal(
      tree("l.exists(x, x)"),
      "fold(x of l, @result = false, @not_strictly_false(!_(@result)), _||_(@result, x), @result)",
    );
    assert.equal(
      tree("l.map(x, p, t)"),
      "fold(x of l, @result = [], true, _?_:_(p, _+_(@result, [t]), @result), @result)",
    );
    assert.equal(
      tree("m.transformMap(k, v, t)"),
      "fold(k, v of m, @result = {}, true, cel.@mapInsert(@result, k, t), @result)",
    );
    assert.equal(
      tree("o.optMap(x, t)"),
      "_?_:_(o.hasValue(), optional.of(fold(#unused of [], x = o.value(), false, x, t)), optional.none())",
    );
    assert.deepEqual(messages("l.map(1, 2)"), ["6 argument is not an identifier"]);
  });

  it("gives each node its own id and a position", () => {
    const { ast } = parsed("l.all(x, x > 1) && o.optMap(y, y).hasValue()");
    assert.ok(ast);
    const ids = new Set<number>();
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      if ("tag" in value && "id" in value && typeof value.id === "number") {
        assert.ok(!ids.has(value.id), String(value.id));
        ids.add(value.id);
        assert.ok(ast.positions.has(value.id));
      }
      Object.values(value).forEach(visit);
    };
    visit(ast.expr);
  });

  it("reports mistakes in upstream's words", () => {
    assert.equal(
      tree("名 = 1"),
      [
        "ERROR: <input>:1:1: Syntax error: token recognition error at: '名'",
        " | 名 = 1",
        " | ＾",
        "ERROR: <input>:1:3: Syntax error: token recognition error at: '= '",
        " | 名 = 1",
        " | ．.^",
      ].join("\n"),
    );
    assert.deepEqual(messages("f(1 2)"), ["4 Syntax error: extraneous input '2' expecting ')'"]);
    assert.deepEqual(messages("(1"), ["2 Syntax error: missing ')' at '<EOF>'"]);
    assert.deepEqual(messages("a.true"), ["2 Syntax error: mismatched input 'true' expecting IDENTIFIER"]);
    assert.deepEqual(messages("for"), ["0 reserved identifier: for"]);
  });

  it("bounds nesting, at the bound and one past it", () => {
    assert.equal(tree("(".repeat(249) + "1" + ")".repeat(249)), "1");
    assert.deepEqual(messages("(".repeat(250) + "1" + ")".repeat(250)), ["-1 expression recursion limit exceeded: 250"]);
    assert.equal(messages(`a${".b".repeat(250)}`), undefined);
    assert.deepEqual(messages(`a${".b".repeat(251)}`), ["-1 max recursion depth exceeded"]);
    const nested = "[1].all(x, ".repeat(248) + "true" + ")".repeat(248);
    assert.equal(messages(nested), undefined);
  });

  it("bounds the nodes of expanded macros", () => {
    const chain = (length: number) => `o${".optMap(x, x)".repeat(length)}`;
    assert.equal(messages(chain(10)), undefined);
    assert.deepEqual(messages(chain(30)), ["-1 expression has more than 200000 nodes with its macros expanded"]);
  });

  it("bounds the size of the text and the number of mistakes", () => {
    assert.equal(messages(`'${"😀".repeat(99_998)}'`), undefined);
    assert.deepEqual(messages(`'${"😀".repeat(99_999)}'`), ["-1 expression code point size exceeds limit: size: 100001, limit 100000"]);
    assert.equal(messages("@".repeat(50_000))?.at(-1), "100 Syntax error: More than 100 syntax errors");
  });
});
