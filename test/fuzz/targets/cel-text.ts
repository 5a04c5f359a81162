import assert from "node:assert/strict";
import type { Issue } from "../../../cel/ast.ts";
import type { Target } from "../fuzz.ts";

/** Texts of expressions: the parser, expansion of macros, the checker and the text of issues, and shard selectors. */
export const celText: Target = {
  name: "cel-text",
  grammar: {
    text: ["<expr>", "<expr><space><expr>", "<broken>", (w) => w.write("open").repeat(w.below(300))],
    expr: [
      "<or>",
      "<or> ? <or> : <expr>",
    ],
    or: ["<and>", "<and> || <and>", (w) => `${w.write("and")}${" || a".repeat(w.below(200))}`],
    and: ["<relation>", "<relation> && <relation>", (w) => `${w.write("relation")}${" && a".repeat(w.below(200))}`],
    relation: ["<calc>", "<calc> <relop> <calc>"],
    relop: ["<", "<=", ">=", ">", "==", "!=", "in"],
    calc: ["<unary>", "<unary> <op> <calc>"],
    op: ["+", "-", "*", "/", "%"],
    unary: ["<member>", "!<member>", "-<member>", "--<member>", "!!!<member>", "- -1"],
    member: [
      "<primary>",
      "<member>.<name>",
      "<member>.?<name>",
      "<member>[<expr>]",
      "<member>[?<expr>]",
      (w) => `${w.write("member")}.${w.write("name")}(${w.many("expr", ", ")})`,
      "<member>.<quantifier>(<variable>, <expr>)",
      "<member>.<quantifier>(<variable>, y, <expr>)",
      "<member>.<transform>(<variable>, y, <expr>)",
      "<member>.<transform>(<variable>, y, <expr>, <expr>)",
      "<member>.optMap(<variable>, <expr>)",
      "<member>.optFlatMap(<variable>, <expr>)",
    ],
    quantifier: ["all", "exists", "exists_one", "existsOne", "map", "filter"],
    transform: ["transformList", "transformMap", "transformMapEntry", "map"],
    variable: ["x", "y", "__result__", "1", "a.b"],
    primary: [
      "a",
      ".b",
      "<word>",
      "<literal>",
      "(<expr>)",
      (w) => `[${w.many("element", ", ")}]`,
      (w) => `{${w.many("entry", ", ")}${w.below(2) === 0 ? "," : ""}}`,
      (w) => `a.T{${w.many("field", ", ")}}`,
      (w) => `f(${w.many("expr", ", ")})`,
      "has(<member>)",
      "has(a.b)",
      "shardRange(object.metadata.uid, '0x<half>', '0x<half>')",
    ],
    word: ["for", "true", "false", "null", "in", "namespace", "ärger"],
    name: ["b", "if", "`a-b`", "`é`", "c_1"],
    element: ["<expr>", "?<expr>"],
    entry: ["<expr>: <expr>", "?<expr>: <expr>", "<expr>"],
    field: ["<name>: <expr>", "?<name>: <expr>", "<name>"],
    literal: ["1", "0x1F", "12u", "1.5", ".5e-3", "9223372036854775808", "1e999", "<string>", "b<string>", "r<string>", "br<string>"],
    string: [
      (w) => `'${w.many("character")}'`,
      (w) => `"${w.many("character")}"`,
      (w) => `'''${w.many("character")}\n'''`,
      (w) => `"""${w.many("character")}"""`,
    ],
    half: ["0000000000000000", "8000000000000000", "10000000000000000", "<character>"],
    character: ["a", "é", "😀", "\\n", "\\x41", "\\u00e9", "\\U0010ffff", "\\ud800", "\\377", "\\q", "'", "\\U99999999"],
    space: [" ", "\n", "\t// comment\n", "\r\n", "//", "\u00a0"],
    open: ["(", "[", "{", "a.", "!", "-", "'''", "a?", "f(", "a[1", "@", "`", "-1[", ".", "{a:", "1+", '"\\', "a.optMap(x,"],
    broken: [
      (w) => `${w.many("open")}${w.write("expr")}`,
      (w) => w.many("piece"),
    ],
    piece: ["<open>", "<op>", "<literal>", "<relop>", ")", "]", "}", ":", "?", ",", "&", "=", "a", "<space>"],
  },
  start: "text",
  binary: false,
  stepsPerCharacter: 1000,
  async open(code) {
    const { parse } = await code.load("cel/parse/parse.ts");
    const { check } = await code.load("cel/check/check.ts");
    const { environment } = await code.load("cel/environment.ts");
    const { formatIssues } = await code.load("cel/issues.ts");
    const { dynType } = await code.load("cel/types.ts");
    const { parseShardSelector } = await code.load("cel/shard-selector.ts");
    const { celNodesMax } = await code.load("cel/parse/builder.ts");
    const base = environment({ variables: ["a", ".b", "x", "y"].map((name) => ({ name, type: dynType })) });
    const reported = (input: string, issues: readonly Issue[]) => {
      assert.ok(issues.length > 0);
      assert.ok(formatIssues(input, issues).startsWith("ERROR: <input>:"));
      for (const { position } of issues) assert.ok(position >= -1 && position <= input.length);
    };
    return (input) => {
      const shard = parseShardSelector(input);
      if (shard.ok) assert.deepEqual(parseShardSelector(shard.selector.text).ok, true);
      const { ast, issues } = parse(input, { ...base, optionalSyntax: input.length % 5 > 0 });
      if (ast === undefined) return reported(input, issues);
      assert.ok(ast.positions.size <= celNodesMax);
      const result = check(ast, base);
      if (!result.ok) return reported(input, result.issues);
      assert.ok(result.checked.types.has(result.checked.expr.id), "the expression has a type");
    };
  },
};
