/** Frames that a client sends over a websocket (RFC 6455, section 5). The content of messages is skipped or handed on as it arrives, never kept. */
import { bound } from "../../core/bound.ts";
import { closeCode, opcode } from "./server-frames.ts";

/** Bytes of one frame that a client sends over the websocket of a watch. */
export const webSocketFrameBytesMax = bound(64 * 1024);
/** Bytes of all frames that a client sends over the websocket of a watch. */
export const webSocketReceivedBytesMax = bound(1024 * 1024);

/** Frames that a client sends over the websocket of a watch: a ping each second of an hour, and as many again. */
export const webSocketFramesMax = bound(8 * 1024);
/** Bytes of one frame that a client sends over the websocket of a stream, whose content is handed on as it arrives (the default of Go's websockets). */
export const streamFrameBytesMax = bound(32 * 1024 * 1024);

/** What a piece of input calls for: the content of a pong, and the code to close with. After a close nothing more is read. */
export interface ClientActions {
  /** Of pings that arrive together the last one is answered (RFC 6455, section 5.5.3): thousands fit into a piece. */
  readonly pong?: Uint8Array;
  readonly close?: number;
}

/** What a client may send, and who takes the content of its messages. */
export interface FrameRules {
  readonly frameBytesMax: number;
  readonly framesMax: number;
  readonly receivedBytesMax: number;
  /** Takes a part of a message; the bytes are its own. Default: messages are skipped. */
  readonly take?: (part: Uint8Array, isLast: boolean) => void;
}
const watchRules: FrameRules = Object.freeze({
  frameBytesMax: webSocketFrameBytesMax,
  framesMax: webSocketFramesMax,
  receivedBytesMax: webSocketReceivedBytesMax,
});

/** Returns the rules of a stream: its client waits until its content has been taken, so frames and bytes have no other bound. */
export function streamRules(take: NonNullable<FrameRules["take"]>): FrameRules {
  return { frameBytesMax: streamFrameBytesMax, framesMax: Infinity, receivedBytesMax: Infinity, take };
}

const controlBytesMax = 125;
const headBytesMax = 14;
const maskBytes = 4;

/** Reads the frames of one client, in pieces of any size. Heads are read where they are: a flood of small frames allocates nothing. */
export class ClientFrames {
  /** The beginning of a head that continues in the next piece. */
  readonly #head = new Uint8Array(headBytesMax);
  #headBytes = 0;
  /** The control frame in progress, if its content is not complete; its content, and that of the last ping. */
  #control: number | undefined;
  readonly #mask = new Uint8Array(maskBytes);
  #content = new Uint8Array(controlBytesMax);
  #length = 0;
  #filled = 0;
  #ping = new Uint8Array(controlBytesMax);
  /** Bytes of the last ping that has no answer yet; -1: none. */
  #pingBytes = -1;
  /** Bytes of the content of a message that are still to come in this frame, and those that have. */
  #rest = 0;
  #taken = 0;
  #inMessage = false;
  #received = 0;
  #frames = 0;
  #close: number | undefined;
  readonly #rules: FrameRules;

  /** Default: the rules of a watch, which takes no messages. */
  constructor(rules = watchRules) {
    this.#rules = rules;
  }

  read(piece: Uint8Array): ClientActions {
    if (this.#close !== undefined) return {};
    this.#received += piece.length;
    if (this.#received > this.#rules.receivedBytesMax) this.#close = closeCode.policy;
    for (let at = 0; at < piece.length && this.#close === undefined;) at = this.#step(piece, at);
    const pong = this.#pingBytes < 0 ? {} : { pong: this.#ping.slice(0, this.#pingBytes) };
    this.#pingBytes = -1;
    return this.#close === undefined ? pong : { ...pong, close: this.#close };
  }

  /** Reads one part of a frame, or what the piece has of it; returns where the next one begins. */
  #step(piece: Uint8Array, at: number): number {
    if (this.#rest > 0) return this.#readContent(piece, at);
    if (this.#control !== undefined) return this.#readControl(this.#control, piece, at);
    if (this.#headBytes === 0 && piece.length - at >= headBytesMax) return at + this.#readHead(piece, at, headBytesMax);
    this.#head[this.#headBytes++] = piece[at]!; // below the length
    if (this.#readHead(this.#head, 0, this.#headBytes) > 0) this.#headBytes = 0;
    return at + 1;
  }

  /** Returns the length of the head, or 0 if it is not complete. */
  #readHead(bytes: Uint8Array, at: number, available: number): number {
    if (available < 2) return 0;
    const first = bytes[at]!, second = bytes[at + 1]!, kind = first & 0x0f, isFinal = (first & 0x80) !== 0, short = second & 0x7f;
    const isControl = kind >= opcode.close;
    const isKnown = kind <= opcode.binary || isControl && kind <= opcode.pong;
    const isMisplaced = !isControl && (kind === opcode.continuation) !== this.#inMessage;
    const isReserved = (first & 0x70) !== 0, isUnmasked = (second & 0x80) === 0;
    if (!isKnown || isReserved || isUnmasked || isMisplaced || isControl && (!isFinal || short > controlBytesMax)) {
      this.#close = closeCode.protocolError;
      return 2;
    }
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0, end = 2 + lengthBytes + maskBytes;
    if (available < end) return 0;
    if (++this.#frames > this.#rules.framesMax) this.#close = closeCode.policy;
    else if (isControl) this.#beginControl(kind, short, bytes, at + 2);
    else {
      let length = lengthBytes === 0 ? short : 0;
      for (let each = 0; each < lengthBytes; each++) length = length * 256 + bytes[at + 2 + each]!;
      if (length > this.#rules.frameBytesMax) this.#close = closeCode.tooLarge;
      else this.#beginContent(length, isFinal, bytes, at + end - maskBytes);
    }
    return end;
  }

  #beginContent(length: number, isFinal: boolean, bytes: Uint8Array, mask: number): void {
    this.#setMask(bytes, mask);
    this.#inMessage = !isFinal;
    this.#rest = length;
    this.#taken = 0;
    if (length === 0 && isFinal) this.#rules.take?.(bytes.slice(0, 0), true);
  }

  /** Takes or skips what the piece has of the content; returns where it ends. */
  #readContent(piece: Uint8Array, at: number): number {
    const end = Math.min(piece.length, at + this.#rest), { take } = this.#rules;
    this.#rest -= end - at;
    if (take === undefined) return end;
    const part = new Uint8Array(end - at);
    for (let each = 0; each < part.length; each++) part[each] = piece[at + each]! ^ this.#mask[this.#taken++ % maskBytes]!;
    take(part, this.#rest === 0 && !this.#inMessage);
    return end;
  }

  #setMask(bytes: Uint8Array, at: number): void {
    for (let each = 0; each < maskBytes; each++) this.#mask[each] = bytes[at + each]!;
  }

  #beginControl(kind: number, length: number, bytes: Uint8Array, mask: number): void {
    this.#setMask(bytes, mask);
    this.#length = length;
    this.#filled = 0;
    this.#control = kind;
    if (length === 0) this.#endControl(kind);
  }

  #readControl(kind: number, piece: Uint8Array, at: number): number {
    const end = Math.min(piece.length, at + this.#length - this.#filled);
    for (; at < end; at++, this.#filled++) this.#content[this.#filled] = piece[at]! ^ this.#mask[this.#filled % maskBytes]!;
    if (this.#filled === this.#length) this.#endControl(kind);
    return at;
  }

  #endControl(kind: number): void {
    this.#control = undefined;
    if (kind === opcode.close) this.#close = codeOf(this.#content.subarray(0, this.#length));
    if (kind !== opcode.ping) return;
    [this.#ping, this.#content] = [this.#content, this.#ping];
    this.#pingBytes = this.#length;
  }
}

/** Returns the code to answer a close with: its own, or an error for one that must not be sent. */
function codeOf(payload: Uint8Array): number {
  if (payload.length === 0) return closeCode.normal;
  if (payload.length === 1) return closeCode.protocolError;
  const code = payload[0]! * 256 + payload[1]!;
  const isValid = code >= 1000 && code <= 1003 || code >= 1007 && code <= 1014 || code >= 3000 && code <= 4999;
  return isValid ? code : closeCode.protocolError;
}
