import { compareVersions } from "../versions.ts";
import type { Names, Spec, Version } from "./definition.ts";

/** Returns the warning of a deprecated version: its own, or a sentence that names the newest version that is served and not deprecated. */
export function deprecationOf({ group, versions }: Spec, { kind }: Names, { name, deprecationWarning }: Version): string {
  if (deprecationWarning !== undefined && deprecationWarning !== null) return deprecationWarning;
  // `compareVersions` puts the preferred version first.
  const newer = versions.filter((each) => each.served && each.deprecated !== true && compareVersions(each.name, name) < 0)
    .map((each) => each.name).toSorted(compareVersions);
  const use = newer.length === 0 ? "" : `; use ${group}/${newer[0]} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${use}`;
}
