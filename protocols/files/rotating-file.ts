/**
 * A log file that is rotated before it exceeds its size. Old files are compressed and removed by age and number. Names and rules are those
 * of lumberjack, which kube-apiserver uses: `audit.log` becomes `audit-2026-01-31T12-30-00.000.log`.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { reasonOf } from "../../core/reason-of.ts";
import type { LineSink } from "./line-sink.ts";

export interface RotationOptions {
  /** Bytes of one file; 0 disables rotation. */
  readonly maxBytes: number;
  /** Milliseconds after which old files are removed; 0 keeps them. */
  readonly maxAgeMs: number;
  /** Number of old files to keep; 0 keeps all. */
  readonly maxBackups: number;
  /** Old files are compressed with gzip. */
  readonly compress: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Reports a failure with old files; the log itself continues. */
  readonly report: (message: string) => void;
  /** Writes at the end of a file; for tests. Default: the file's own write. */
  readonly write?: (file: FileHandle, bytes: Uint8Array) => Promise<void>;
}

/** Opens the file, and creates it and its folder if missing, readable by the owner only. */
export async function rotatingFile(path: string, options: RotationOptions): Promise<LineSink> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = new RotatingFile(path, options);
  await file.open();
  return file;
}

async function writeWhole(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
}

class RotatingFile implements LineSink {
  readonly #path: string;
  readonly #options: RotationOptions;
  readonly #write: (file: FileHandle, bytes: Uint8Array) => Promise<void>;
  #file: FileHandle | undefined;
  #size = 0;
  /** Set after a failed write, which may have written part of a line. */
  #isTorn = false;
  #tidying: Promise<void> = Promise.resolve();

  constructor(path: string, options: RotationOptions) {
    this.#path = path;
    this.#options = options;
    this.#write = options.write ?? writeWhole;
  }

  async open(): Promise<void> {
    this.#file = await open(this.#path, "a", 0o600);
    this.#size = (await this.#file.stat()).size;
    this.#tidy();
  }

  async append(lines: readonly Uint8Array[]): Promise<ReadonlyMap<number, string>> {
    const failed = new Map<number, string>();
    const { maxBytes } = this.#options;
    let piece: number[] = [], bytes = 0;
    const flush = async () => {
      const indexes = piece;
      piece = [];
      bytes = 0;
      if (indexes.length === 0) return;
      try {
        await this.#put(joined(indexes.map((index) => lines[index]!)));
      } catch (error) {
        for (const index of indexes) failed.set(index, reasonOf(error));
      }
    };
    for (const [index, line] of lines.entries()) {
      if (maxBytes > 0 && line.length > maxBytes) {
        failed.set(index, `write length ${line.length} exceeds maximum file size ${maxBytes}`);
        continue;
      }
      if (maxBytes > 0 && this.#size + bytes + line.length > maxBytes) {
        await flush();
        try {
          await this.#rotate();
        } catch (error) {
          failed.set(index, reasonOf(error));
          continue;
        }
      }
      piece.push(index);
      bytes += line.length;
    }
    await flush();
    return failed;
  }

  async close(): Promise<void> {
    await this.#tidying;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #put(bytes: Uint8Array): Promise<void> {
    const file = this.#file ??= await open(this.#path, "a", 0o600);
    if (this.#isTorn) {
      // Removes a partial line of a write on a full disk.
      await file.truncate(this.#size);
      this.#isTorn = false;
    }
    try {
      await this.#write(file, bytes);
    } catch (error) {
      this.#isTorn = true;
      throw error;
    }
    this.#size += bytes.length;
  }

  async #rotate(): Promise<void> {
    if (this.#size === 0) return;
    await this.#file?.close();
    this.#file = undefined;
    const found = await stat(this.#path).catch(() => undefined);
    if (found !== undefined) await rename(this.#path, await this.#backupPath());
    this.#file = await open(this.#path, "a", found === undefined ? 0o600 : found.mode & 0o777);
    this.#size = 0;
    this.#isTorn = false;
    this.#tidy();
  }

  /** An unused name: two rotations may happen within a millisecond. */
  async #backupPath(): Promise<string> {
    for (let at = this.#options.now();; at++) {
      const name = nameOf(this.#path, at);
      const isFree = (await Promise.all([name, `${name}.gz`].map((each) => stat(each).then(() => false, () => true)))).every(Boolean);
      if (isFree) return name;
    }
  }

  /** Compresses and removes old files in the background, one pass after another. */
  #tidy(): void {
    this.#tidying = this.#tidying.then(() => this.#removeAndCompress()).catch((error: unknown) => {
      this.#options.report(`cannot tidy the old files of "${this.#path}": ${reasonOf(error)}`);
    });
  }

  async #removeAndCompress(): Promise<void> {
    const { maxAgeMs, maxBackups, compress, now } = this.#options;
    if (maxAgeMs === 0 && maxBackups === 0 && !compress) return;
    const folder = dirname(this.#path);
    const files = (await readdir(folder, { withFileTypes: true })).filter((each) => each.isFile()).map(({ name }) => name);
    const old = backupsAmong(files, this.#path);
    const kept = old.filter(({ at }, index) => (maxBackups === 0 || index < maxBackups) && (maxAgeMs === 0 || at >= now() - maxAgeMs));
    for (const each of old) if (!kept.includes(each)) { for (const name of each.names) await unlink(join(folder, name)); }
    for (const { names } of compress ? kept : []) {
      const plain = names.find((name) => !name.endsWith(".gz"));
      if (plain !== undefined) await compressFile(join(folder, plain));
    }
  }
}

function joined(lines: readonly Uint8Array[]): Uint8Array {
  if (lines.length === 1) return lines[0]!;
  const all = new Uint8Array(lines.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const line of lines) {
    all.set(line, at);
    at += line.length;
  }
  return all;
}

/** `2026-01-31T12-30-00.000`. */
function nameOf(path: string, at: number): string {
  const extension = extname(path), name = basename(path, extension);
  return join(dirname(path), `${name}-${new Date(at).toISOString().slice(0, -1).replaceAll(":", "-")}${extension}`);
}

interface Backup {
  readonly at: number;
  /** The file, or its compressed form; both after an interrupted compression. */
  readonly names: readonly string[];
}

/** Old files of the log at `path`, the newest first. Other files are ignored. */
export function backupsAmong(names: readonly string[], path: string): readonly Backup[] {
  const extension = extname(path), head = `${basename(path, extension)}-`;
  const found = new Map<number, string[]>();
  for (const name of names) {
    const plain = name.endsWith(".gz") ? name.slice(0, -3) : name;
    if (!plain.startsWith(head) || !plain.endsWith(extension)) continue;
    const time = plain.slice(head.length, plain.length - extension.length);
    const match = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(time);
    const at = match === null ? NaN : Date.parse(`${match[1]}${match[2]}:${match[3]}:${match[4]}Z`);
    if (Number.isNaN(at)) continue;
    found.set(at, [...found.get(at) ?? [], name]);
  }
  return [...found].map(([at, all]) => ({ at, names: all })).toSorted((one, other) => other.at - one.at);
}

/** The file is removed after its compressed form is complete. */
async function compressFile(path: string): Promise<void> {
  const { mode } = await stat(path);
  const target = `${path}.gz`;
  try {
    await pipeline(createReadStream(path), createGzip(), createWriteStream(target, { mode: mode & 0o777 }));
  } catch (error) {
    await unlink(target).catch(() => {});
    throw error;
  }
  await unlink(path);
}
