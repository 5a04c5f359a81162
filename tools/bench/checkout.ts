/** Another state of this repository, as files in a folder. */
import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { root } from "../../test/package/tarball.ts";

export interface Checkout {
  /** With a slash at its end. */
  readonly folder: string;
  /** For people: what it is, and what it does not have of its own. */
  readonly told: string;
  remove(): Promise<void>;
}

const run = promisify(execFile);

/**
 * The checkout in a folder, or the files of a commit, branch or tag in a temporary folder. Both run with the dependencies of this checkout unless they have
 * their own. Rejects if there is neither such a folder nor such a commit.
 */
export async function openCheckout(named: string): Promise<Checkout> {
  if (existsSync(named) && statSync(named).isDirectory()) return { folder: `${resolve(named)}/`, told: named, remove: async () => {} };
  const { stdout: id } = await git(["rev-parse", "--verify", "--quiet", `${named}^{commit}`]).catch(() => {
    throw new Error(`"${named}" is neither a folder nor a commit`);
  });
  const folder = await mkdtemp(join(tmpdir(), "thole-checkout-")), remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, "files.tar");
    await git(["archive", "--output", archive, id.trim()]);
    await run("tar", ["-xf", archive, "-C", folder]);
    await rm(archive);
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    const lock = "package-lock.json", same = await readFile(join(folder, lock), "utf8") === await readFile(join(root, lock), "utf8");
    return { folder: `${folder}/`, told: `${named} (${id.slice(0, 10)}${same ? "" : ", with the dependencies of this checkout"})`, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function git(args: readonly string[]) {
  return run("git", ["-C", root, ...args]);
}
