/** Finds start tags in HTML that arrives in chunks, and rewrites them. All other bytes pass. */
import { bound } from "../../bound.ts";
import { latin } from "../../net/url/bytes.ts";
import { rawStates } from "./raw-states.ts";
import { lessThan, type Scan, type State, text } from "./states.ts";

/** Bytes of a tag. A longer one passes as it is, such as an image that is a `data:` URL of that length. */
export const tagBytesMax = bound(256 * 1024);
/** Attributes of a tag. A tag with more passes as it is. */
export const tagAttributesMax = bound(4_096);
/** Bytes in a piece of the output, but for the last, and for one with a long tag. */
const pieceBytes = bound(64 * 1024);

/** A start tag: its bytes from `<` to `>`, and where its name ends and its attributes are, four numbers each: key and value, begin and end. */
export interface StartTag {
  readonly bytes: Uint8Array;
  readonly nameEnd: number;
  readonly spans: readonly number[];
}

/** The state of one document. Memory: one tag, and a piece of the output. */
export class LinkScanner implements Scan {
  isAgain = false;
  tag: Scan["tag"] = "none";
  quote = 0;
  rawName = "";
  met = 0;
  otherwise: State = text;
  dashes = 0;
  isBeginning = false;
  #state: State = text;
  readonly #rewritten: (tag: StartTag) => Uint8Array;
  /** What is held of a tag, if `#isHolding`: not if the tag is too long. */
  #held = new Uint8Array(256);
  #isHolding = false;
  #heldLength = 0;
  /** The first bytes of the name of a tag: it may be the name of an element with text only. */
  #nameEnd = 0;
  readonly #spans: number[] = [];
  #isClosing = false;
  #out = new Uint8Array(pieceBytes);
  #outLength = 0;
  #full: Uint8Array[] = [];

  constructor(rewritten: (tag: StartTag) => Uint8Array) {
    this.#rewritten = rewritten;
  }

  /** Reads a chunk, and yields the pieces of output that it completes. */
  *push(chunk: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < chunk.length;) {
      if (this.#state === text) {
        const open = chunk.indexOf(lessThan, at), end = open < 0 ? chunk.length : open;
        this.#write(chunk.subarray(at, end));
        at = end;
      }
      if (at < chunk.length && this.#step(chunk[at]!)) at++;
      if (this.#full.length > 0) yield* this.#full.splice(0);
    }
  }

  /** Yields the rest. A tag that has not ended is left out. */
  *end(): Generator<Uint8Array> {
    if (this.tag === "none") this.pass();
    this.#flush();
    yield* this.#full.splice(0);
  }

  /** Returns whether the byte has been read. */
  #step(byte: number): boolean {
    this.#state = this.#state(byte, this);
    if (this.isAgain) {
      this.isAgain = false;
      return false;
    }
    if (this.#isHolding) this.#keep(byte);
    else this.#writeByte(byte);
    if (this.#isClosing) this.#closed();
    return true;
  }

  hold(): void {
    this.#isHolding = true;
    this.#heldLength = 0;
    this.#spans.length = 0;
  }

  #keep(byte: number): void {
    if (this.#heldLength === tagBytesMax) {
      this.pass();
      this.#writeByte(byte);
      return;
    }
    if (this.#heldLength === this.#held.length) {
      const longer = new Uint8Array(this.#held.length * 2);
      longer.set(this.#held);
      this.#held = longer;
    }
    this.#held[this.#heldLength++] = byte;
  }

  pass(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    // Later tags are held in the same place.
    const held = this.#held.subarray(0, this.#heldLength);
    this.#write(held.length > pieceBytes ? held.slice() : held);
  }

  named(): void {
    this.#nameEnd = this.#heldLength;
    // A name that is too long to be held is that of no element.
    const name = !this.#isHolding || this.#heldLength > 16 ? "" : latin(this.#held.subarray(1, this.#heldLength)).toLowerCase();
    this.rawName = this.tag === "start" && Object.hasOwn(rawStates, name) ? name : "";
  }

  keyBegins(): void {
    if (!this.#isHolding) return;
    if (this.#spans.length === 4 * tagAttributesMax) this.pass();
    else this.#spans.push(this.#heldLength);
  }
  keyEnds(): void {
    const at = this.#heldLength;
    if (this.#isHolding) this.#spans.push(at, at, at);
  }
  valueBegins(isAfter: boolean): void {
    if (this.#isHolding) this.#spans[this.#spans.length - 2] = this.#heldLength + (isAfter ? 1 : 0);
  }
  valueEnds(): void {
    if (this.#isHolding) this.#spans[this.#spans.length - 1] = this.#heldLength;
  }

  close(): State {
    this.#isClosing = true;
    return rawStates[this.rawName] ?? text;
  }

  #closed(): void {
    if (this.#isHolding && this.tag === "start") {
      this.#write(this.#rewritten({ bytes: this.#held.subarray(0, this.#heldLength), nameEnd: this.#nameEnd, spans: this.#spans }));
      this.#isHolding = false;
    } else this.pass();
    this.#isClosing = false;
    this.tag = "none";
  }

  #writeByte(byte: number): void {
    if (this.#outLength === pieceBytes) this.#flush();
    this.#out[this.#outLength++] = byte;
  }

  #write(bytes: Uint8Array): void {
    if (this.#outLength + bytes.length > pieceBytes) this.#flush();
    if (bytes.length > pieceBytes) return void this.#full.push(bytes);
    this.#out.set(bytes, this.#outLength);
    this.#outLength += bytes.length;
  }

  #flush(): void {
    if (this.#outLength === 0) return;
    this.#full.push(this.#out.slice(0, this.#outLength));
    this.#outLength = 0;
  }
}
