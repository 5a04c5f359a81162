/** The body of an HTTP/1.1 request in pieces, for a handler that passes it on. */
import type { IncomingBody } from "./body.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of a streamed body that wait for the handler before the client is no longer read. */
export const streamedBodyBytesMax = bound(64 * 1024);

/**
 * Yields the pieces of a body. The client is not read while many wait. The end of the iteration does not end the request: its client may still read the
 * answer.
 *
 * @throws Error when the client disconnects before the end
 */
export async function* streamBody(body: IncomingBody): AsyncGenerator<Uint8Array, void> {
  const { source, input } = body, pieces: Uint8Array[] = [];
  let waiting = 0, isHeld = false, isEnded = source.readableEnded, isBroken = source.destroyed && !isEnded;
  let wake = (): void => {};
  const hold = (isHolding: boolean): void => {
    if (isHeld === isHolding) return;
    isHeld = isHolding;
    if (isHolding) {
      source.pause();
      input.hold();
    } else {
      input.release();
      source.resume();
    }
  };
  const onData = (piece: Uint8Array): void => {
    body.taken += piece.length;
    input.piece(piece.length, body.taken);
    pieces.push(piece);
    waiting += piece.length;
    if (waiting > streamedBodyBytesMax) hold(true);
    wake();
  };
  const onEnd = (): void => {
    isEnded = true;
    wake();
  };
  const onClose = (): void => {
    isBroken = !isEnded;
    wake();
  };
  input.gate(true);
  source.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  try {
    for (;;) {
      const piece = pieces.shift();
      if (piece !== undefined) {
        waiting -= piece.length;
        yield piece;
      } else if (isEnded) return;
      else if (isBroken) throw new Error("the client disconnected before its body was complete");
      else {
        const woken = new Promise<void>((resolve) => wake = resolve);
        hold(false);
        await woken;
      }
    }
  } finally {
    source.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
    if (!isEnded) {
      source.pause();
      input.gate(false);
    }
    if (isHeld) input.release();
  }
}
