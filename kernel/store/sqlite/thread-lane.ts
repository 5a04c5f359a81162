import { bound } from "../../../core/bound.ts";

/** Bytes of shared memory for each direction between the main thread and that of the embedded store. Unused pages take no memory. */
const storeLaneBytes = bound(1024 * 1024);

const headBytes = 8;
/** The positions of the two words of the head: the number of sent messages, and whether the last one is in the lane. */
const sent = 0, here = 1;

/** Allocates the memory of one lane. */
export function laneMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(headBytes + storeLaneBytes);
}

/**
 * One direction between two threads, in shared memory. A message stays until the next one; an answer, on a lane of its own, shows the
 * sender that it was read. Waiting on shared memory costs a third of a posted message, which needs an event in the receiving thread.
 *
 *   main                              thread
 *   answers.next()                    questions.wait()      blocks
 *   questions.send(true)   ------>    ... returns true
 *   ... resolves           <------    answers.send(true)
 *
 * A message that does not fit is announced with `false` and sent with postMessage.
 */
export interface Lane {
  readonly words: Float64Array;
  /** The bytes of the shared memory. */
  readonly bytes: Uint8Array;
  /** Wakes the receiver. The argument says whether the message is in the lane; otherwise it was posted. */
  send(liesHere: boolean): void;
  /** Blocks until a message arrives; returns whether it is in the lane. */
  wait(): boolean;
  /** Does the same as `wait`, but does not block and does not keep the process alive. */
  next(): Promise<boolean>;
}

/** Opens one end of a lane; the sender and the receiver open one each. A receiver gets the messages that are sent from now on. */
export function laneIn(memory: SharedArrayBuffer): Lane {
  const head = new Int32Array(memory, 0, headBytes / Int32Array.BYTES_PER_ELEMENT);
  let seen = Atomics.load(head, sent);
  const look = (): boolean => {
    seen = Atomics.load(head, sent);
    return Atomics.load(head, here) === 1;
  };
  return {
    words: new Float64Array(memory, headBytes),
    bytes: new Uint8Array(memory, headBytes),
    send(liesHere) {
      Atomics.store(head, here, liesHere ? 1 : 0);
      Atomics.add(head, sent, 1);
      Atomics.notify(head, sent);
    },
    wait() {
      while (Atomics.load(head, sent) === seen) Atomics.wait(head, sent, seen);
      return look();
    },
    next() {
      const { async, value } = Atomics.waitAsync(head, sent, seen);
      return async ? value.then(look) : Promise.resolve(look());
    },
  };
}
