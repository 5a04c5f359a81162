/** Bytes that a lane holds: hundreds of writes of the usual size. What is never used of it takes no memory. */
const laneBytes = 1024 * 1024;
const headBytes = 8;
/** The words of the head: how many messages were sent, and whether the last one lies here. */
const sent = 0, here = 1;

/** Memory for one lane. */
export function laneMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(headBytes + laneBytes);
}

/**
 * One way from one thread to another, in memory that they share. A message lies in it until the next one; the sender knows by the
 * answer, which has a lane of its own, that it was read. Posting wakes an event loop at the other end and makes an event of the message;
 * a thread that waits here wakes at a third of the cost.
 *
 *   main                              thread
 *   answers.next()                    questions.wait()      blocks
 *   questions.send(true)   ------>    ... returns true
 *   ... resolves           <------    answers.send(true)
 *
 * What does not fit is announced with `false` and comes by post.
 */
export interface Lane {
  readonly words: Float64Array;
  /** The same memory. */
  readonly bytes: Uint8Array;
  /** Wakes the other end: there is a message, here or else in the post. */
  send(liesHere: boolean): void;
  /** Blocks until one is sent that was not yet waited for, and tells whether it lies here. */
  wait(): boolean;
  /** The same without blocking, nor by itself keeping the process alive. */
  next(): Promise<boolean>;
}

/** An end of a lane, of which one sends and the other receives what is sent from now on. */
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
