// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../tools/docs/page-blocks.ts";

interface Run {
  readonly at: number;
  readonly text: string;
  readonly colour: string;
  readonly bold: boolean;
}
const { runsOf, terminalSvg } = await import(new URL("../../scripts/terminal-svg.mjs", import.meta.url).href) as {
  runsOf(lines: readonly string[]): readonly (readonly Run[])[];
  terminalSvg(window: object): string;
};

const look = (lines: readonly string[]) => runsOf(lines).map((runs) => runs.map(({ at, text, colour, bold }) => [at, text, colour, bold]));

test("runsOf() splits lines at colours and columns; a colour lasts over the end of a line", () => {
  const text = runsOf(["a"])[0]![0]!;
  const green = "#8fd18a", bold = true, plain = false;
  assert.deepEqual(look(["NAME   AGE", "\x1b[1m\x1b[32mok\x1b[0m  b c", "\x1b[32mx", "y\x1b[39m z"]), [
    [[0, "NAME", text.colour, plain], [7, "AGE", text.colour, plain]],
    [[0, "ok", green, bold], [4, "b c", text.colour, plain]],
    [[0, "x", green, plain]],
    [[0, "y", green, plain], [2, "z", text.colour, plain]],
  ]);
  assert.deepEqual(look(["", "\x1b[m   \x1b[1;90m"]), [[], []]);
});

test("terminalSvg() escapes text", () => {
  const svg = terminalSvg({ columns: 10, description: 'a & "b"', panes: [{ title: "<t>", lines: ["</text><script>"] }] });
  assert.ok(svg.includes("<title>a &amp; &quot;b&quot;</title>") && svg.includes("&lt;t>") && svg.includes("&lt;/text>&lt;script>"));
});

test("docs/pictures/terminal.svg shows kubectl and thole dev without a failure", () => {
  const svg = readFileSync(join(root, "docs/pictures/terminal.svg"), "utf8");
  for (const text of ["kubectl get widgets", "thole dev --plugins=./widgets.ts", "Thole serves on"]) assert.ok(svg.includes(text), text);
  assert.doesNotMatch(svg, /refused|command not found|rror:/);
});
