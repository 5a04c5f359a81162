/** Data of streams, held back until the server's flow-control window allows it (RFC 9113, section 5.2). */
import { flag, frameBytesMax, frameType, type WriteFrame } from "./frames.ts";
import { firstWindowBytes } from "./preface.ts";

export interface SendQueue {
  /** Registers a stream. */
  open(id: number): void;
  /** Appends data to a stream; `ends`: it is the last. */
  send(id: number, data: Uint8Array, ends: boolean): void;
  /** Whether all data is written, the end of the stream included. */
  isDone(id: number): boolean;
  /** Drops data that is not written yet. */
  close(id: number): void;
  /** Increases the window of a stream, or of the connection (0), in bytes. Throws if it exceeds 2^31-1. */
  allow(id: number, bytes: number): void;
  /** Sets the initial window of streams in bytes; the windows of open streams change by the difference. */
  resize(bytes: number): void;
}

const windowMax = 0x7fffffff;
const nothing = new Uint8Array(0);

interface Sending {
  readonly id: number;
  window: number;
  /** Parts in order; `at` bytes of the first are written. */
  readonly parts: Uint8Array[];
  at: number;
  ends: boolean;
  isDone: boolean;
}

export function sendQueue(write: WriteFrame): SendQueue {
  const sending = new Map<number, Sending>();
  /** Streams that wait for the window, in order. */
  const held = new Set<Sending>();
  let window = firstWindowBytes;
  let first = firstWindowBytes;

  /** Writes as much as the windows allow. */
  function push(stream: Sending): void {
    for (let data = stream.parts[0]; data !== undefined; data = stream.parts[0]) {
      const left = data.length - stream.at;
      const bytes = Math.min(left, frameBytesMax, stream.window, window);
      if (bytes <= 0 && left > 0) return void held.add(stream);
      const isLast = bytes === left && stream.ends && stream.parts.length === 1;
      write(frameType.data, isLast ? flag.endStream : 0, stream.id, data, stream.at, stream.at + bytes);
      window -= bytes;
      stream.window -= bytes;
      stream.at += bytes;
      if (isLast) stream.isDone = true;
      if (bytes < left) continue;
      stream.parts.shift();
      stream.at = 0;
    }
  }
  function pushHeld(): void {
    const streams = [...held];
    held.clear();
    for (const stream of streams) push(stream);
  }
  function added(before: number, bytes: number): number {
    if (before + bytes > windowMax) throw new Error("The flow-control window exceeds 2^31-1 bytes");
    return before + bytes;
  }
  return {
    open: (id) => void sending.set(id, { id, window: first, parts: [], at: 0, ends: false, isDone: false }),
    send(id, data, ends) {
      const stream = sending.get(id);
      if (stream === undefined) return;
      stream.parts.push(data.length === 0 ? nothing : data);
      stream.ends = ends;
      if (!held.has(stream)) push(stream);
    },
    isDone: (id) => sending.get(id)?.isDone ?? true,
    close(id) {
      const stream = sending.get(id);
      if (stream === undefined) return;
      sending.delete(id);
      held.delete(stream);
    },
    allow(id, bytes) {
      if (id === 0) window = added(window, bytes);
      else {
        const stream = sending.get(id);
        if (stream === undefined) return;
        stream.window = added(stream.window, bytes);
      }
      pushHeld();
    },
    resize(bytes) {
      for (const stream of sending.values()) stream.window = added(stream.window, bytes - first);
      first = bytes;
      pushHeld();
    },
  };
}
