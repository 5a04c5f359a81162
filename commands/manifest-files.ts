/** Reads files of objects, folders of them, and the standard input, for commands with `-f`. */
import { open, readdir, stat } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import process from "node:process";
import { TextDecoder } from "node:util";
import { reasonOf } from "../core/reason-of.ts";
import { UsageError } from "../server/config/commands.ts";
import { bound } from "../core/bound.ts";
import { manifestBytesMax } from "./bounds.ts";

/** Bytes of all files that a command reads. */
const manifestsBytesMax = bound(256 * 1024 * 1024);
/** Files that a command reads. */
const manifestFilesMax = bound(10_000);
/** Levels of folders that `-R` reads below a named folder. */
const manifestFolderDepthMax = bound(50);

export interface ManifestFile {
  /** The path as it was given or found; `-` for the standard input. */
  readonly path: string;
  readonly text: string;
}

/** A file that cannot be read. */
export class FileError extends Error {
  readonly path: string;
  constructor(path: string, reason: string) {
    super(reason);
    this.path = path;
  }
}

/**
 * Yields the files of `-f` in their order, those of a folder by name. Each is read when it is needed. Yields a FileError for a file that
 * cannot be read. A folder counts for its files that end in .yaml, .yml or .json.
 */
export async function* manifestFiles(names: readonly string[], isRecursive: boolean): AsyncGenerator<ManifestFile | FileError> {
  let files = 0, bytes = 0;
  for (const name of names) {
    for await (const path of pathsOf(name, isRecursive, 0)) {
      if (path instanceof FileError) {
        yield path;
        continue;
      }
      if (++files > manifestFilesMax) throw new UsageError(`more than ${manifestFilesMax} files`);
      try {
        const data = path === "-" ? await readStandardInput() : await readFile(path);
        bytes += data.length;
        if (bytes > manifestsBytesMax) throw new UsageError(`the files are larger than ${manifestsBytesMax} bytes together`);
        yield { path, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data) };
      } catch (error) {
        if (error instanceof UsageError) throw error;
        yield new FileError(path, reasonOf(error));
      }
    }
  }
}

const isManifest = (name: string) => [".yaml", ".yml", ".json"].some((end) => name.endsWith(end));

async function* pathsOf(path: string, isRecursive: boolean, depth: number): AsyncGenerator<string | FileError> {
  try {
    if (path === "-" || !(await stat(path)).isDirectory()) {
      yield path;
      return;
    }
    if (depth > manifestFolderDepthMax) throw new Error(`folders are nested deeper than ${manifestFolderDepthMax}`);
    const entries = (await readdir(path, { withFileTypes: true })).toSorted((a, b) => a.name < b.name ? -1 : 1);
    for (const entry of entries) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) {
        if (isRecursive) yield* pathsOf(inner, true, depth + 1);
      } else if (isManifest(entry.name) && (entry.isFile() || entry.isSymbolicLink() && await leadsToFile(inner))) yield inner; // A pipe would be read until somebody writes.
    }
  } catch (error) {
    yield new FileError(path, reasonOf(error));
  }
}

/** Whether a link leads to a file. One that leads nowhere does, too: its reader reports it. */
async function leadsToFile(link: string): Promise<boolean> {
  try {
    return (await stat(link)).isFile();
  } catch {
    return true;
  }
}

const tooLarge = () => new Error(`larger than ${manifestBytesMax} bytes`);

async function readFile(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    if ((await file.stat()).size > manifestBytesMax) throw tooLarge();
    return await readBounded(file.createReadStream({ autoClose: false }));
  } finally {
    await file.close();
  }
}

const readStandardInput = () => readBounded(process.stdin);

async function readBounded(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > manifestBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Writes to the standard output. Resolves also if its reader has gone. */
export function writeOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once("error", ignore);
    process.stdout.write(text, (error) => {
      if (error instanceof Error && !("code" in error && error.code === "EPIPE")) return reject(error);
      process.stdout.off("error", ignore);
      resolve();
    });
  });
}
const ignore = () => {};
