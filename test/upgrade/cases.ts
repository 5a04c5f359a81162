/** The cases of conversions: a file of objects, and what `thole convert` writes for it. `THOLE_REWRITE=true npm test -- test/upgrade` writes the expected files. */
import { readdirSync, readFileSync } from "node:fs";
import { defaultNames } from "../../core/names.ts";
import type { Conversion } from "../../commands/upgrade/convert.ts";
import { convertManifest } from "../../commands/upgrade/convert.ts";

const folder = (name: string) => new URL(`./${name}/`, import.meta.url);

/** The names of the cases. */
export const caseNames: readonly string[] = readdirSync(folder("cases")).map((name) => name.replace(/\.txt$/, "")).toSorted();

export const inputOf = (name: string): string => readFileSync(new URL(`${name}.txt`, folder("cases")), "utf8");

/** The file of the expected output, or of the expected report. */
export const expectedFile = (name: string, what: "output" | "report"): URL =>
  new URL(`${name}${what === "report" ? ".report" : ""}.txt`, folder("expected"));

export const convertCase = (text: string): Conversion => convertManifest(text, { names: defaultNames });

/** What the command reports, without the name of the file. */
export function reportOf({ findings, errors, objects }: Conversion): string {
  const lines = [
    ...findings.toSorted((a, b) => a.line - b.line).map(({ line, field, level, text }) => `${line}: ${field}: ${level}: ${text}`),
    ...errors.map(({ line, message }) => `${line}: ${message}`),
    `converted: ${objects.map(({ kind, name, from, to }) => `${kind} ${name} (${from} -> ${to})`).join(", ")}`,
  ];
  return `${lines.join("\n")}\n`;
}
