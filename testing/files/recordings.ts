/** Recordings in files. */
import { type FileHandle, open, readFile, rename, rm, stat } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { bound } from "../../core/bound.ts";

/** Bytes of a file with a recording that is read. */
const recordingBytesMax = bound(256 * 1024 * 1024);

/** Characters that are written at a time. */
const writtenCharacters = 1024 * 1024;
const encoder = new TextEncoder();

/**
 * Writes the documents of a recording, readable by their owner only: they have names of users and objects. The file appears when it is whole, so that a
 * failure leaves the former one.
 */
export async function writeRecording(path: string | URL, documents: Iterable<string>): Promise<void> {
  const to = path instanceof URL ? fileURLToPath(path) : path, partial = `${to}.${process.pid}.partial`;
  await rm(partial, { force: true });
  try {
    const file = await open(partial, "wx", 0o600);
    try {
      await writeDocuments(file, documents);
    } finally {
      await file.close();
    }
    await rename(partial, to);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Writes documents into an open file. Resolves when they are on the disk. */
export async function writeDocuments(file: FileHandle, documents: Iterable<string>): Promise<void> {
  let text = "";
  const flush = async (): Promise<void> => {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
    text = "";
  };
  for (const document of documents) {
    text += document;
    if (text.length > writtenCharacters) await flush();
  }
  await flush();
  await file.sync();
}

/** Returns the text of a recording. Rejects if there is none, or if it is too large. */
export async function readRecordingFile(path: string | URL): Promise<string> {
  const { size } = await stat(path);
  if (size > recordingBytesMax) throw new Error(`the recording has ${size} bytes, more than ${recordingBytesMax}`);
  return await readFile(path, "utf8");
}
