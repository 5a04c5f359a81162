/** What the protocols do differently when they send a reply. */
import type { ChunkIterator, Reply } from "../../../kernel/request/exchange.ts";
import type { HeaderFields } from "../../../core/connect.ts";
import type { Answering } from "../answering.ts";

/** The way to the client of one request. HTTP/1.1 with HTTP/2 of the runtime, our own HTTP/2, and websockets have one each. */
export interface ReplySink extends Pick<Answering, "breakOff"> {
  readonly waitsSince: number | undefined;
  /** Sends the head. `length`: the content-length, if the body is whole. `ends`: no body follows. */
  head(reply: Pick<Reply, "status" | "headers">, length: number | undefined, ends: boolean): void;
  /** The end of the part of a chunk that is written at once and begins at `from`. */
  partEnd(chunk: Uint8Array, from: number): number;
  /**
   * Writes a part of the body. Returns whether the next one can be written now; otherwise `ready` is called once when it can be. A client that does
   * not read until then has waited since `waitsSince`.
   */
  write(part: Uint8Array, ready: () => void): boolean;
  /** Ends the reply. `whole`: the body, if it is not sent in chunks. `trailers`: sent where the protocol has a place for them. */
  end(whole?: Uint8Array, trailers?: HeaderFields): void;
}

/** Ends an iterator whose chunks are no longer needed. Not awaited: a generator that waits for its source returns only after that; the
 *  caller has aborted the signal. */
export function stop(chunks: ChunkIterator): void {
  chunks.return?.().catch(() => {});
}

/** Discards a reply whose client has disconnected before any of it was sent. */
export function discardReply({ body }: Reply): void {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) stop(body[Symbol.asyncIterator]());
}
