import type { Readable } from "node:stream";
import { tooLargeError } from "../../core/status-error.ts";

/** Lets a client's bytes in, or holds them back. */
export type Gate = (open: boolean) => void;

/** The whole body of a request. Refused with RequestEntityTooLarge as soon as it, or its announced length, is over `limit`
 *  bytes; an AbortError when the client goes away before the end. The rest of a refused body is left to the caller, behind a closed gate. */
export function readBody(source: Readable, announced: string | undefined, limit: number, gate: Gate): Promise<Uint8Array> {
  if (announced !== undefined && Number(announced) > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void): void => {
      source.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      act();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limit) return;
      source.pause();
      gate(false);
      settle(() => reject(tooLarge(limit)));
    };
    const onEnd = (): void =>
      settle(() => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size)));
    const onClose = (cause?: unknown): void =>
      settle(() => reject(new Error("the client went away before its body was complete", { cause })));
    if (source.readableEnded) return resolve(new Uint8Array());
    if (source.destroyed) return onClose();
    gate(true);
    source.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}

function tooLarge(limit: number): Error {
  return tooLargeError(`limit is ${limit}`);
}

/** How long an answer waits for the rest of a body that nobody wants. */
const restMs = 100;

/**
 * Reads on and throws away what a client still sends when it is being answered, so that it gets to read the answer; past `limit`
 * bytes `giveUp` is called instead. Resolves when the body is over, or after a moment.
 */
export function discardRest(source: Readable, limit: number, gate: Gate, giveUp: () => void): Promise<void> {
  gate(true);
  let size = 0;
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, restMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    source.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return;
      giveUp();
      done();
    });
    source.once("end", done).once("close", done);
    source.resume();
  });
}
