import type { TLSSocket } from "node:tls";
import { FrameEnds } from "./frame-ends.ts";
import type { ConnectionInput } from "./input.ts";
import type { StepScheduler } from "./step-scheduler.ts";
import { framesPerTurnMax } from "./bounds.ts";

type Listener = (chunk: Uint8Array) => void;

/**
 * Spreads the input of an HTTP/2 session over turns of the event loop: a packet can hold thousands of frames. For Deno, whose sessions
 * read the "data" event of the socket; Node's sessions have no such listener.
 */
export function pace(tls: TLSSocket, input: ConnectionInput, turns: StepScheduler): void {
  for (const listener of tls.listeners("data") as Listener[]) {
    tls.off("data", listener);
    tls.on("data", pacedListener(listener, input, turns));
  }
}

/** Calls `listener` with the input, at most `framesPerTurnMax` frames each turn. Reading stops while input waits. */
export function pacedListener(
  listener: Listener,
  input: Pick<ConnectionInput, "hold" | "release" | "holds" | "stopped">,
  turns: StepScheduler,
): Listener {
  const frames = new FrameEnds();
  const waiting: Uint8Array[] = [];
  let stepping = false;
  /** Passes the first frames of a chunk on; returns the rest. */
  const give = (chunk: Uint8Array): Uint8Array => {
    const end = frames.after(chunk, 0, framesPerTurnMax);
    listener(end === chunk.length ? chunk : chunk.subarray(0, end));
    return chunk.subarray(end);
  };
  const step = (): boolean => {
    if (input.stopped) waiting.length = 0;
    // Requests of this connection wait; the queue must take the next step.
    else if (waiting.length > 0 && input.holds === 1) {
      const rest = give(waiting[0]!);
      if (rest.length > 0) waiting[0] = rest;
      else waiting.shift();
    }
    if (waiting.length > 0) return true;
    stepping = false;
    input.release();
    return false;
  };
  return (chunk) => {
    if (input.stopped) return;
    const rest = stepping ? chunk : give(chunk);
    if (rest.length === 0) return;
    waiting.push(rest);
    if (stepping) return;
    stepping = true;
    input.hold();
    turns.add(step);
  };
}
