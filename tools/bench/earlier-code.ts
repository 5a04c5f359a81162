/** The package on Node with the code of an earlier start, as users have it from the second start on. */
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { ServerProgram } from "./server.ts";

export interface EarlierCode {
  /** Its starts use the code. */
  readonly program: ServerProgram;
  /** Rejects if a start since then has not used the code: such a server writes it again. Call it after they have ended. */
  verify(): Promise<void>;
}

/** Interval of looks at the folder, and the maximum wait for the code: a server writes it when it has been quiet, or when it ends. */
const lookEveryMs = 100, codeMsMax = 90_000;

/** `cache`: a new folder in which one server, which `start` starts, keeps its code. Resolves when that server has ended. */
export async function openEarlierCode(
  cache: string,
  of: ServerProgram,
  start: (program: ServerProgram) => Promise<{ stop(): Promise<void> }>,
): Promise<EarlierCode> {
  // The server uses no folder that others may write to.
  await mkdir(cache, { mode: 0o700 });
  const program = { ...of, cache }, server = await start(program);
  try {
    const end = performance.now() + codeMsMax;
    while (await writtenAt(cache) === undefined && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  } finally {
    await server.stop();
  }
  const written = await writtenAt(cache);
  if (written === undefined) throw new Error("The server has not kept its code");
  return {
    program,
    async verify() {
      if (await writtenAt(cache) !== written) throw new Error("A start has not used the code of an earlier one");
    },
  };
}

/** When the code of the server's script was written, in milliseconds; undefined before. */
async function writtenAt(cache: string): Promise<number | undefined> {
  const names = await readdir(cache, { recursive: true }), file = names.find((name) => name.endsWith(".cjs.code"));
  return file === undefined ? undefined : (await stat(join(cache, file))).mtimeMs;
}
