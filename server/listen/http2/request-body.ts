import { Content, discardMs, tooLarge } from "../body.ts";
import { discardBytesMax } from "../bounds.ts";

/** Where the bytes of a body go. */
type Reader =
  // Nothing reads yet: the flow-control window bounds the bytes.
  | { readonly tag: "unread" }
  | { readonly tag: "reading"; readonly limit: number; resolve(content: Uint8Array): void; reject(error: Error): void }
  | { readonly tag: "discarding"; left: number; over(): void }
  // Pieces are taken one by one; the flow-control window bounds those that wait.
  | { readonly tag: "streaming"; readonly pieces: Uint8Array[]; wake(): void }
  // Bytes are dropped, and the window is not opened again.
  | { readonly tag: "stopped" };

/**
 * The body of an HTTP/2 request.
 *
 *   unread ──> reading, streaming ──> stopped        `isWhole` and `isBroken` are independent: bytes arrive in any of these states.
 *      └──> discarding ──────^
 */
export class RequestBody {
  readonly #announced: number | undefined;
  readonly #use: (bytes: number) => void;
  #content: Content;
  #received = 0;
  #unused = 0;
  #reader: Reader = { tag: "unread" };
  #isWhole = false;
  #isBroken = false;

  /** `use` is called with bytes that the client may send again. */
  constructor(announced: number | undefined, use: (bytes: number) => void) {
    this.#announced = announced;
    this.#use = use;
    this.#content = new Content(announced ?? 0);
  }
  /** Bytes received so far. */
  get received(): number {
    return this.#received;
  }
  get isWhole(): boolean {
    return this.#isWhole;
  }
  /** Takes a piece of `frameBytes` with padding; returns false if the body is longer than announced. */
  add(piece: Buffer, frameBytes: number): boolean {
    this.#received += piece.length;
    this.#unused += frameBytes;
    if (this.#announced !== undefined && this.#received > this.#announced) return false;
    const reader = this.#reader;
    if (reader.tag === "unread") this.#keep(piece);
    else if (reader.tag === "reading") {
      this.#keep(piece);
      if (this.#received > reader.limit) this.#reject(reader);
      else this.#release();
    } else if (reader.tag === "streaming") {
      reader.pieces.push(Uint8Array.from(piece)); // a copy: it is part of the packet that it arrived in
      reader.wake();
    } else if (reader.tag === "discarding") {
      reader.left -= frameBytes;
      if (reader.left < 0) this.#stopDiscarding(reader);
      else this.#release();
    }
    return true;
  }
  /** The client has sent everything; returns false if the body is shorter than announced. */
  end(): boolean {
    if (this.#announced !== undefined && this.#received !== this.#announced) return false;
    this.#isWhole = true;
    const reader = this.#reader;
    if (reader.tag === "reading") reader.resolve(this.#takeWhole());
    else if (reader.tag === "discarding") this.#stopDiscarding(reader);
    else if (reader.tag === "streaming") reader.wake();
    return true;
  }
  /** The stream has ended in another way. Returns the bytes that were not used. */
  break(): number {
    this.#isBroken = true;
    const reader = this.#reader;
    this.#reader = { tag: "stopped" };
    if (reader.tag === "reading") reader.reject(disconnected());
    else if (reader.tag === "discarding") reader.over();
    else if (reader.tag === "streaming") reader.wake();
    const unused = this.#unused;
    this.#unused = 0;
    return unused;
  }
  /**
   * Reads the whole body, at most `limit` bytes. Not a Promise if everything has arrived.
   *
   * @throws StatusError RequestEntityTooLarge once the body, or its announced length, exceeds the limit; AbortError if the client
   *   disconnects before the end
   */
  read(limit: number): Uint8Array | Promise<Uint8Array> {
    if (this.#announced !== undefined && this.#announced > limit) return Promise.reject(tooLarge(limit));
    if (this.#reader.tag === "unread" && this.#isWhole && !this.#isBroken && this.#received <= limit) return this.#takeWhole();
    return new Promise((resolve, reject) => {
      if (this.#reader.tag !== "unread") return this.#isWhole ? resolve(new Uint8Array()) : reject(disconnected());
      if (this.#isBroken) return reject(disconnected());
      const reader = { tag: "reading", limit, resolve, reject } as const;
      this.#reader = reader;
      if (this.#received > limit) this.#reject(reader);
      else this.#release();
    });
  }
  /** Whether the request has no body. */
  get hasNone(): boolean {
    return this.#isWhole && this.#received === 0;
  }
  /** Yields the pieces of the body. The client may send more when one is taken. Throws when it disconnects before the end. */
  async *stream(): AsyncGenerator<Uint8Array, void> {
    const kept = this.#content.whole(), pieces = kept.length === 0 ? [] : [kept];
    let woken = Promise.withResolvers<void>();
    if (this.#isBroken) throw disconnected();
    this.#content = new Content(0);
    const reader = { tag: "streaming", pieces, wake: () => woken.resolve() } as const;
    this.#reader = reader;
    for (;;) {
      const piece = pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#isWhole) break;
      else if (this.#isBroken) throw disconnected();
      else {
        this.#release();
        await woken.promise;
        woken = Promise.withResolvers();
      }
    }
    this.#reader = stopped;
    this.#release();
  }
  /** Discards the rest while the request is answered, so that the client can read the answer. Resolves at its end, after too many bytes, or
   *  after `discardMs`. */
  discard(): Promise<void> {
    if (this.#isWhole || this.#isBroken || this.#reader.tag === "streaming") return Promise.resolve();
    this.#content = new Content(0);
    const before = this.#reader;
    if (before.tag === "reading") before.reject(new Error("the request was answered before its body was read"));
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, discardMs);
      const over = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#reader = { tag: "discarding", left: discardBytesMax, over };
      this.#release();
    });
  }

  /** Copies a piece: it is part of the packet that it arrived in. */
  #keep(piece: Buffer): void {
    if (piece.length !== this.#announced) return this.#content.add(piece);
    // Small ones share buffers: each would cost several allocations outside of V8's heap.
    const copy = Buffer.allocUnsafe(piece.length);
    copy.set(piece);
    this.#content.add(copy);
  }
  #release(): void {
    const bytes = this.#unused;
    this.#unused = 0;
    if (bytes > 0) this.#use(bytes);
  }
  #takeWhole(): Uint8Array {
    this.#reader = stopped;
    this.#release();
    const bytes = this.#content.whole();
    this.#content = new Content(0);
    return bytes;
  }
  #reject({ reject, limit }: Reader & { tag: "reading" }): void {
    this.#reader = { tag: "stopped" };
    this.#content = new Content(0);
    reject(tooLarge(limit));
  }
  #stopDiscarding({ over }: Reader & { tag: "discarding" }): void {
    this.#reader = { tag: "stopped" };
    over();
  }
}

const stopped: Reader = Object.freeze({ tag: "stopped" });

function disconnected(): Error {
  return new Error("the client disconnected before its body was complete");
}
