/** Checks the lives of the versions of a resource against the deprecation policy. */
import { append } from "../append.ts";
import type { Resource, Served } from "../plugin.ts";
import { compareReleases, isRelease, majorOf, type Release, releaseAfter, releasesBetween, serverRelease } from "../releases.ts";
import { type GroupVersion, splitGroupVersion, type Stage, stageOfVersion, stageRank } from "../versions.ts";
import { betaLifetimeSince, betaVersion, releasesOf, violation } from "./deprecation-policy.ts";
import { valueText } from "../value-text.ts";

interface Version {
  readonly groupVersion: GroupVersion;
  readonly served: Served;
  readonly stage: Stage;
}

/** Returns the mistakes in the lives of a resource's versions. Those in the texts of releases are reported elsewhere. */
export function lifecycleMistakes(resource: Resource): readonly string[] {
  const versions = Object.entries(resource.served).filter(([, served]) => hasReleases(served)).map(([groupVersion, served]): Version => ({
    groupVersion,
    served,
    stage: stageOfVersion(splitGroupVersion(groupVersion).version),
  }));
  const mistakes = versions.flatMap((version) =>
    [...removalMistakes(version), ...deprecationMistakes(version), ...replacementMistakes(version, versions)].map((each) =>
      `${version.groupVersion}: ${each}`
    )
  );
  append(mistakes, storedMistakes(resource.storedAs, versions));
  return mistakes;
}

/** Whether the releases of a version are written correctly and in order. */
function hasReleases({ introduced, deprecated, removed }: Served): boolean {
  const releases = [introduced, deprecated, removed].filter((each) => each !== undefined);
  return releases.every((release, at) => isRelease(release) && (at === 0 || compareReleases(releases[at - 1]!, release) <= 0));
}

function removalMistakes({ stage, served: { introduced, deprecated, removed } }: Version): readonly string[] {
  if (removed === undefined || stage === "Alpha") return [];
  if (stage === "GA") {
    if (majorOf(removed) > majorOf(introduced)) return [];
    return [violation(
      "ga-version-removal",
      `removed in ${removed}, but a GA version is not removed within its major release`,
      `leave out removed, and set deprecated`,
    )];
  }
  const served = releasesOf(betaVersion.untilRemoval);
  if (deprecated === undefined) {
    return [violation(
      "beta-version-removal",
      `removed in ${removed} without a deprecation`,
      `set deprecated to ${quote(releaseAfter(removed, -served))} or earlier`,
    )];
  }
  const between = releasesBetween(deprecated, removed);
  // The maximum applies to versions whose deprecation the policy bounds as well.
  if (between === served || (between > served && !isBounded(introduced))) return [];
  return [violation(
    "beta-version-removal",
    `removed in ${removed}, ${count(between)} after its deprecation in ${deprecated}, but a beta version is served for ${count(served)}`,
    `set removed to ${quote(releaseAfter(deprecated, served))}`,
  )];
}

/** A beta version must be deprecated in time, even if this is the first release that is late. */
function deprecationMistakes({ stage, served: { introduced, deprecated, removed } }: Version): readonly string[] {
  if (stage !== "Beta") return [];
  const mistakes: string[] = [];
  const longest = releasesOf(betaVersion.untilDeprecation);
  const latest = releaseAfter(introduced, longest);
  if (isBounded(introduced) && releasesBetween(introduced, deprecated ?? serverRelease) > longest) {
    const state = deprecated === undefined ? `not deprecated in ${serverRelease}` : `deprecated in ${deprecated}`;
    mistakes.push(violation(
      "beta-version-deprecation",
      `${state}, more than ${count(longest)} after its introduction in ${introduced}`,
      `set deprecated to ${quote(latest)} or earlier`,
    ));
  }
  if (deprecated !== undefined && removed === undefined) {
    const end = releaseAfter(deprecated, releasesOf(betaVersion.untilRemoval));
    mistakes.push(violation("beta-version-removal", `deprecated in ${deprecated} without a removal`, `set removed to ${quote(end)}`));
  }
  return mistakes;
}

function isBounded(introduced: Release): boolean {
  return compareReleases(introduced, betaLifetimeSince) >= 0;
}

function replacementMistakes({ groupVersion, stage, served }: Version, versions: readonly Version[]): readonly string[] {
  const { deprecated, removed, replacement } = served;
  if (deprecated === undefined) return [];
  if (replacement === undefined) {
    const heir = versions.find((other) =>
      other.groupVersion !== groupVersion && isLasting(other) && stageRank[other.stage] >= stageRank[stage]
    );
    if (stage === "Alpha" || heir === undefined) return [];
    return [
      violation(
        "replacement",
        `deprecated in ${deprecated} without a replacement`,
        `set replacement, such as ${quote(heir.groupVersion)}`,
      ),
    ];
  }
  const target = stageOfVersion(splitGroupVersion(replacement.groupVersion).version);
  const mistakes: string[] = [];
  if (stageRank[target] < stageRank[stage]) {
    mistakes.push(violation(
      "replacement-stability",
      `its replacement ${quote(replacement.groupVersion)} is ${target}, less stable than ${stage}`,
      `name a replacement that is ${stage} or more stable, or do not deprecate the version yet`,
    ));
  }
  if (replacement.groupVersion === groupVersion) {
    mistakes.push(violation("replacement", "it replaces itself", "name another version"));
  }
  const other = versions.find((each) => each.groupVersion === replacement.groupVersion);
  if (other === undefined) return mistakes;
  const { introduced, removed: otherRemoved } = other.served;
  if (compareReleases(introduced, deprecated) > 0) {
    mistakes.push(violation(
      "replacement",
      `deprecated in ${deprecated}, before its replacement is introduced in ${introduced}`,
      `set deprecated to ${quote(introduced)} or later`,
    ));
  }
  if (otherRemoved !== undefined && (removed === undefined || compareReleases(otherRemoved, removed) < 0)) {
    mistakes.push(violation(
      "replacement",
      `its replacement ${quote(replacement.groupVersion)} is removed in ${otherRemoved}, before the version itself`,
      `name a replacement that is served longer`,
    ));
  }
  return mistakes;
}

const isLasting = ({ served: { deprecated } }: Version): boolean => deprecated === undefined;

/** The stored version must have been served together with the versions that were stored before it. Alpha versions promise nothing. */
function storedMistakes(storedAs: GroupVersion, versions: readonly Version[]): readonly string[] {
  const stored = versions.find(({ groupVersion }) => groupVersion === storedAs);
  if (stored === undefined) return [];
  const { introduced } = stored.served;
  const before = versions.filter((other) =>
    other !== stored && other.stage !== "Alpha" && compareReleases(other.served.introduced, introduced) < 0
  );
  if (before.length === 0) return [];
  const older = before.map(({ groupVersion }) => quote(groupVersion)).join(", ");
  if (!before.some(({ served: { removed } }) => removed === undefined || compareReleases(removed, introduced) > 0)) {
    return [violation(
      "stored-version",
      `the stored version ${quote(storedAs)} is introduced in ${introduced}, when ${older} is not served any more`,
      `remove the older version later`,
    )];
  }
  if (compareReleases(introduced, serverRelease) < 0) return [];
  return [violation(
    "stored-version",
    `the stored version ${quote(storedAs)} is introduced in ${introduced}, and no earlier release could read it`,
    `store ${older} until ${releaseAfter(introduced, 1)}`,
  )];
}

function quote(text: GroupVersion | Release): string {
  return valueText(text);
}

function count(releases: number): string {
  return releases === 1 ? "1 release" : `${releases} releases`;
}
