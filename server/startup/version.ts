/** The content of `/version`. */
import process from "node:process";
import type { VersionInfo } from "../../core/meta/version-info.ts";
import { type Releases, serverRelease, serverReleases } from "../../core/releases.ts";

/** The version of this package, as in package.json, which the running program does not read. */
export const ownVersion = "0.1.0";

/**
 * Clients compare major, minor and gitVersion with their own: these are the Kubernetes version whose API this program has, with our own
 * version after the plus sign. As upstream, `--emulated-version` does not change them.
 */
export function buildInfo({ emulated, minCompatibility }: Releases = serverReleases): VersionInfo {
  const [major = "", minor = ""] = serverRelease.split(".");
  const [emulationMajor = "", emulationMinor = ""] = emulated.split(".");
  const [minCompatibilityMajor = "", minCompatibilityMinor = ""] = minCompatibility.split(".");
  const [engine, runtime] = process.versions["deno"] === undefined
    ? ["v8", `node${process.versions.node}`]
    : ["v8", `deno${process.versions["deno"]}`];
  return {
    major,
    minor,
    emulationMajor,
    emulationMinor,
    minCompatibilityMajor,
    minCompatibilityMinor,
    gitVersion: `v${serverRelease}.0+thole-${ownVersion}`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: runtime,
    compiler: engine,
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}

/** The output of `--version`. */
export function versionText(): string {
  const { gitVersion, goVersion, platform } = buildInfo();
  return `Thole ${ownVersion} (Kubernetes ${gitVersion}) on ${goVersion}, ${platform}`;
}
