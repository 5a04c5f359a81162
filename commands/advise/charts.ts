/** Charts of Helm among files: rendered by helm if it is installed, else searched line by line. */
import { spawn } from "node:child_process";
import { Buffer } from "node:buffer";
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, relative, sep } from "node:path";
import process from "node:process";
import { append } from "../../core/append.ts";
import { compareVersions, splitGroupVersion } from "../../core/versions.ts";
import type { Evidence, FoundObject, Place } from "../upgrade/advise/evidence.ts";
import { objectsInText } from "../upgrade/advise/text-objects.ts";
import { bound } from "../../core/bound.ts";
import { manifestBytesMax } from "../bounds.ts";

/** Milliseconds that `helm template` may take for one chart. */
const chartRenderMs = bound(60_000);

/** Returns the folder of the chart that has this file as a template, the outermost one for a chart in another; undefined for other files. */
export function chartOf(path: string): string | undefined {
  let chart = dirname(path);
  while (!isChart(chart)) {
    if (chart === dirname(chart)) return undefined;
    chart = dirname(chart);
  }
  if (!relative(chart, path).startsWith(`templates${sep}`)) return undefined;
  while (basename(dirname(chart)) === "charts" && isChart(dirname(dirname(chart)))) chart = dirname(dirname(chart));
  return chart;
}

function isChart(folder: string): boolean {
  try {
    return existsSync(join(folder, "Chart.yaml"));
  } catch {
    return false; // Deno throws for folders that the program may not read.
  }
}

/** Resolves with the objects of a rendered chart, at the lines of their templates where these can be found. Undefined if there is no helm. */
export async function renderedChart(chart: string): Promise<readonly Evidence[] | undefined> {
  const rendered = await render(chart);
  if (rendered === undefined) return undefined;
  if (typeof rendered !== "string") return [{ tag: "unread", place: { name: chart, file: chart }, reason: rendered.reason }];
  const sources = sourcesOf(rendered);
  const found: Evidence[] = [];
  for (
    const evidence of objectsInText(rendered, (line) => placeOf(chart, sources[line - 1]), "change the template, or upgrade the chart")
  ) {
    if (evidence.tag === "unread") found.push(evidence);
    else found.push({ tag: "object", object: evidence.object, place: placeWithLine(evidence), fix: evidence.fix! });
  }
  return found;
}

/** Returns the template of each line, by the comments of helm (`# Source: chart/templates/web.yaml`). */
function sourcesOf(rendered: string): readonly (string | undefined)[] {
  const mark = "# Source: ";
  let source: string | undefined;
  return rendered.split("\n").map((line) => {
    if (line.startsWith("---")) source = undefined;
    if (line.startsWith(mark)) source = line.slice(mark.length).trim();
    return source;
  });
}

function placeOf(chart: string, source: string | undefined): Place {
  // The first folder of a source is the name of the chart.
  const file = source === undefined ? chart : join(chart, source.slice(source.indexOf("/") + 1));
  // A template may write such a comment, too.
  const inside = relative(chart, file).startsWith("..") ? chart : file;
  return { name: inside, file: inside };
}

/** Returns the line of the template that has the version as it is written there, if it is the only one. */
function placeWithLine({ object, place }: FoundObject): Place {
  const text = place.file === undefined ? undefined : textOf(place.file);
  const lines = (text ?? "").split("\n").flatMap((line, index) =>
    line.trimStart().startsWith("apiVersion:") && line.includes(String(object.apiVersion)) ? [index + 1] : []
  );
  return lines.length === 1 ? { ...place, line: lines[0]! } : place;
}

function textOf(file: string): string | undefined {
  try {
    // A pipe would be read until somebody writes, a device for ever.
    const about = statSync(file);
    return about.isFile() && about.size <= manifestBytesMax ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined; // A source that is not there.
  }
}

/**
 * Returns the folder of PATH that has helm, if it is relative to the working folder. Its helm may come from the author of the files, so
 * it must not run.
 */
function foreignHelm(): string | undefined {
  // Undefined on Deno under the permissions of the program, which find helm at the start.
  const { PATH } = process.env;
  const folder = PATH?.split(delimiter).find((each) => existsSync(join(each, "helm")));
  return folder === undefined || isAbsolute(folder) ? undefined : folder || ".";
}

function render(chart: string): Promise<string | { readonly reason: string } | undefined> {
  const foreign = foreignHelm();
  if (foreign !== undefined) return Promise.resolve({ reason: `helm is not run: PATH has the relative folder ${foreign}` });
  return new Promise((resolve) => {
    // A relative path alone would be a flag of helm if the folder's name begins with a dash, such as one that names a program to run.
    const path = isAbsolute(chart) ? chart : `.${sep}${chart}`;
    const child = spawn("helm", ["template", "release-name", path], { stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Uint8Array[] = [], errors: Uint8Array[] = [];
    let bytes = 0, reason: string | undefined;
    const end = (why: string) => {
      reason ??= why;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => end(`helm template took longer than ${chartRenderMs / 1000} s`), chartRenderMs);
    const collect = (into: Uint8Array[]) => (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > manifestBytesMax) end(`helm template wrote more than ${manifestBytesMax} bytes`);
      else append(into, [chunk]);
    };
    child.stdout.on("data", collect(chunks));
    child.stderr.on("data", collect(errors));
    child.on("error", () => {
      clearTimeout(timer);
      resolve(undefined);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      const text = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString("utf8");
      if (reason !== undefined) resolve({ reason });
      else if (code === 0) resolve(text(chunks));
      else resolve({ reason: `helm template fails: ${text(errors).trim().split("\n", 1)[0]}` });
    });
  });
}

/** Lines between `apiVersion` and `kind` of an object in a template. */
const nearLines = 3;

/**
 * Yields the objects of a template that is not rendered, by its lines `apiVersion:` and `kind:`. Of versions between which the template
 * chooses by the release of the server (`{{- else }}`) only the newest one is taken.
 */
export function* objectsInTemplate(text: string, file: string): Generator<FoundObject> {
  const lines = text.split("\n");
  for (const { from, to, newest } of versionChoicesIn(lines)) {
    const near = lines.slice(Math.max(0, from - nearLines), to + nearLines + 1);
    for (const kind of new Set(near.map((each) => valueIn(each, "kind:")))) {
      if (kind === undefined) continue;
      yield {
        tag: "object",
        place: { name: file, file, line: newest + 1 },
        object: { apiVersion: valueIn(lines[newest]!, "apiVersion:")!, kind, metadata: {} }, // It is a line of a choice.
        fix: "change the template (it was searched by lines: with helm on PATH it is rendered)",
      };
    }
  }
}

/** Returns the indexes of lines `apiVersion:` that only lines of actions (`{{`) separate: the first, the last, and that of the newest version. */
function versionChoicesIn(lines: readonly string[]): readonly { readonly from: number; to: number; newest: number }[] {
  const versionAt = (index: number) => splitGroupVersion(valueIn(lines[index]!, "apiVersion:")!).version; // Of lines that have it.
  const choices: { readonly from: number; to: number; newest: number }[] = [];
  for (const [index, line] of lines.entries()) {
    if (valueIn(line, "apiVersion:") === undefined) continue;
    const last = choices.at(-1), between = lines.slice((last?.to ?? index) + 1, index);
    const isChoice = between.some((each) => isElse(each)) && between.every((each) => each.trimStart().startsWith("{{"));
    if (last === undefined || !isChoice) choices.push({ from: index, to: index, newest: index });
    else {
      last.to = index;
      if (compareVersions(versionAt(index), versionAt(last.newest)) < 0) last.newest = index;
    }
  }
  return choices;
}

const isElse = (line: string) => line.replace("{{-", "{{").trimStart().slice("{{".length).trimStart().startsWith("else");

/** Returns the value of a line `key: value`. */
function valueIn(line: string, key: string): string | undefined {
  const bare = line.trimStart();
  return bare.startsWith(key) ? bare.slice(key.length).split("#", 1)[0]!.trim().replaceAll(/["']/g, "") : undefined;
}
