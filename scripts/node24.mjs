// Runs a script with a Node version that can run the sources: `node scripts/node24.mjs FILE [ARGUMENT...]`.
import { spawnSync } from "node:child_process";
import { nodeMissing, nodePath } from "./runtimes.mjs";

const node = nodePath();
if (node === undefined) {
  console.error(nodeMissing);
  process.exit(1);
}
process.exit(spawnSync(node, process.argv.slice(2), { stdio: "inherit" }).status ?? 1);
