import assert from "node:assert/strict";
import { test } from "node:test";

const { withoutIndentation } = await import(new URL("../../scripts/indentation.mjs", import.meta.url).href) as {
  withoutIndentation(text: string): string;
};

test("withoutIndentation() keeps the texts of template literals", () => {
  const text = "function f() {\n    const a = `x\n    y ${\n      g(`\n  z`)\n    } w\n  v`;\n    return a;\n}\n";
  assert.equal(withoutIndentation(text), "function f() {\nconst a = `x\n    y ${\ng(`\n  z`)\n} w\n  v`;\nreturn a;\n}\n");
});
