/** The administrator's kubeconfig on disk. */
import { mkdir, mkdtemp, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { reasonOf } from "../../core/reason-of.ts";
import type { Config } from "../config/settings.ts";
import { writePrivateFile } from "../listen/pki-files.ts";
import { isInMemory } from "../config/in-memory.ts";

/** A file that only its owner may read. */
export interface KubeconfigFile {
  readonly path: string;
  /** Writes the text, unless the file has it already. */
  write(text: string): Promise<void>;
  /** Removes what lasts as long as the server: the file of a server in memory, and its temporary folder. */
  remove(): Promise<void>;
}

/**
 * The file of `--write-kubeconfig`, or `kubeconfig` in the data folder. A server in memory without that flag gets a temporary folder if
 * `isProgram`, and no file otherwise. Rejects if the folder cannot be created.
 */
export async function kubeconfigFile(config: Config, isProgram: boolean): Promise<KubeconfigFile | undefined> {
  const given = config["write-kubeconfig"];
  const inMemory = isInMemory(config);
  if (given === "" && inMemory && !isProgram) return undefined;
  try {
    const temporary = given === "" && inMemory ? await mkdtemp(join(tmpdir(), "thole-")) : undefined;
    const path = given !== "" ? given : join(temporary ?? config["data-dir"], "kubeconfig");
    const created = await mkdir(dirname(path), { recursive: true, mode: 0o700 }) ?? temporary;
    return {
      path,
      write: (text) =>
        writePrivateFile(path, text).catch((error) => {
          throw new Error(`cannot write the kubeconfig: ${reasonOf(error)}`, { cause: error });
        }),
      remove: async () => {
        if (!inMemory) return;
        await rm(path, { force: true });
        // Only an empty folder: others may have put files beside the kubeconfig.
        if (created !== undefined) await rmdir(dirname(path)).catch(() => {});
      },
    };
  } catch (error) {
    throw new Error(`cannot create the folder of the kubeconfig: ${reasonOf(error)}`);
  }
}
