#!/usr/bin/env node
// The program `thole` of the package. In the repository `npm start` runs the server.
import module from "node:module";
import { fileURLToPath } from "node:url";
import { compileCacheFolder } from "./compile-cache.mjs";
// The global `process`: an import of node:process opens the standard streams. Older versions of Node do not have all that is used: no named imports of it.

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(`thole: needs Node 22.13 or newer; this is Node ${process.versions.node}`);
  process.exit(1);
}
// The embedded store is Node's own sqlite, which Node calls experimental: no news to the operator of a server.
const [show] = process.listeners("warning");
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  if (!(warning.name === "ExperimentalWarning" && warning.message.startsWith("SQLite"))) show?.(warning);
});
const main = new URL("../main.js", import.meta.url);
const cache = compileCacheFolder(process.argv.slice(1), fileURLToPath(main));
if (cache !== undefined) module.enableCompileCache(cache);
await import(main.href);
