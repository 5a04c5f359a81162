/** `thole convert`: files of objects in other versions. */
import { defaultNames } from "../core/names.ts";
import { printable } from "../core/printable.ts";
import type { Plugin } from "../core/plugin.ts";
import { RemovedKinds } from "../core/removed-apis.ts";
import { readCommandFlags } from "../server/config/command-flags.ts";
import { UsageError } from "../server/config/commands.ts";
import { choiceCount, type Conversion, convertedCount, convertManifest } from "./upgrade/convert.ts";
import { findingLine } from "./upgrade/finding.ts";
import { definitionRules } from "./definition-rules.ts";
import { FileError, manifestFiles, writeOutput } from "./manifest-files.ts";
import { valueText } from "../core/value-text.ts";

/** Resolves with 0 if everything is converted, 2 if choices are left, 1 if something cannot be read. */
export async function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const flags = readCommandFlags({ name: "convert", args });
  const files = flags.get("filename") ?? [];
  if (files.length === 0) throw new UsageError("convert: -f FILE is required (thole help convert)");
  const names = { ...defaultNames, domain: flags.get("group-domain")?.[0] ?? defaultNames.domain };
  const to = flags.get("output-version")?.[0];
  if (to !== undefined) checkVersion(to, new RemovedKinds(names));
  const check = definitionRules(plugins, names);
  let converted = 0, choices = 0, errors = 0, last = "---\n";
  for await (const file of manifestFiles(files, flags.has("recursive"))) {
    if (file instanceof FileError) {
      console.error(printable(`thole: ${file.path}: ${file.message}`));
      errors++;
      continue;
    }
    const done = convertManifest(file.text, { names, to, check });
    if (done.text !== "") {
      await writeOutput(separatorBetween(last, done.text) + done.text);
      last = done.text;
    }
    report(file.path, done);
    converted += convertedCount(done);
    choices += choiceCount(done);
    errors += done.errors.length;
  }
  console.error(`thole: converted ${converted} objects; ${choices} choices are left; ${errors} files or documents cannot be read`);
  return errors > 0 ? 1 : choices > 0 ? 2 : 0;
}

/** Versions to which nothing can be converted are mistakes of the command line. */
function checkVersion(to: string, kinds: RemovedKinds): void {
  const known = new Set([...kinds.all()].flatMap(({ replacements }) => replacements));
  if (!known.has(to)) {
    throw new UsageError(
      `convert: no kind can be converted to ${valueText(to)}; the versions are ${[...known].toSorted().join(", ")}`,
    );
  }
}

/** Returns the separator of two files in one stream. */
function separatorBetween(before: string, after: string): string {
  const end = before.endsWith("\n") ? "" : "\n";
  const lastLine = before.trimEnd();
  const isSeparated = lastLine === "---" || lastLine.endsWith("\n---") || /^---(?:[ \t\r\n]|$)/.test(after);
  return isSeparated ? end : `${end}---\n`;
}

function report(path: string, { findings, moreFindings, errors }: Conversion): void {
  for (const { line, message } of errors) say(`${path}:${line}: ${message}; the document is not converted`);
  for (const each of findings.toSorted((a, b) => a.line - b.line)) say(findingLine(path, each));
  if (moreFindings > 0) say(`${path}: ${moreFindings} more`);
}

const say = (line: string) => console.error(printable(line));
