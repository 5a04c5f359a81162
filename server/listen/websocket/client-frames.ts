/** Frames that a client sends over a websocket (RFC 6455, section 5). A watch has no use for messages: their content is skipped, never kept. */
import { bound } from "../../../core/bound.ts";

/** Bytes of one frame that a client sends over the websocket of a watch. */
export const webSocketFrameBytesMax = bound(64 * 1024);
/** Bytes of all frames that a client sends over the websocket of a watch. */
export const webSocketReceivedBytesMax = bound(1024 * 1024);

/** What to do: answer a ping, or close with a code. After a close nothing more is read. */
export type ClientAction = { readonly tag: "ping"; readonly payload: Uint8Array } | { readonly tag: "close"; readonly code: number };

export const closeCode = Object.freeze({ normal: 1000, protocolError: 1002, policy: 1008, tooLarge: 1009, internal: 1011 });

export const opcode = Object.freeze({ continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 });
const controlBytesMax = 125;

/** Reads the frames of one client, in pieces of any size. */
export class ClientFrames {
  /** The head of the frame in progress, and the content of a control frame. */
  #head = new Uint8Array(14);
  #headBytes = 0;
  #control: Uint8Array | undefined;
  #filled = 0;
  /** Bytes of content that are still to be skipped. */
  #skip = 0;
  #inMessage = false;
  #received = 0;
  #over = false;

  /** The actions that a piece of input calls for, in order. */
  read(piece: Uint8Array): ClientAction[] {
    const actions: ClientAction[] = [];
    if (this.#over) return actions;
    this.#received += piece.length;
    if (this.#received > webSocketReceivedBytesMax) return this.#end(actions, closeCode.policy);
    let at = 0;
    while (at < piece.length && !this.#over) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, piece.length - at);
        this.#skip -= skipped;
        at += skipped;
      } else if (this.#control !== undefined) {
        const taken = piece.subarray(at, at + this.#control.length - this.#filled);
        this.#control.set(taken, this.#filled);
        this.#filled += taken.length;
        at += taken.length;
        if (this.#filled === this.#control.length) this.#controlRead(actions);
      } else {
        this.#head[this.#headBytes++] = piece[at++]!; // below the length
        this.#headRead(actions);
      }
    }
    return actions;
  }

  /** Looks at the head after each of its bytes. */
  #headRead(actions: ClientAction[]): void {
    if (this.#headBytes < 2) return;
    const [first = 0, second = 0] = this.#head, kind = first & 0x0f, isFinal = (first & 0x80) !== 0, short = second & 0x7f;
    if (this.#headBytes === 2) {
      const isControl = kind >= opcode.close;
      const isKnown = kind <= opcode.binary || isControl && kind <= opcode.pong;
      const isMisplaced = !isControl && (kind === opcode.continuation) !== this.#inMessage;
      const isReserved = (first & 0x70) !== 0, isUnmasked = (second & 0x80) === 0;
      if (!isKnown || isReserved || isUnmasked || isMisplaced || isControl && (!isFinal || short > controlBytesMax)) {
        return void this.#end(actions, closeCode.protocolError);
      }
    }
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (this.#headBytes < 2 + lengthBytes + 4) return;
    const view = new DataView(this.#head.buffer);
    const length = lengthBytes === 0 ? short : lengthBytes === 2 ? view.getUint16(2) : Number(view.getBigUint64(2));
    if (length > webSocketFrameBytesMax) return void this.#end(actions, closeCode.tooLarge);
    if (kind >= opcode.close) {
      this.#control = new Uint8Array(length);
      this.#filled = 0;
      if (length === 0) this.#controlRead(actions);
      return;
    }
    this.#inMessage = !isFinal;
    this.#skip = length;
    this.#headBytes = 0;
  }

  #controlRead(actions: ClientAction[]): void {
    const payload = this.#control!, kind = this.#head[0]! & 0x0f; // set by #headRead
    const mask = this.#head.subarray(2, 6);
    for (let at = 0; at < payload.length; at++) payload[at]! ^= mask[at % 4]!;
    this.#control = undefined;
    this.#headBytes = 0;
    if (kind === opcode.ping) actions.push({ tag: "ping", payload });
    else if (kind === opcode.close) this.#end(actions, codeOf(payload));
  }

  #end(actions: ClientAction[], code: number): ClientAction[] {
    this.#over = true;
    actions.push({ tag: "close", code });
    return actions;
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
