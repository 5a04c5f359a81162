/** How many bytes the recordings of a process keep together. */
import { bound } from "../../core/bound.ts";

/** Bytes that all recordings of a process keep together, those of forks included. The largest one drops the older half of its requests when there are more. */
const recordedBytesMax = bound(512 * 1024 * 1024);

/** A recording that can keep less. */
export interface Halvable {
  /** Drops the older half of the requests, and counts what is left. */
  forgetHalf(): void;
}

/** The bytes of one recording. */
export interface CountedBytes {
  /** Counts all bytes that it keeps now. The largest recordings may drop requests before this returns, also this one. */
  set(bytes: number): void;
}

interface Counted {
  bytes: number;
  /** Weak, because a recording that no test has any longer keeps nothing. */
  readonly owner: WeakRef<Halvable>;
}

/** Counts the bytes of recordings, and bounds their sum. */
export class RecordedBytes {
  readonly #max: number;
  readonly #recordings = new Set<Counted>();
  readonly #collected = new FinalizationRegistry<Counted>((counted) => this.#leave(counted));
  #sum = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one more recording. */
  add(owner: Halvable): CountedBytes {
    const counted: Counted = { bytes: 0, owner: new WeakRef(owner) };
    this.#recordings.add(counted);
    this.#collected.register(owner, counted);
    return {
      set: (bytes) => {
        this.#sum += bytes - counted.bytes;
        counted.bytes = bytes;
        while (this.#sum > this.#max) this.#halveLargest();
      },
    };
  }

  /** Each turn makes the sum smaller: a recording that was halved often enough is empty. */
  #halveLargest(): void {
    let largest: Counted | undefined;
    for (const each of this.#recordings) if (largest === undefined || each.bytes > largest.bytes) largest = each;
    if (largest === undefined) return;
    const owner = largest.owner.deref();
    if (owner === undefined) this.#leave(largest);
    else owner.forgetHalf();
  }

  #leave(counted: Counted): void {
    if (this.#recordings.delete(counted)) this.#sum -= counted.bytes;
  }
}

/** Those of this process. */
export const recordedByProcess = new RecordedBytes(recordedBytesMax);
