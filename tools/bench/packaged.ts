/** The server as users run it: on Node the installed package, on Deno the bundle of the image with the code that its build keeps. */
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install, root } from "../../test/package/tarball.ts";
import { run, runtimePath } from "../../test/real-server.ts";
import type { Runtime } from "./children.ts";
import type { ServerProgram } from "./server.ts";

export interface Packaged {
  readonly program: ServerProgram;
  remove(): Promise<void>;
}

export async function openPackaged(runtime: Runtime): Promise<Packaged> {
  if (runtime === "node") {
    const { project, remove } = await install();
    return { program: { folder: `${project}/node_modules/thole/`, main: "bin/thole.js" }, remove };
  }
  const folder = await mkdtemp(join(tmpdir(), "thole-image-")), remove = () => rm(folder, { recursive: true, force: true });
  try {
    await succeed("node", [join(root, "scripts/bundle.mjs"), folder]);
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    await succeed("deno", ["run", "--no-prompt", "--allow-all", join(folder, "keep-code.js")]);
    return { program: { folder: `${folder}/`, main: "main.js" }, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function succeed(runtime: Runtime, args: readonly string[]): Promise<void> {
  const { code, output, errors } = await run(runtimePath(runtime), args);
  if (code !== 0) throw new Error(`${runtime} ${args.join(" ")} exits with ${code}: ${output}${errors}`);
}
