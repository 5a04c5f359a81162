import { readFileSync, type Stats, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { type Clock, systemClock, within } from "../../core/async.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of a file of settings, keys or certificates. */
const settingFileBytesMax = bound(16 * 1024 * 1024);
/** Milliseconds in which a file of settings, keys or certificates must be read. */
export const fileReadMs = bound(5_000);

/** What the reads need of the system. */
export interface FileSystem {
  readFile(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<Stats>;
  readonly clock: Pick<Clock, "after">;
}

export interface BoundedFiles {
  /** The content of a plain file. Rejects for other kinds of files, for larger ones, and if the file system does not answer in time. */
  readWhole(path: string, bytesMax?: number): Promise<Uint8Array>;
  /** Reads a whole file as text, as `readWhole` does. */
  readWholeText(path: string, bytesMax?: number): Promise<string>;
  /**
   * A fingerprint of the file at a path: it changes when the file is written or replaced, or when a link on its path changes, as in mounted
   * ConfigMaps. "missing" if there is none, "silent" if the file system does not answer in time. Rejects if it cannot be determined.
   */
  fingerprint(path: string): Promise<string>;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function boundedFiles({ readFile, stat, clock }: FileSystem): BoundedFiles {
  /**
   * Reads that have not ended, by operation and path. A file system that does not answer keeps a thread of the process for each of them, and there are only
   * few: later reads of the same path wait for the first one.
   */
  const pending = new Map<string, Promise<unknown>>();

  async function inTime<T>(key: string, path: string, run: () => Promise<T>): Promise<T> {
    const running = pending.get(key) as Promise<T> | undefined ?? run(); // The operation in the key decides the type.
    if (!pending.has(key)) {
      pending.set(key, running);
      const forget = () => void pending.delete(key);
      running.then(forget, forget);
    }
    const silent = () => new SilentError(`"${path}" does not answer within ${fileReadMs / 1000} s`);
    return await within(running, fileReadMs, silent, clock);
  }
  async function readWhole(path: string, bytesMax: number = settingFileBytesMax): Promise<Uint8Array> {
    return await inTime(`read ${path}`, path, async () => {
      // The system's error comes from the read, which names the file.
      checkKind(path, await stat(path).catch(() => undefined), bytesMax);
      return await readFile(path);
    });
  }
  return {
    readWhole,
    readWholeText: async (path, bytesMax) => decoder.decode(await readWhole(path, bytesMax)),
    async fingerprint(path) {
      try {
        const { dev, ino, size, mtimeMs, ctimeMs } = await inTime(`stat ${path}`, path, () => stat(path));
        return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
      } catch (error) {
        if (error instanceof SilentError) return "silent";
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return "missing";
        throw error;
      }
    },
  };
}

/** Of this process: a file system that does not answer keeps threads of it. */
export const { readWhole, readWholeText, fingerprint } = boundedFiles({ readFile, stat, clock: systemClock });

/** Returns the bytes of a plain file, for what is read before the server runs: it waits for a file system that does not answer. */
export function readWholeSync(path: string, bytesMax: number = settingFileBytesMax): Uint8Array {
  checkKind(path, statSync(path, { throwIfNoEntry: false }), bytesMax);
  return readFileSync(path);
}

/** Reads a whole file as text, as `readWhole` does. */
export function readWholeTextSync(path: string, bytesMax?: number): string {
  return decoder.decode(readWholeSync(path, bytesMax));
}

class SilentError extends Error {}

/** Throws for what is no plain file, or a larger one. */
function checkKind(path: string, found: Stats | undefined, bytesMax: number): void {
  if (found === undefined) return;
  if (found.isDirectory()) throw new Error(`"${path}" is a folder`);
  if (found.isFIFO()) throw new Error(`"${path}" is a pipe: give a plain file`);
  if (!found.isFile()) throw new Error(`"${path}" is no plain file`);
  if (found.size > bytesMax) throw new Error(`"${path}" has ${found.size} bytes, more than ${bytesMax}`);
}
