import { afterIo } from "../../core/turns.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of long HTTP/1.1 bodies that one turn of the event loop reads, over all connections. */
export const bodyTurnBytes = bound(256 * 1024);
/** HTTP/1.1 bodies that continue in the next turn of the event loop. */
export const bodiesPerTurnMax = bound(4);

/** An input that can be paused. */
interface Held {
  hold(): void;
  release(): void;
}

/**
 * Spreads the reading of large HTTP/1.1 bodies over turns of the event loop. Without it a runtime reads all bytes that have arrived on all
 * connections before it serves other requests: 16 bodies of 3 MiB take more than 100 ms.
 */
export class BodyTurns {
  readonly #held = new Set<Held>();
  /** Bytes read since the last turn. */
  #read = 0;
  #scheduled = false;

  /** Counts a piece of a large body. Holds its input until a later turn if this turn has read `bodyTurnBytes`. */
  read(bytes: number, input: Held): void {
    this.#read += bytes;
    if (this.#read >= bodyTurnBytes && !this.#held.has(input)) {
      this.#held.add(input);
      input.hold();
    }
    this.#schedule();
  }
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    afterIo(() => {
      this.#scheduled = false;
      this.#read = 0;
      let count = 0;
      for (const input of this.#held) {
        if (count++ === bodiesPerTurnMax) break;
        this.#held.delete(input);
        input.release();
      }
      if (this.#held.size > 0) this.#schedule();
    });
  }
}
