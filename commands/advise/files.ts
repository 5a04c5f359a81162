/** Files and folders as a source of objects. */
import { reasonOf } from "../../core/reason-of.ts";
import type { Place, Source } from "../upgrade/advise/evidence.ts";
import { objectsInText } from "../upgrade/advise/text-objects.ts";
import { FileError, manifestFiles } from "../manifest-files.ts";
import { chartOf, objectsInTemplate, renderedChart } from "./charts.ts";

/** Changes the text of a file that is no template, before it is looked at. Rejects if the file cannot be changed. */
export type ChangeFile = (path: string, text: string) => Promise<string>;

/** Yields the objects of files, and those of rendered charts. */
export async function* fileSource(names: readonly string[], isRecursive: boolean, change: ChangeFile | undefined): Source {
  const charts = new Map<string, boolean>();
  for await (const file of manifestFiles(names, isRecursive)) {
    if (file instanceof FileError) {
      yield { tag: "unread", place: { name: file.path, file: file.path }, reason: file.message };
      continue;
    }
    const { path } = file, chart = chartOf(path);
    if (chart === undefined) {
      yield* plainFile(path, file.text, change);
      continue;
    }
    if (!charts.has(chart)) {
      const rendered = await renderedChart(chart);
      charts.set(chart, rendered !== undefined);
      yield* rendered ?? [];
    }
    if (charts.get(chart) === false) yield* objectsInTemplate(file.text, path);
  }
}

async function* plainFile(path: string, text: string, change: ChangeFile | undefined): Source {
  const placeOf = (line: number): Place => ({ name: path, file: path, line });
  // A template outside of a chart.
  if (text.includes("{{") && [...objectsInText(text, placeOf)].some(({ tag }) => tag === "unread")) {
    yield* objectsInTemplate(text, path);
    return;
  }
  let changed = text;
  try {
    changed = await change?.(path, text) ?? text;
  } catch (error) {
    yield { tag: "unread", place: { name: path, file: path }, reason: `cannot be changed: ${reasonOf(error)}` };
  }
  yield* objectsInText(changed, placeOf);
}
