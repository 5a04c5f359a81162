/** The requests for deprecated versions in the text of `/metrics`. */
import type { FoundUse, Place } from "./evidence.ts";

const metric = "apiserver_requested_deprecated_apis{";

/** Yields a use for each series of `apiserver_requested_deprecated_apis` that is not 0. */
export function* requestsInMetrics(text: string, place: Place): Generator<FoundUse> {
  for (const line of text.split("\n")) {
    if (!line.startsWith(metric)) continue;
    const end = line.lastIndexOf("}");
    if (end < 0 || Number(line.slice(end + 1).trim().split(" ", 1)[0]) === 0) continue;
    const labels = labelsOf(line.slice(metric.length, end));
    const group = labels.get("group") ?? "", version = labels.get("version") ?? "";
    yield { tag: "use", place, groupVersion: group === "" ? version : `${group}/${version}`, resource: labels.get("resource") ?? "" };
  }
}

/** Returns the values of `name="value",...` by name. Names of groups, versions and resources have no quotes. */
function labelsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(",").flatMap((label) => {
      const [name = "", value] = label.split("=", 2);
      return value === undefined ? [] : [[name, value.replaceAll('"', "")] as const];
    }),
  );
}
