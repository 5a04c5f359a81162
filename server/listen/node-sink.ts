/** Replies over the response objects of the runtime: HTTP/1.1, and HTTP/2 with `--http2-implementation=runtime`. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { constants } from "node:http2";
import type { HeaderFields } from "../../core/connect.ts";
import type { Reply } from "../../kernel/request/exchange.ts";
import { writeBytesMax } from "../../protocols/http2/frame-writer.ts";
import { chunkBytes } from "../../kernel/objects/chunks.ts";
import type { Answering } from "./answering.ts";
import type { ReplySink } from "./reply/sink.ts";
import type { Response } from "./request.ts";

export class NodeSink implements Answering, ReplySink {
  waitsSince: number | undefined;
  readonly #response: Response;
  /** Whether a part of the body was written. */
  #hasBegun = false;
  #flush: ReturnType<typeof setImmediate> | undefined;
  /** Parts of a body with a length, sent in pieces, that the connection has not taken yet; undefined for other bodies. */
  #untaken: number | undefined;
  /** Whether the reply ends when they are taken. */
  #isEnding = false;

  constructor(response: Response) {
    this.#response = response;
  }
  get isWhole(): boolean {
    return this.#response.req.complete;
  }
  head({ status, headers }: Pick<Reply, "status" | "headers">, length: number | undefined, ends: boolean): void {
    // The two classes declare different overloads for the same calls, hence the assertions. They do not change their arguments.
    const http1 = this.#response as ServerResponse;
    http1.writeHead(
      status,
      (length === undefined ? headers : { ...headers, "content-length": length }) as Record<string, string | string[] | number>,
    );
    if (ends) return this.end();
    if (length === undefined && headers["content-length"] !== undefined) this.#untaken = 0;
    // The head is sent with the first chunk, or alone if there is none yet: a watch may have no event for minutes, and its client waits for the
    // status.
    if (length === undefined) this.#flush = setImmediate(() => http1.flushHeaders());
  }
  partEnd(chunk: Uint8Array, from: number): number {
    return Math.min(chunk.length, from + writeBytesMax);
  }
  write(part: Uint8Array, ready: () => void): boolean {
    const http1 = this.#response as ServerResponse;
    const socket = this.#hasBegun && http1.chunkedEncoding && part.length <= framedBytesMax ? http1.socket : null;
    // After the head, and when this answer is the current one of its connection, a chunk is written as node would, but framed once for all
    // clients and in one write: that saves a fifth of the cost.
    const stream = socket?.writable === true ? socket : http1;
    const isWritten = stream === socket
      ? socket.write(framed(part))
      : this.#untaken === undefined
      ? http1.write(part)
      : http1.write(part, this.#taken);
    if (this.#untaken !== undefined) this.#untaken++;
    if (!this.#hasBegun) this.#begin();
    if (isWritten) return true;
    this.waitsSince = performance.now();
    stream.once("drain", () => {
      this.waitsSince = undefined;
      ready();
    });
    return false;
  }
  end(whole?: Uint8Array, trailers: HeaderFields = {}): void {
    this.#begin();
    this.#trail(trailers);
    if (whole !== undefined) this.#response.end(whole);
    else if (this.#untaken === undefined || this.#untaken === 0) this.#response.end();
    else this.#isEnding = true;
    this.waitsSince = performance.now();
  }
  #trail(trailers: HeaderFields): void {
    if ("stream" in this.#response) this.#response.addTrailers(trailers as OutgoingHttpHeaders); // absent values have no entry
    else if (this.#response.chunkedEncoding) {
      // As pairs: Deno would join the values of a list.
      const pairs = Object.entries(trailers).flatMap(([name, value]) => [value ?? []].flat().map((each): [string, string] => [name, each]));
      if (pairs.length > 0) this.#response.addTrailers(pairs);
    }
  }
  /**
   * The end of a body with a length is an empty write. Deno 2.9 never ends one that is queued behind another write of a TLS socket, so that the reply
   * would not be over: it is made when all parts are taken.
   */
  readonly #taken = (): void => {
    this.#untaken!--; // counted in `write`
    if (this.#isEnding && this.#untaken === 0) this.#response.end();
  };
  breakOff(): void {
    this.#begin();
    if ("stream" in this.#response) this.#response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    else this.#response.destroy();
  }
  /** Stops waiting for the first part of the body. To be called when the client has disconnected, too. */
  #begin(): void {
    this.#hasBegun = true;
    clearImmediate(this.#flush);
  }
}

/** Maximum bytes of a chunk that is copied into its frame; above, the copy costs more than three writes. */
const framedBytesMax = chunkBytes;
/** Framed chunks that many watches share, by identity. */
const known = new WeakMap<Uint8Array, Uint8Array>();
const lineEnd = "\r\n";
const toBytes = new TextEncoder();

/**
 * A chunk with its size line and the line end (RFC 9112, section 7.1). It is kept for as long as the chunk, so it has memory of its own: a small
 * Buffer would keep the whole block of Node's pool.
 */
export function framed(chunk: Uint8Array): Uint8Array {
  const before = known.get(chunk);
  if (before !== undefined) return before;
  const head = chunk.length.toString(16) + lineEnd;
  const made = new Uint8Array(head.length + chunk.length + lineEnd.length);
  toBytes.encodeInto(head, made);
  made.set(chunk, head.length);
  toBytes.encodeInto(lineEnd, made.subarray(head.length + chunk.length));
  known.set(chunk, made);
  return made;
}
