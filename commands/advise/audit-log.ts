/** An audit log as a source: requests for versions that end, once for each user and client. */
import { open } from "node:fs/promises";
import { isObject, type JsonObject } from "../../core/json.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { FoundUse, Source } from "../upgrade/advise/evidence.ts";
import type { Lifecycles } from "../upgrade/advise/lifecycles.ts";
import { valueText } from "../../core/value-text.ts";
import { bound } from "../../core/bound.ts";

/** UTF-16 units of one line of an audit log. */
export const auditLineLengthMax = bound(4 * 1024 * 1024);
/** Different uses of API versions that `thole advise` keeps of one audit log. */
const auditUsesMax = bound(10_000);

/** Reads a file of JSON lines (audit.k8s.io/v1 Event). */
export async function* auditSource(path: string, lifecycles: Lifecycles): Source {
  const place = { name: path, file: path }, uses = new Map<string, FoundUse>();
  let skipped = 0, more = 0;
  try {
    for await (const { line, number } of linesOf(path)) {
      const event = line === undefined ? undefined : eventOf(line);
      if (event === undefined) skipped++;
      else more += addUse(uses, event, { ...place, line: number }, lifecycles);
    }
  } catch (error) {
    yield { tag: "unread", place, reason: reasonOf(error) };
  }
  yield* uses.values();
  if (skipped > 0) yield { tag: "unread", place, reason: `${skipped} lines are no audit events` };
  if (more > 0) yield { tag: "unread", place, reason: `more than ${auditUsesMax} different uses` };
}

/** Adds the use of an event, with the place of the last one; returns how many do not fit. */
function addUse(uses: Map<string, FoundUse>, event: JsonObject, place: FoundUse["place"], lifecycles: Lifecycles): number {
  const { apiGroup = "", apiVersion, resource } = isObject(event.objectRef) ? event.objectRef : {};
  const groupVersion = apiGroup === "" ? String(apiVersion) : `${apiGroup}/${apiVersion}`;
  if (lifecycles.ofResource(groupVersion, String(resource)) === undefined) return 0;
  const user = isObject(event.user) ? String(event.user.username) : "", agent = String(event.userAgent ?? "").split(" ", 1)[0]!;
  const key = valueText([groupVersion, resource, user, agent]);
  if (!uses.has(key) && uses.size >= auditUsesMax) return 1;
  uses.set(key, {
    tag: "use",
    place,
    groupVersion,
    resource: String(resource),
    who: `${user} with ${agent} at ${event.requestReceivedTimestamp}`,
  });
  return 0;
}

function eventOf(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && value.kind === "Event" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Yields the lines of a file of any size, with their numbers; a line that is too long has no text. */
async function* linesOf(path: string): AsyncGenerator<{ readonly line: string | undefined; readonly number: number }> {
  const file = await open(path);
  try {
    const decoder = new TextDecoder();
    let rest = "", isLong = false, number = 0;
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
      rest = lines.pop()!; // split() has at least one part.
      for (const line of lines) {
        yield { line: isLong ? undefined : line, number: ++number };
        isLong = false;
      }
      if (rest.length <= auditLineLengthMax) continue;
      isLong = true;
      rest = "";
    }
    if (rest !== "" || isLong) yield { line: isLong ? undefined : rest, number: number + 1 };
  } finally {
    await file.close();
  }
}
