import { finished, type Readable } from "node:stream";

/** Calls `closed` once: when the stream ends or fails. Reads the stream and drops the data. */
export function onClose(stream: Readable, closed: () => void): void {
  finished(stream.resume(), { writable: false }, closed);
}
