/** Recordings in files. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { bound } from "../../core/bound.ts";

/** Bytes of a file with a recording that is read. */
const recordingBytesMax = bound(256 * 1024 * 1024);

/** Writes the text of a recording, readable by its owner only: it has names of users and objects. */
export async function writeRecording(path: string | URL, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
}

/** Returns the text of a recording. Rejects if there is none, or if it is too large. */
export async function readRecordingFile(path: string | URL): Promise<string> {
  const { size } = await stat(path);
  if (size > recordingBytesMax) throw new Error(`the recording has ${size} bytes, more than ${recordingBytesMax}`);
  return await readFile(path, "utf8");
}
