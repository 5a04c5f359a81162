/** What `/version` says. */
import process from "node:process";
import type { VersionInfo } from "../core/meta/version-info.ts";
import { targetRelease } from "./gates.ts";

/** Clients compare major, minor and gitVersion with their own: they tell whose behaviour we show. */
export function buildInfo(): VersionInfo {
  const [major = "", minor = ""] = targetRelease.split(".");
  const [engine, runtime] = process.versions["deno"] === undefined
    ? ["v8", `node${process.versions.node}`]
    : ["v8", `deno${process.versions["deno"]}`];
  return {
    major,
    minor,
    gitVersion: `v${targetRelease}.0+thole`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: runtime,
    compiler: engine,
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}
