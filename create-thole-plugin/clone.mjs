// Thole's own package when this program is part of a clone of its repository.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Mistake } from "./answers.mjs";

/** The folder of the clone with this file; undefined in the published package. */
export function cloneOf(file = import.meta.url) {
  const folder = fileURLToPath(new URL("..", file));
  if (!existsSync(join(folder, "scripts/pack.mjs"))) return undefined;
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).name === "thole" ? folder : undefined;
}

/** Makes the tarball of the clone, as `npm run pack` does, and returns its path. */
export function packed(clone) {
  console.log("packs Thole of this clone, for the plugin to install");
  const { status } = spawnSync(process.execPath, [join(clone, "scripts/pack.mjs")], { cwd: clone, stdio: "inherit" });
  if (status !== 0) throw new Mistake(`cannot pack ${clone}: run npm ci there first`);
  const { name, version } = JSON.parse(readFileSync(join(clone, "package.json"), "utf8"));
  return join(clone, "build", `${name}-${version}.tgz`);
}
