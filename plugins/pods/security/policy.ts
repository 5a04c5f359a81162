/** Which checks a level of the pod security standards has in which release. */
import type { Names } from "../../../toolbox.ts";
import type { PodTemplateSpec } from "../../shared/pod/pod-spec.ts";
import * as checks from "./checks.ts";
import type { Level, LevelVersion } from "./levels.ts";

interface VersionedCheck {
  readonly level: Exclude<Level, "privileged">;
  /** The check by the minor release from which on it holds, in ascending order. */
  readonly versions: readonly (readonly [minor: number, check: checks.Check])[];
  /** The check of the baseline that this one replaces. */
  readonly replaces?: string;
}

/** In the order of the results: those of the baseline first, then the restricted ones, each by upstream's names. */
const table: readonly (readonly [name: string, check: VersionedCheck])[] = [
  ["appArmorProfile", { level: "baseline", versions: [[0, checks.appArmorProfile]] }],
  ["capabilities_baseline", { level: "baseline", versions: [[0, checks.capabilitiesOfBaseline]] }],
  ["hostNamespaces", { level: "baseline", versions: [[0, checks.hostNamespaces]] }],
  ["hostPathVolumes", { level: "baseline", versions: [[0, checks.hostPathVolumes]] }],
  ["hostPorts", { level: "baseline", versions: [[0, checks.hostPorts]] }],
  ["hostProbesAndHostLifecycle", { level: "baseline", versions: [[34, checks.hostsOfProbes]] }],
  ["privileged", { level: "baseline", versions: [[0, checks.privileged]] }],
  ["procMount", { level: "baseline", versions: [[0, checks.procMount], [35, checks.procMountOfHostUsers]] }],
  ["seLinuxOptions", { level: "baseline", versions: [[0, checks.seLinuxOptions], [31, checks.seLinuxOptionsWithEngine]] }],
  ["seccompProfile_baseline", { level: "baseline", versions: [[0, checks.seccompAnnotations], [19, checks.seccompOfBaseline]] }],
  ["sysctls", { level: "baseline", versions: checks.sysctls }],
  ["windowsHostProcess", { level: "baseline", versions: [[0, checks.hostProcess]] }],
  ["allowPrivilegeEscalation", {
    level: "restricted",
    versions: [[8, checks.privilegeEscalation], [25, checks.privilegeEscalationOfLinux]],
  }],
  ["capabilities_restricted", {
    level: "restricted",
    versions: [[22, checks.capabilitiesOfRestricted], [25, checks.capabilitiesOfLinux]],
    replaces: "capabilities_baseline",
  }],
  ["procMount_restricted", { level: "restricted", versions: [[35, checks.procMount]], replaces: "procMount" }],
  ["restrictedVolumes", { level: "restricted", versions: [[0, checks.volumeTypes]], replaces: "hostPathVolumes" }],
  ["runAsNonRoot", { level: "restricted", versions: [[0, checks.runAsNonRoot], [35, checks.runAsNonRootOfHostUsers]] }],
  ["runAsUser", { level: "restricted", versions: [[23, checks.runAsUser], [35, checks.runAsUserOfHostUsers]] }],
  ["seccompProfile_restricted", {
    level: "restricted",
    versions: [[19, checks.seccompOfRestricted], [25, checks.seccompOfLinux]],
    replaces: "seccompProfile_baseline",
  }],
];

/** The last minor release in which a check has changed. Later versions are as this one. */
export const lastMinor = Math.max(...table.flatMap(([, { versions }]) => versions.map(([minor]) => minor)));

function checksOf(level: Level, minor: number): readonly checks.Check[] {
  if (level === "privileged") return [];
  const found = table.filter(([, check]) => level === "restricted" || check.level === "baseline")
    .flatMap(([name, { versions, replaces }]) => {
      const check = versions.findLast(([since]) => since <= minor)?.[1];
      return check === undefined ? [] : [{ name, check, replaces }];
    });
  const replaced = new Set(found.map(({ replaces }) => replaces));
  return found.filter(({ name }) => !replaced.has(name)).map(({ check }) => check);
}

/** Returns what a pod violates in a level. `newest` is the minor release of the server, which `latest` and later versions mean. */
export function violationsOf(
  { level, version }: LevelVersion,
  pod: PodTemplateSpec,
  names: Names,
  newest: number,
): readonly checks.Violation[] {
  const last = Math.min(newest, lastMinor), minor = version === "latest" ? last : Math.min(version, last);
  return checksOf(level, minor).flatMap((check) => check(pod, names) ?? []);
}

/** The text of violations in messages. */
export function detailsText(violations: readonly checks.Violation[]): string {
  return violations.map(({ reason, detail }) => detail === "" ? reason : `${reason} (${detail})`).join(", ");
}
