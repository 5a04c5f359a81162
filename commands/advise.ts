/** `thole advise`: where API versions that end are used, who writes them, and what to do. */
import { realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { sep } from "node:path";
import { defaultNames } from "../core/names.ts";
import type { Plugin } from "../core/plugin.ts";
import { type Release, serverRelease } from "../core/releases.ts";
import { joinValues, readCommandFlags } from "../server/config/command-flags.ts";
import { UsageError } from "../server/config/commands.ts";
import { sourceFlags } from "../server/config/source-flags.ts";
import type { SourceFlags } from "./source/open-source.ts";
import type { Advice } from "./upgrade/advise/advice.ts";
import { checkObject, checkUse } from "./upgrade/advise/check.ts";
import type { Evidence, Source, Unread } from "./upgrade/advise/evidence.ts";
import { Lifecycles } from "./upgrade/advise/lifecycles.ts";
import { choiceCount, convertedCount, convertManifest, type ConvertOptions } from "./upgrade/convert.ts";
import { findingLine } from "./upgrade/finding.ts";
import { auditSource } from "./advise/audit-log.ts";
import { fileSource } from "./advise/files.ts";
import { liveSource } from "./advise/live-server.ts";
import { forms } from "./advise/print.ts";
import { storedSource } from "./advise/stored-objects.ts";
import { definitionRules } from "./definition-rules.ts";
import { progressOfCommand } from "./command-progress.ts";
import { writeOutput } from "./manifest-files.ts";
import { valueText } from "../core/value-text.ts";
import { printable } from "../core/printable.ts";
import { bound } from "../core/bound.ts";

/** Findings of `thole advise` that are shown. Further ones are counted. */
export const advisedFindingsMax = bound(20_000);

/** Resolves with 0 if nothing ends by the target release, 2 if something does or `--fix` leaves choices, 1 if something cannot be read. */
export async function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const flags = readCommandFlags({ name: "advise", args }), one = (name: string) => flags.get(name)?.[0];
  const form = (one("output") ?? "text") as keyof typeof forms, target = releaseOf(one("target-version") ?? serverRelease); // The flag has no other values.
  const names = { ...defaultNames, domain: one("group-domain") ?? defaultNames.domain };
  const lifecycles = new Lifecycles(names, plugins);
  const files = flags.get("filename") ?? [], kubeconfig = one("kubeconfig");
  const store: SourceFlags = joinValues(new Map([...flags].filter(([name]) => sourceFlags.some((each) => each.name === name))));
  const rules = definitionRules(plugins, names);
  let choices = 0;
  const change = async (path: string, text: string) => {
    const fixed = await fixFile({ path, named: files }, text, { names, until: target, check: rules });
    choices += fixed.choices;
    return fixed.text;
  };
  const sources: Source[] = [
    ...(files.length === 0 ? [] : [fileSource(files, flags.has("recursive"), flags.has("fix") ? change : undefined)]),
    ...(kubeconfig === undefined ? [] : [liveSource(kubeconfig)]),
    ...(store.size === 0 ? [] : [await storedSource(store, { names, plugins, begin: progressOfCommand() })]),
    ...(flags.get("audit-log") ?? []).map((path) => auditSource(path, lifecycles)),
  ];
  if (sources.length === 0) {
    throw new UsageError("advise: nothing to look at: -f FILE, --kubeconfig FILE, --audit-log FILE or --from-... (thole help advise)");
  }
  const advice: Advice[] = [], unread: Unread[] = [], checking = { lifecycles, target };
  let ended = 0, others = 0;
  for (const source of sources) {
    for await (const evidence of source) {
      if (evidence.tag === "unread") unread.push(evidence);
      else {
        for (const each of checkEvidence(evidence, checking)) {
          if (each.level === "error") ended++;
          else others++;
          if (advice.length < advisedFindingsMax) advice.push(each);
        }
      }
    }
  }
  for (const { place, reason } of unread) {
    console.error(printable(`thole: ${place.name}${place.line === undefined ? "" : `:${place.line}`}: ${reason}`));
  }
  await writeOutput(forms[form]({ target, advice, unread }));
  const hidden = ended + others - advice.length;
  if (hidden > 0) console.error(`thole: ${hidden} further findings are not shown`);
  console.error(
    `thole: ${ended} uses end by ${target}, ${others} later or without a failure; ${unread.length} places cannot be read` +
      (flags.has("fix") ? `; ${choices} choices are left` : ""),
  );
  return unread.length > 0 ? 1 : ended + choices > 0 ? 2 : 0;
}

function checkEvidence(evidence: Exclude<Evidence, Unread>, checking: Parameters<typeof checkUse>[1]): Iterable<Advice> {
  return evidence.tag === "object" ? checkObject(evidence, checking) : checkUse(evidence, checking);
}

function releaseOf(text: string): Release {
  const release = text.startsWith("v") ? text.slice(1) : text;
  if (!/^1\.[0-9]{1,3}$/.test(release)) throw new UsageError(`advise: ${valueText(text)} is no release such as 1.35`);
  return release;
}

/** A file, and the files and folders of the command line, one of which it is or has it. */
interface FileToFix {
  readonly path: string;
  readonly named: readonly string[];
}

/**
 * Converts a file in place; resolves with its new text and the number of choices in it. The text is written beside the file first, so that a failure leaves the
 * file as it was.
 */
async function fixFile(
  { path, named }: FileToFix,
  text: string,
  options: ConvertOptions,
): Promise<{ readonly text: string; readonly choices: number }> {
  const done = convertManifest(text, options);
  // A document that stays as it is because of a choice is found again, as what it is.
  if (done.objects.length === 0 || path === "-") return { text, choices: 0 };
  const file = await realpath(path), roots = await Promise.all(named.filter((each) => each !== "-").map((each) => realpath(each)));
  // Whoever wrote the files may have put a link among them.
  if (!roots.some((root) => file === root || file.startsWith(root + sep))) {
    throw new Error("it is a link that leads out of the folder: name the file that it leads to");
  }
  const beside = `${file}.thole-new`;
  await writeFile(beside, done.text, { mode: (await stat(file)).mode & 0o777, flag: "wx" });
  await rename(beside, file).catch(async (error) => {
    await rm(beside, { force: true });
    throw error;
  });
  const say = (line: string) => console.error(printable(line));
  say(`thole: ${path}: converted ${convertedCount(done)} objects`);
  const findings = done.findings.toSorted((a, b) => a.line - b.line);
  for (const each of findings) say(findingLine(path, each));
  if (done.moreFindings > 0) say(`${path}: ${done.moreFindings} more`);
  return { text: done.text, choices: choiceCount(done) };
}
