/** The content of `/version`. */
import process from "node:process";
import type { VersionInfo } from "../../core/meta/version-info.ts";
import { targetRelease } from "../catalog/gates.ts";

/** The version of this package, as in package.json, which the running program does not read. */
export const ownVersion = "0.1.0";

/**
 * Clients compare major, minor and gitVersion with their own: these are the emulated Kubernetes version, with our own version after the
 * plus sign. The minimum compatible version is the release before.
 */
export function buildInfo(): VersionInfo {
  const [major = "", minor = ""] = targetRelease.split(".");
  const [engine, runtime] = process.versions["deno"] === undefined
    ? ["v8", `node${process.versions.node}`]
    : ["v8", `deno${process.versions["deno"]}`];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `v${targetRelease}.0+thole-${ownVersion}`,
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
