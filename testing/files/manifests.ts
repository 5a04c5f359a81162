/** Reads manifests from files and folders. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bound } from "../../core/bound.ts";
import { reasonOf } from "../../core/reason-of.ts";

/** Files below one folder. */
const loadFilesMax = bound(10_000);
/** Bytes of one file. */
const loadFileBytesMax = bound(256 * 1024 * 1024);

/** A file, or why it cannot be read. */
export type ManifestFile = { readonly place: string } & ({ readonly text: string } | { readonly problem: string });

const isManifest = (name: string) => [".yaml", ".yml", ".json"].some((end) => name.endsWith(end));

/**
 * Returns a file, or the files that end in .yaml, .yml or .json in a folder and below, in the order of their paths. Rejects if the path leads to
 * nothing.
 */
export async function manifestsAt(path: string | URL): Promise<readonly ManifestFile[]> {
  const top = typeof path === "string" ? path : fileURLToPath(path);
  if (!(await stat(top)).isDirectory()) return [await fileAt(top, top)];
  const names = (await readdir(top, { recursive: true })).filter(isManifest).sort();
  if (names.length > loadFilesMax) throw new Error(`the folder "${top}" has more than ${loadFilesMax} manifests`);
  return await Promise.all(names.map((name) => fileAt(join(top, name), name)));
}

async function fileAt(path: string, place: string): Promise<ManifestFile> {
  try {
    const { size } = await stat(path);
    if (size > loadFileBytesMax) return { place, problem: `the file has ${size} bytes, more than ${loadFileBytesMax}` };
    return { place, text: await readFile(path, "utf8") };
  } catch (error) {
    return { place, problem: reasonOf(error) };
  }
}
