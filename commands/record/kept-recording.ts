/** Where `thole record` keeps what it has recorded. */
import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { reasonOf } from "../../core/reason-of.ts";
import { writeDocuments } from "../../testing/files/recordings.ts";
import { placeFile } from "../backup/whole-file.ts";
import { UsageError } from "../../server/config/commands.ts";

/** The place of a file that appears when it is whole: until then it is beside its place. */
export interface FilePlace {
  readonly path: string;
  readonly partial: string;
}

/** Makes the empty file beside the place of a recording, before any work: a file that cannot be written is a mistake. Rejects for one that exists. */
export async function reservePlace(to: string): Promise<FilePlace> {
  const path = resolve(to), partial = `${path}.partial`;
  for (const each of [path, partial]) if (existsSync(each)) throw new UsageError(`record: "${each}" exists, and is not overwritten`);
  await (await open(partial, "wx", 0o600)).close();
  return { path, partial };
}

/** Removes the file beside the place, in which nothing is. */
export async function givePlaceUp({ partial }: FilePlace): Promise<void> {
  await rm(partial, { force: true });
}

/** Where a recording is, and why it is not at its place. */
export interface Kept {
  readonly path: string;
  /** Absent at its place. */
  readonly problem?: string;
}

/**
 * Writes a recording to its place; if that fails, beside it or to another file. Returns where it is whole, and undefined if it could be written nowhere;
 * `failed` gets each reason.
 */
export async function keepRecording(
  { path, partial }: FilePlace,
  elsewhere: string,
  documents: () => Iterable<string>,
  failed: (text: string) => void,
): Promise<Kept | undefined> {
  let problem: string | undefined;
  for (const at of [partial, elsewhere]) {
    try {
      await write(at, documents());
    } catch (error) {
      problem = reasonOf(error);
      failed(`cannot write ${at}: ${problem}`);
      await rm(at, { force: true }).catch(() => {}); // a part of it is of no use
      continue;
    }
    if (at === elsewhere) return { path: at, problem: problem ?? "" };
    try {
      await placeFile(at, path);
      return { path };
    } catch (error) {
      return { path: at, problem: reasonOf(error) };
    }
  }
  return undefined;
}

async function write(path: string, documents: Iterable<string>): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await writeDocuments(file, documents);
  } finally {
    await file.close();
  }
}
