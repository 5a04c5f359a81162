/** Reads the text of a recording. */
import { bound } from "../../core/bound.ts";
import { isObject, type Json } from "../../core/json.ts";
import { jsonFromTree } from "../../core/tree/values.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import type { RecordedRequest } from "./recorded-request.ts";

/** Requests of one recording. */
const recordedRequestsMax = bound(20_000);

const texts = ["time", "user", "verb", "method", "url"] as const;

/** Returns the requests of a text that `recording.text()` or `thole record` has written. Throws for another text. */
export function readRecording(text: string): readonly RecordedRequest[] {
  const documents: string[][] = [];
  for (const line of text.split("\n")) {
    if (line === "---") documents.push([]);
    else if (documents.length > 0) documents.at(-1)!.push(line);
    else if (line.trim() !== "" && !line.startsWith("#")) throw new Error('a recording begins with a line "---"');
    if (documents.length > recordedRequestsMax) throw new Error(`the recording has more than ${recordedRequestsMax} requests`);
  }
  return documents.map((lines, index) => {
    const read = readYaml(lines.join("\n"));
    if (!read.ok) throw new Error(`request ${index + 1} of the recording: ${read.error}`);
    return requestOf(jsonFromTree(read.tree), index + 1);
  });
}

function requestOf(value: Json, number: number): RecordedRequest {
  if (!isObject(value)) throw new Error(`request ${number} of the recording is no object`);
  const wrong = texts.find((name) => typeof value[name] !== "string");
  if (wrong !== undefined || typeof value.status !== "number") {
    throw new Error(`request ${number} of the recording has no ${wrong ?? "status"}`);
  }
  const { type, accept, groups } = value;
  const areGroups = groups === undefined || Array.isArray(groups) && groups.every((each) => typeof each === "string");
  if (!areGroups || [type, accept].some((each) => each !== undefined && typeof each !== "string")) {
    throw new Error(`request ${number} of the recording: groups are a list of texts, type and accept are texts`);
  }
  return value as unknown as RecordedRequest; // all members were checked; body and answer may be any value
}
