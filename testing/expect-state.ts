/** Compares the state of a server with a file. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { DumpOptions } from "./state/dump.ts";
import { diffOfDumps } from "./state/diff.ts";

/** The variable of the environment with which `expectState` writes its files: `THOLE_UPDATE_STATE=1`. */
const updateVariable = "THOLE_UPDATE_STATE";

/** How a state is compared with its file. */
export interface ExpectStateOptions extends DumpOptions {
  /** Whether the file is written instead of compared. Default: whether `THOLE_UPDATE_STATE` is set in the environment, to something else than "" and "0". */
  readonly update?: boolean;
}

/** The error of a state that differs from its file. Its members are those that test runners show. */
export class StateError extends Error {
  /** The dump of the server. */
  readonly actual: string;
  /** The text of the file; undefined if there is none. */
  readonly expected: string | undefined;
  /** Makes the error. */
  constructor(message: string, actual: string, expected: string | undefined) {
    super(message);
    this.name = "StateError";
    this.actual = actual;
    this.expected = expected;
  }
}

/**
 * Compares the state of a server with a file in the form of `server.dump()`. Works in each test runner: it only throws.
 *
 *     await expectState(server, new URL("./expected/rollout.yaml", import.meta.url), { namespaces: ["shop"] });
 *
 * @param file a path, or a URL of the scheme file
 * Rejects with `StateError`, whose message has the differences and how the file is written
 */
export async function expectState(
  server: { dump(options?: DumpOptions): Promise<string> },
  file: string | URL,
  { update = isUpdating(), ...options }: ExpectStateOptions = {},
): Promise<void> {
  const path = typeof file === "string" ? file : fileURLToPath(file), actual = await server.dump(options);
  if (update) {
    await mkdir(dirname(path), { recursive: true });
    return await writeFile(path, actual);
  }
  const expected = await readFile(path, "utf8").catch((error: unknown) => {
    if ((error as { readonly code?: unknown }).code === "ENOENT") return undefined;
    throw error;
  });
  const hint = `Run the test with ${updateVariable}=1 to write the file.`;
  if (expected === undefined) throw new StateError(`the file "${path}" of the expected state does not exist. ${hint}`, actual, undefined);
  // A checkout on Windows may have other line ends.
  const text = expected.replaceAll("\r\n", "\n");
  if (text === actual) return;
  const diff = diffOfDumps(text, actual);
  const shown = diff === "" ? "Only the order or the form of the documents differs.\n" : diff;
  throw new StateError(`the state differs from "${path}" (before: the file, after: the server):\n${shown}${hint}`, actual, expected);
}

/** Deno may deny the variable. */
function isUpdating(): boolean {
  try {
    return !["", "0", undefined].includes(process.env[updateVariable]);
  } catch {
    return false;
  }
}
