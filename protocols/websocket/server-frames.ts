/** What the server of a websocket sends (RFC 6455): the answer to the key of an offer, and frames. */
import { createHash } from "node:crypto";

export const closeCode = Object.freeze({ normal: 1000, protocolError: 1002, policy: 1008, tooLarge: 1009, internal: 1011 });

export const opcode = Object.freeze({ continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 });

/** Returns the value that proves that the server has read the offer. */
export function acceptOf(key: string): string {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}

/** Returns a frame from the server: unmasked and whole. */
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
