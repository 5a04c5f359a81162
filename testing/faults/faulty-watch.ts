/** One watch whose events a test can hold, and which it can end. */
import { once } from "../../core/async.ts";
import { bound } from "../../core/bound.ts";
import { statusOf } from "../../core/status-error.ts";
import { expiredError, type Framing, type Watching, type WatchType } from "../../kernel/reads/reads.ts";
import { concat } from "../../kernel/objects/chunks.ts";
import type { Item } from "../../kernel/objects/objects.ts";
import type { Revision } from "../../kernel/store/store.ts";
import type { HeldEvent, HeldFrame } from "./held-events.ts";
import type { WatchEnd } from "./rule.ts";

/** Events that one watch can have held. A test that holds more has forgotten them. */
const heldMax = bound(100_000);

/** The frame of an event, or of a bookmark or error, which have none. */
interface Made {
  readonly length: number;
  readonly item: Item | undefined;
  readonly type: WatchType;
  /** Whether it is the bookmark at the end of the first state. */
  readonly endsInitial: boolean;
}

interface Ending {
  readonly how: WatchEnd;
  /** Events that the client still gets before. */
  afterEvents: number;
}

/** A watch between the reads of the server and its client. Its frames are made for it alone, so that their order is known. */
export class FaultyWatch {
  /** The number of the watch. */
  readonly number: number;
  readonly #ending = new AbortController();
  /** The frames that were made and not cut off the bytes yet. */
  readonly #made: Made[] = [];
  #bytes: Uint8Array = new Uint8Array();
  /** Frames that can be delivered. */
  readonly #ready: Uint8Array[] = [];
  readonly #held = new Map<HeldEvent, HeldFrame>();
  /** Events after this revision are held; undefined: none. */
  #holdsAfter: Revision | undefined;
  #end: Ending | undefined;
  #isCut = false;
  #wake: () => void = () => {};
  #tooSlow = (): void => {};
  #errorFrame: Framing["error"] = () => new Uint8Array();

  constructor(number: number) {
    this.number = number;
  }

  /** The watch that the server runs in place of the client's. */
  wrapped(watching: Watching): Watching {
    this.#tooSlow = () => watching.tooSlow?.();
    this.#errorFrame = watching.framing.error;
    return { ...watching, framing: this.#framing(watching.framing), signal: AbortSignal.any([watching.signal, this.#ending.signal]) };
  }

  /** Holds the events of later changes. */
  hold(after: Revision): void {
    this.#holdsAfter ??= after;
  }

  get held(): readonly HeldFrame[] {
    return [...this.#held.values()];
  }

  /** Delivers events, in this order. */
  flush(events: readonly HeldEvent[]): void {
    for (const event of events) {
      const held = this.#held.get(event);
      if (held === undefined) continue; // it belongs to another watch
      this.#held.delete(event);
      this.#ready.push(held.bytes);
    }
    this.#wake();
  }

  /** Delivers what is held, and holds no more. */
  release(): void {
    this.#holdsAfter = undefined;
    this.flush([...this.#held.keys()]);
  }

  /** Ends the watch after this many further events. */
  end(how: WatchEnd, afterEvents = 0): void {
    this.#end = { how, afterEvents };
    if (afterEvents === 0) this.#endNow();
  }

  /** The frames for the client. `closed` is called when the watch has ended. */
  frames(source: AsyncIterable<Uint8Array>, closed: () => void): AsyncIterable<Uint8Array> {
    const iterator = source[Symbol.asyncIterator]();
    const over = once(() => {
      closed();
      this.#ending.abort();
      iterator.return?.().catch(() => {});
      return true;
    });
    const frames = this.#frames(iterator, over);
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => frames.next(),
        return: () => {
          // A generator that waits for its source would return only after that, and one that has not begun has no `finally`.
          this.#isCut = true;
          this.#wake();
          over();
          return frames.return(undefined);
        },
      }),
    };
  }

  async *#frames(iterator: AsyncIterator<Uint8Array>, over: () => void): AsyncGenerator<Uint8Array, undefined> {
    let next = iterator.next();
    try {
      for (;;) {
        for (let frame = this.#ready.shift(); frame !== undefined; frame = this.#ready.shift()) yield frame;
        if (this.#isCut) return undefined;
        const woken = new Promise<undefined>((resolve) => this.#wake = () => resolve(undefined));
        const got = await Promise.race([next, woken]);
        if (got === undefined) continue;
        if (got.done === true) break;
        this.#take(got.value);
        next = iterator.next();
      }
      yield* this.#ready.splice(0);
      return undefined;
    } finally {
      next.catch(() => {});
      over();
    }
  }

  #framing(framing: Framing): Framing {
    const noted = (bytes: Uint8Array, type: WatchType, item?: Item, endsInitial = false): Uint8Array => {
      this.#made.push({ length: bytes.length, type, item, endsInitial });
      return bytes;
    };
    const own = `faults ${this.number}`;
    return {
      get id() {
        return `${framing.id} ${own}`;
      },
      plain: false,
      opens: framing.opens,
      frame: (type, item, first) => noted(framing.frame(type, item, first), type, item),
      bookmark: (revision, endsInitial, first) => noted(framing.bookmark(revision, endsInitial, first), "BOOKMARK", undefined, endsInitial),
      error: (status) => noted(framing.error(status), "ERROR"),
      sent: framing.sent,
    };
  }

  /** Cuts the frames off the bytes. */
  #take(chunk: Uint8Array): void {
    let bytes = this.#bytes.length === 0 ? chunk : concat([this.#bytes, chunk]);
    for (let made = this.#made[0]; made !== undefined && bytes.length >= made.length; made = this.#made[0]) {
      this.#made.shift();
      this.#pass(made, bytes.slice(0, made.length));
      if (this.#isCut) return;
      bytes = bytes.subarray(made.length);
    }
    this.#bytes = bytes.slice();
  }

  #pass({ item, type, endsInitial }: Made, bytes: Uint8Array): void {
    // A bookmark tells the client that it has all events until then.
    if (type === "BOOKMARK" && !endsInitial && this.#held.size > 0) return;
    if (item === undefined) return void this.#ready.push(bytes);
    if (this.#end !== undefined && this.#count(this.#end, bytes)) return;
    if (this.#holdsAfter === undefined || item.revision <= this.#holdsAfter) return void this.#ready.push(bytes);
    if (this.#held.size === heldMax) throw new Error(`a watch has ${heldMax} events that are held: flush or release them`);
    const { name, namespace = "" } = item.object.metadata;
    const event: HeldEvent = Object.freeze({
      type: type as HeldEvent["type"], // bookmarks and errors have no item
      namespace,
      name: name!, // every stored object has one
      resourceVersion: String(item.revision),
      watch: this.number,
    });
    this.#held.set(event, { event, revision: item.revision, bytes });
  }

  /** Counts an event before the end of the watch. Returns whether it was the last one, of which the client gets a half. */
  #count(end: Ending, bytes: Uint8Array): boolean {
    if (end.afterEvents > 0) {
      if (--end.afterEvents === 0) queueMicrotask(() => this.#endNow());
      return false;
    }
    if (end.how !== "half an event") return false;
    this.#ready.push(bytes.slice(0, Math.ceil(bytes.length / 2)));
    this.#isCut = true;
    this.#tooSlow();
    return true;
  }

  /** Ends the watch. Half of an event needs one. */
  #endNow(): void {
    if (this.#end?.how === "half an event") return;
    if (this.#end?.how === "expired") {
      this.#ready.push(this.#errorFrame(statusOf(expiredError("injected by a test: too old resource version"))));
    }
    this.#held.clear();
    this.#isCut = true;
    this.#wake();
  }
}
