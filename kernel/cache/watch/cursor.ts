/**
 * One watch: a position in the event ring of its kind. The writer of the connection requests its bytes, so a client that does not read
 * costs only this position. When the ring overtakes the position, the watch ends.
 *
 *   initial ──> following ──> ended          initial: the present state, or the store's history before the ring
 *      └─────────────────────────^
 */
import type { StatusError } from "../../../core/status-error.ts";
import { concat } from "../../objects/chunks.ts";
import { nextBookmark, type Watching } from "../../reads/reads.ts";
import type { Clock } from "../../../core/async.ts";
import type { ChunkIterator } from "../../request/exchange.ts";
import type { Revision } from "../../store/store.ts";
import type { Subscriber, Subscription } from "../kind/subscribers.ts";
import type { Piece } from "../kind/frame-share.ts";
import type { KindCache } from "../kind/kind-cache.ts";
import { createsUnowned, type RingEvent, touchesOwnership, type Verdict } from "../kind/ring.ts";
import type { Selection } from "../index/selection.ts";
import { bound } from "../../../core/bound.ts";

/** Bytes queued for a watch above which it is closed, if its client has also read nothing for `watchStalledMs`. */
export const watchQueueBytesMax = bound(16 * 1024 * 1024);
/** Milliseconds without a read by its client after which a watch with more than `watchQueueBytesMax` queued bytes is closed. */
export const watchStalledMs = bound(1_000);
/** Maximum bytes of the frames of one watch that are joined into one write. */
const watchPieceBytes = bound(256 * 1024);
/** Events of the kind after which such a write ends, if it has bytes. */
const watchPieceEvents = bound(64);
/**
 * Milliseconds between the first check that finds a watch stalled and the end of the watch. Pending socket events are processed in this
 * time.
 */
const watchLastTurnMs = bound(100);

export interface CursorNeeds {
  readonly kind: KindCache;
  readonly selection: Selection;
  readonly watching: Watching;
  readonly clock: Clock;
  /** Returns the revision up to which the ring holds every event. */
  readonly progress: () => Revision;
  /** Called when the watch was ended because its client was too slow. */
  readonly onSlow: () => void;
  /** Makes the frames that precede those of the ring. The generator calls `join` before it ends. */
  readonly initial: (cursor: Cursor) => AsyncGenerator<Uint8Array, void>;
  /** Called once when the watch has ended, for any reason. */
  readonly onEnd: () => void;
  /** Encodes a failure that ends the watch as its last frame. */
  readonly failure: (error: unknown, seen: Revision) => Uint8Array;
}

type Done = IteratorResult<Uint8Array, undefined>;
const over: Done = Object.freeze({ done: true, value: undefined });

export class Cursor implements AsyncIterableIterator<Uint8Array, undefined>, ChunkIterator, Subscriber {
  readonly #needs: CursorNeeds;
  // These are copies of members of `#needs` for use at each event: a framing has a getter, and V8 looks up the properties of such objects
  // by name.
  readonly #kind: KindCache;
  readonly #clock: Clock;
  readonly #opens: boolean;
  readonly #countSent: (bytes: number) => void;
  #initial: AsyncGenerator<Uint8Array, void> | undefined;
  #ended = false;
  #joined = false;
  /** Sequence number of the next event. */
  #position = 0;
  /** The time since which the client has read nothing, in milliseconds. */
  #since = 0;
  /** The position at the last check, if the watch seemed stuck then. */
  #suspected: number | undefined;
  /** Events up to this revision are skipped, because the initial frames include them. */
  #floor: Revision = 0;
  #first = true;
  #failing: StatusError | undefined;
  /** Wakes the waiting reader, which then asks for bytes again; undefined if no reader waits. */
  #waiting: (() => void) | undefined;
  /** Returns the result of the initial frames to the next poll. */
  #opened: (() => Done) | undefined;
  #woken = false;
  #bookmarkDue = false;
  #subscription: Subscription | undefined;
  #cancelBookmark = (): void => {};
  #cancelLastTurn = (): void => {};
  readonly #ending = new AbortController();
  readonly #cancelEnd: () => void;
  readonly #endsAt: number;
  readonly #onAbort = (): void => this.end();
  /** The name of the watch in the shared frames. Watches with equal names get equal pieces. */
  get #name(): string {
    return this.#opens ? this.#nameNow() : this.#fixedName;
  }
  #fixedName: string;
  #nameNow(): string {
    const { watching: { framing }, selection } = this.#needs;
    return `${framing.id} ${selection.name}`;
  }

  constructor(needs: CursorNeeds) {
    this.#needs = needs;
    const { kind, clock, watching } = needs;
    this.#kind = kind;
    this.#clock = clock;
    this.#opens = watching.framing.opens;
    this.#countSent = watching.framing.sent;
    this.#fixedName = this.#nameNow();
    this.#endsAt = clock.now() + watching.ms;
    this.#cancelEnd = clock.after(Math.max(0, watching.ms), this.#onAbort);
    watching.signal.addEventListener("abort", this.#onAbort);
    this.#initial = needs.initial(this);
    if (watching.signal.aborted) this.end();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Follows the ring from `position` on; events up to revision `floor` are skipped. */
  join(position: number, floor: Revision): void {
    if (this.#ended) return;
    const { kind, selection, watching: { connection } } = this.#needs;
    this.#position = position;
    this.#since = this.#needs.clock.now();
    this.#floor = floor;
    this.#joined = true;
    this.#subscription = kind.subscribe(this, selection, connection);
    this.#planBookmark();
  }
  /** A signal that aborts when the watch ends. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }
  /** Whether no frame has been sent yet. */
  get isFirst(): boolean {
    return this.#first;
  }
  /** Counts a frame that was sent. */
  sent(bytes: number): void {
    this.#first = false;
    this.#countSent(bytes);
  }

  /** Whether the resource was removed. The initial frames must not begin then. */
  get isFailing(): boolean {
    return this.#failing !== undefined;
  }
  /** Ends the watch with this error as its last event, after all earlier events. */
  fail(error: StatusError): void {
    this.#failing ??= error;
    if (this.waits) this.#pumpNow();
  }

  next(): Promise<Done> {
    if (this.#initial !== undefined) return this.#open(this.#initial);
    return new Promise((resolve) => {
      const tryAgain = (): void => {
        const result = this.#now();
        if (result === undefined) this.#waiting = tryAgain;
        else resolve(result);
      };
      tryAgain();
    });
  }
  poll(ready: () => void): Done | undefined {
    if (this.#opened !== undefined) {
      const opened = this.#opened;
      this.#opened = undefined;
      return opened();
    }
    if (this.#initial === undefined) {
      const result = this.#now();
      if (result === undefined) this.#waiting = ready;
      return result;
    }
    this.#open(this.#initial).then((result) => this.#opened = () => result, (error) =>
      this.#opened = () => {
        throw error;
      }).then(ready);
    return undefined;
  }
  return(): Promise<Done> {
    this.end();
    return Promise.resolve(over);
  }

  get waits(): boolean {
    return this.#initial === undefined && this.#waiting !== undefined && !this.#woken;
  }
  wake(first: number): void {
    if (first > this.#position) this.#position = first;
    this.#since = this.#clock.now();
    this.#woken = true;
  }
  pump(): void {
    this.#woken = false;
    const tryAgain = this.#waiting;
    // The last frame may end the watch. A waiting reader gets this frame before it gets the end.
    this.#waiting = undefined;
    tryAgain?.();
  }
  /** Writes without a new event, once the events are sent that wait for a turn. */
  #pumpNow(): void {
    this.wake(this.#subscription?.first ?? this.#kind.ring.end);
    this.pump();
  }
  check(): void {
    const { kind: { ring }, clock } = this.#needs;
    if (this.#ended || this.waits || ring.bytesFrom(this.#position) <= watchQueueBytesMax) return;
    // A burst of events leaves the client no time to read.
    if (clock.now() - this.#since < watchStalledMs) return;
    // This process itself may have been blocked. Clients therefore get one turn to read before the watch counts as stuck.
    const position = this.#position;
    if (this.#suspected === position) return;
    this.#suspected = position;
    this.#cancelLastTurn();
    this.#cancelLastTurn = clock.after(watchLastTurnMs, () => {
      if (this.#position === position) this.fallBehind();
    });
  }
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ending.abort();
    this.#subscription?.remove();
    this.#cancelEnd();
    this.#cancelBookmark();
    this.#cancelLastTurn();
    this.#needs.watching.signal.removeEventListener("abort", this.#onAbort);
    void this.#initial?.return().catch(() => {});
    const tryAgain = this.#waiting;
    this.#waiting = undefined;
    tryAgain?.();
    this.#needs.onEnd();
  }

  fallBehind(): void {
    if (this.#ended) return;
    this.#needs.onSlow();
    this.end();
  }

  async #open(initial: AsyncGenerator<Uint8Array, void>): Promise<Done> {
    if (this.#ended) return over;
    const gone = new Promise<Done>((resolve) => this.#waiting = () => resolve(over));
    const result = await Promise.race([initial.next(), gone]);
    this.#waiting = undefined;
    this.#since = this.#needs.clock.now();
    if (this.#ended) return over;
    if (result.done !== true) return { done: false, value: result.value };
    this.#initial = undefined;
    if (!this.#joined && !this.isFailing) this.end();
    return this.next();
  }

  /** Returns the bytes to write now, or the end of the watch; undefined if there is nothing to write yet. */
  #now(): Done | undefined {
    const bytes = this.#take();
    if (bytes !== undefined) return { done: false, value: bytes };
    return this.#ended ? over : undefined;
  }
  /** The bytes to write now; undefined if there are none, or the watch has ended. */
  #take(): Uint8Array | undefined {
    if (this.#ended) return undefined;
    const { ring } = this.#kind;
    // This is the case of most polls: the reader has just got the newest events.
    if (this.#joined && this.#position === ring.end && this.#failing === undefined && !this.#bookmarkDue) return undefined;
    if (!this.#joined && this.#failing !== undefined) return this.#fail(undefined, this.#failing, this.#floor);
    if (this.#position < ring.first) {
      this.fallBehind();
      return undefined;
    }
    this.#since = this.#clock.now();
    // After a client has read one piece, there is usually no next one.
    const bytes = this.#position < ring.end ? this.#advance() : undefined;
    const next = this.#position < ring.end ? ring.at(this.#position) : undefined;
    if (next?.failure !== undefined && this.#concerns(next)) return this.#fail(bytes, next.failure, next.revision);
    if (next !== undefined) return bytes;
    if (this.#failing !== undefined) return this.#fail(bytes, this.#failing, this.#floor);
    return this.#bookmarkDue ? this.#withBookmark(bytes) : bytes;
  }
  /** Advances by one piece, and returns its bytes for this watch. */
  #advance(): Uint8Array | undefined {
    const { to, bytes, sizes } = this.#piece();
    this.#position = to;
    for (const size of sizes) this.#countSent(size);
    if (bytes !== undefined) this.#first = false;
    return bytes;
  }

  /** The piece at this position, shared between equal watches where possible. */
  #piece(): Piece {
    const { ring, frames } = this.#kind;
    const wantsAll = this.#floor < ring.at(this.#position).revision;
    if (!wantsAll || (this.#opens && this.#first)) return this.#gather();
    const known = frames.piece(this.#name, this.#position, ring.end);
    if (known === undefined) {
      const made = this.#gather();
      frames.keep(made);
      return made;
    }
    // All equal watches then have the same string. It is compared by identity, and is in the processor's cache for the next watch.
    if (!this.#opens) this.#fixedName = known.name;
    return known;
  }

  #gather(): Piece {
    const { watching: { framing } } = this.#needs, kind = this.#kind;
    const { ring } = kind;
    const frames: Uint8Array[] = [];
    let size = 0;
    let to = this.#position;
    // A piece with bytes ends at certain positions, so that watches that are behind share the next ones.
    const isWhole = (): boolean => size >= watchPieceBytes || size > 0 && to % watchPieceEvents === 0;
    for (; to < ring.end && !isWhole(); to++) {
      const event = ring.at(to);
      if (event.failure !== undefined && this.#concerns(event)) break;
      const type = this.#verdict(event);
      if (type === undefined) continue;
      const opens = this.#opens && this.#first && frames.length === 0;
      const frame = opens ? framing.frame(type, kind.frames.item(event, type), true) : kind.frames.frame(event, type, framing);
      frames.push(frame);
      size += frame.length;
    }
    return {
      name: this.#name,
      from: this.#position,
      to,
      isWhole: isWhole(),
      bytes: frames.length === 0 ? undefined : concat(frames),
      sizes: frames.map(({ length }) => length),
    };
  }

  /** The type of an event for this watch; undefined if the watch sees the object neither before nor after. */
  #verdict(event: RingEvent): Verdict | undefined {
    if (!this.#concerns(event)) return undefined;
    const { chooses, ownership, owned } = this.#needs.selection;
    if (ownership && !touchesOwnership(event)) return undefined;
    if (owned && createsUnowned(event)) return undefined;
    const { next, prior } = event;
    const sees = next !== undefined && (chooses === undefined || chooses(next));
    const saw = prior !== undefined && (chooses === undefined || chooses(prior));
    return sees ? (saw ? "MODIFIED" : "ADDED") : saw ? "DELETED" : undefined;
  }

  /** Whether an event is after the floor and below the watched prefix. */
  #concerns({ key, revision }: RingEvent): boolean {
    const { prefix, key: only } = this.#needs.selection;
    return revision > this.#floor && (only === undefined ? key.startsWith(prefix) : key === only);
  }

  #fail(bytes: Uint8Array | undefined, error: unknown, revision: Revision): Uint8Array {
    const frame = this.#needs.failure(error, revision);
    this.sent(frame.length);
    this.end();
    return bytes === undefined ? frame : concat([bytes, frame]);
  }

  #planBookmark(since = this.#needs.clock.now()): void {
    const { clock, watching: { options } } = this.#needs;
    const next = nextBookmark(options, since, this.#endsAt);
    if (next === undefined) return;
    this.#cancelBookmark = clock.after(next - clock.now(), () => {
      this.#bookmarkDue = true;
      // Timers may fire early. The next bookmark must then not be planned for the same time.
      this.#planBookmark(Math.max(next, clock.now()));
      if (this.waits) this.#pumpNow();
    });
  }
  #withBookmark(bytes: Uint8Array | undefined): Uint8Array | undefined {
    const { progress, watching: { framing } } = this.#needs;
    const revision = progress();
    // A watch that starts at a future revision gets no bookmarks of earlier ones.
    if (revision < this.#floor) return bytes;
    this.#bookmarkDue = false;
    const frame = framing.bookmark(revision, false, this.#first);
    this.sent(frame.length);
    return bytes === undefined ? frame : concat([bytes, frame]);
  }
}
