import assert from "node:assert/strict";
import { SourceMap } from "node:module";
import { test } from "node:test";

const { lineMappings } = await import(new URL("../../scripts/line-maps.mjs", import.meta.url).href) as {
  lineMappings(mappings: string): string;
};

test("lineMappings() keeps the place of each line", () => {
  // Two lines; the second begins at line 41, column 2 of the source, and has a second segment.
  const whole = "AAAA,SAAS,CAAC;;AAwCE,MAAM,CAAC;ACzC9B";
  const map = (mappings: string) => new SourceMap({ version: 3, file: "a.js", sources: ["a.ts", "b.ts"], names: [], mappings } as never);
  const lines = lineMappings(whole);
  assert.ok(lines.length < whole.length);
  for (const line of [0, 2, 3]) {
    const { originalLine, originalSource } = map(lines).findEntry(line, 40) as { originalLine: number; originalSource: string };
    const first = map(whole).findEntry(line, 0) as { originalLine: number; originalSource: string };
    assert.deepEqual([originalLine, originalSource], [first.originalLine, first.originalSource], `${line}`);
  }
});
