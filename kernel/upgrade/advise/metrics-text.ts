/** The requests for deprecated versions in the text of `/metrics`. */
import type { FoundUse, Place } from "./evidence.ts";

const metric = "apiserver_requested_deprecated_apis{";

/** Yields a use for each series of `apiserver_requested_deprecated_apis` that is not 0. */
export function* requestsInMetrics(text: string, place: Place): Generator<FoundUse> {
  for (const line of text.split("\n")) {
    if (!line.startsWith(metric)) continue;
    const end = line.lastIndexOf("}");
    if (end < 0 || Number(line.slice(end + 1).trim().split(" ", 1)[0]) === 0) continue;
    const labels = new Map<string, string>();
    for (const [, name = "", value = ""] of line.slice(metric.length, end).matchAll(/([a-z_]+)="([^"]*)"/g)) labels.set(name, value);
    const group = labels.get("group") ?? "", version = labels.get("version") ?? "";
    yield { tag: "use", place, groupVersion: group === "" ? version : `${group}/${version}`, resource: labels.get("resource") ?? "" };
  }
}
