/** Decides which versions of a resource are served, by their lives in the emulated release, their stages, and the settings. */
import { betaOffSince } from "../../core/define/deprecation-policy.ts";
import { spell } from "../../core/names.ts";
import type { Resource, Served } from "../../core/plugin.ts";
import { compareReleases, type Release } from "../../core/releases.ts";
import { compareVersions, type GroupVersion, splitGroupVersion, type Stage, stageOfVersion, stageRank } from "../../core/versions.ts";
import type { CatalogConfig, Endpoint } from "./catalog.ts";
import type { Settings } from "./compile-kind.ts";

/** The state of a version in a release: introduced later, living, removed in just this release, or removed earlier. */
export type Life = "later" | "living" | "removed" | "gone";

export function lifeOf({ introduced, removed }: Served, emulated: Release): Life {
  if (compareReleases(introduced, emulated) > 0) return "later";
  const left = removed === undefined ? 1 : compareReleases(removed, emulated);
  return left > 0 ? "living" : left === 0 ? "removed" : "gone";
}

interface Version {
  readonly written: GroupVersion;
  /** `group/version`, as settings name it. */
  readonly name: string;
  readonly version: string;
  readonly stage: Stage;
  readonly served: Served;
  readonly life: Life;
}

/** Returns the served versions of a resource, by the names that its definition uses. */
export function versionsServed(resource: Resource, plural: string, config: CatalogConfig, settings: Settings): ReadonlySet<GroupVersion> {
  const { emulated } = settings.releases;
  const versions = Object.entries(resource.served).map(([written, served]): Version => {
    const { group, version } = splitGroupVersion(spell(settings.names, written));
    const name = group === "" ? version : `${group}/${version}`;
    return { written, name, version, stage: stageOfVersion(version), served, life: lifeOf(served, emulated) };
  });
  const on = versions.filter((version) => isServed(version, plural, config, settings));
  const heirs = config.isForwardCompatible === true ? versions.filter((version) => on.some((older) => isHeir(version, older))) : [];
  return new Set([...on, ...heirs].map(({ written }) => written));
}

/** Whether a version is served. The most specific setting applies, else the default of the stage. */
function isServed({ name, stage, served, life }: Version, plural: string, config: CatalogConfig, { isOn }: Settings): boolean {
  const asked = config.runtimeConfig;
  const named = asked.size === 0 ? undefined : asked.get(`${name}/${plural}`) ?? asked.get(name);
  // The name of a removed version is used only in the error for a body of that version.
  if (life === "gone" || (served.gate !== undefined && !isOn(served.gate))) return false;
  if (life === "later") return named === true && config.allowsNewer === true;
  const isKept = life === "living" || (served.keptBy !== undefined && isOn(served.keptBy));
  return named ?? (isKept ? asked.get(`api/${stage.toLowerCase()}`) ?? asked.get("api/all") ?? isOnByDefault(stage, served) : false);
}

function isOnByDefault(stage: Stage, { introduced }: Served): boolean {
  return stage === "GA" || (stage === "Beta" && compareReleases(introduced, betaOffSince) < 0);
}

/** Whether a version that is newer than the emulated release follows a served one that is beta or GA. */
function isHeir(version: Version, older: Version): boolean {
  return version.life === "later" && older.stage !== "Alpha" && stageRank[version.stage] >= stageRank[older.stage] &&
    compareVersions(version.version, older.version) < 0;
}

/** A version of a resource that is newer than the emulated release. */
export interface Later {
  readonly name: string;
  readonly plural: string;
  readonly introduced: Release;
}

/** Returns upstream's errors for settings that enable what is newer than the emulated release. */
export function newerMistakes(
  later: readonly Later[],
  endpoints: ReadonlyMap<string, Endpoint>,
  runtimeConfig: CatalogConfig["runtimeConfig"],
  emulated: Release,
): readonly string[] {
  const advice = "Consider setting --runtime-config-emulation-forward-compatible=true";
  const mistakes = new Set<string>();
  for (const { name, plural, introduced } of later) {
    if (runtimeConfig.get(`${name}/${plural}`) === true) {
      mistakes.add(
        `cannot enable resource ${name}, Resource=${plural} in runtime-config because it is introduced at ${introduced} after the current version ${emulated}. ${advice}`,
      );
    }
    if (runtimeConfig.get(name) === true && ![...endpoints.values()].some(({ apiVersion }) => apiVersion === name)) {
      mistakes.add(
        `cannot enable version ${name} in runtime-config because all the resources have been introduced after the current version ${emulated}. ${advice}`,
      );
    }
  }
  return [...mistakes];
}
