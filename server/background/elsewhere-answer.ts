/** Replies of other servers as answers to callers in the process. They may be nonsense, and of any size. */
import { bound } from "../../core/bound.ts";
import { statusErrorOf } from "../../core/client/status-error-of.ts";
import { isObject, type Json } from "../../core/json.ts";
import { StatusError } from "../../core/status-error.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import type { Chunks, Reply } from "../../kernel/request/exchange.ts";

/** Bytes of a reply of another server, and of one event of its watch, that a caller in the process takes. */
export const elsewhereBytesMax = bound(16_777_216);
const newline = 10;

/** The result of a call: a value, or the frames of a watch. */
export type LocalAnswer =
  | { readonly status: number; readonly value: Json }
  | { readonly status: number; readonly frames: Chunks };

/** Resolves with the answer. Rejects with the StatusError of an error reply, or of one that is no JSON object. */
export async function elsewhereAnswer({ status, body }: Reply, verb: string): Promise<LocalAnswer> {
  if (status === 200 && verb === "watch") return { status, frames: boundedLines(body) };
  const text = await textOf(body);
  const value = objectIn(text);
  if (status < 200 || status > 299) throw statusErrorOf(value ?? { message: text.slice(0, 1_000) }, status);
  if (value === undefined) throw nonsense("the reply of the other server is no object of JSON");
  return { status, value };
}

function objectIn(text: string): Json | undefined {
  try {
    const value = plainJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function textOf(body: Reply["body"]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "", bytes = 0;
  for await (const piece of piecesOf(body)) {
    bytes += piece.length;
    if (bytes > elsewhereBytesMax) throw nonsense(`the reply of the other server has more than ${elsewhereBytesMax} bytes`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** The pieces of a watch. Rejects at a line that is too long. */
async function* boundedLines(body: Reply["body"]): AsyncGenerator<Uint8Array> {
  let bytes = 0; // since the last end of a line
  for await (const piece of piecesOf(body)) {
    const last = piece.lastIndexOf(newline);
    bytes = last < 0 ? bytes + piece.length : piece.length - last - 1;
    if (bytes > elsewhereBytesMax) throw nonsense(`an event of the other server has more than ${elsewhereBytesMax} bytes`);
    yield piece;
  }
}

function piecesOf(body: Reply["body"]): Chunks {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return body;
  const whole = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return { [Symbol.asyncIterator]: () => once(whole) };
}
async function* once(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}

function nonsense(text: string): StatusError {
  return new StatusError("InternalError", text);
}
