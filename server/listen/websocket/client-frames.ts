/** Frames that a client sends over a websocket (RFC 6455, section 5). A watch has no use for messages: their content is skipped, never kept. */
import { bound } from "../../../core/bound.ts";

/** Bytes of one frame that a client sends over the websocket of a watch. */
export const webSocketFrameBytesMax = bound(64 * 1024);
/** Bytes of all frames that a client sends over the websocket of a watch. */
export const webSocketReceivedBytesMax = bound(1024 * 1024);

/** Frames that a client sends over the websocket of a watch: a ping each second of an hour, and as many again. */
export const webSocketFramesMax = bound(8 * 1024);

/** What a piece of input calls for: the content of a pong, and the code to close with. After a close nothing more is read. */
export interface ClientActions {
  /** Of pings that arrive together the last one is answered (RFC 6455, section 5.5.3): thousands fit into a piece. */
  readonly pong?: Uint8Array;
  readonly close?: number;
}

export const closeCode = Object.freeze({ normal: 1000, protocolError: 1002, policy: 1008, tooLarge: 1009, internal: 1011 });

export const opcode = Object.freeze({ continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 });
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
  /** Bytes of content that are still to be skipped. */
  #skip = 0;
  #inMessage = false;
  #received = 0;
  #frames = 0;
  #close: number | undefined;

  read(piece: Uint8Array): ClientActions {
    if (this.#close !== undefined) return {};
    this.#received += piece.length;
    if (this.#received > webSocketReceivedBytesMax) this.#close = closeCode.policy;
    for (let at = 0; at < piece.length && this.#close === undefined;) at = this.#step(piece, at);
    const pong = this.#pingBytes < 0 ? {} : { pong: this.#ping.slice(0, this.#pingBytes) };
    this.#pingBytes = -1;
    return this.#close === undefined ? pong : { ...pong, close: this.#close };
  }

  /** Reads one part of a frame, or what the piece has of it; returns where the next one begins. */
  #step(piece: Uint8Array, at: number): number {
    if (this.#skip > 0) {
      const skipped = Math.min(this.#skip, piece.length - at);
      this.#skip -= skipped;
      return at + skipped;
    }
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
    if (++this.#frames > webSocketFramesMax) this.#close = closeCode.policy;
    else if (isControl) this.#beginControl(kind, short, bytes, at + 2);
    else {
      let length = lengthBytes === 0 ? short : 0;
      for (let each = 0; each < lengthBytes; each++) length = length * 256 + bytes[at + 2 + each]!;
      if (length > webSocketFrameBytesMax) this.#close = closeCode.tooLarge;
      this.#inMessage = !isFinal;
      this.#skip = length;
    }
    return end;
  }

  #beginControl(kind: number, length: number, bytes: Uint8Array, mask: number): void {
    for (let each = 0; each < maskBytes; each++) this.#mask[each] = bytes[mask + each]!;
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

/** The code to answer a close with: its own, or an error for one that must not be sent. */
function codeOf(payload: Uint8Array): number {
  if (payload.length === 0) return closeCode.normal;
  if (payload.length === 1) return closeCode.protocolError;
  const code = payload[0]! * 256 + payload[1]!;
  const isValid = code >= 1000 && code <= 1003 || code >= 1007 && code <= 1014 || code >= 3000 && code <= 4999;
  return isValid ? code : closeCode.protocolError;
}

/** A frame from the server: unmasked and whole. */
export function serverFrame(kind: number, payload: Uint8Array): Uint8Array {
  const { length } = payload, head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = new Uint8Array(head + length), view = new DataView(frame.buffer);
  frame[0] = 0x80 | kind;
  frame[1] = head === 2 ? length : head === 4 ? 126 : 127;
  if (head === 4) view.setUint16(2, length);
  else if (head === 10) view.setBigUint64(2, BigInt(length));
  frame.set(payload, head);
  return frame;
}

export function closeFrame(code: number): Uint8Array {
  return serverFrame(opcode.close, Uint8Array.of(code >> 8, code & 0xff));
}
