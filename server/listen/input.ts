import type { Http2ServerRequest } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { BodyTurns } from "./body-turns.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of one HTTP/1.1 body that are read without turns. */
const bodyUnpacedBytes = bound(64 * 1024);

/** The source of a request body's bytes. */
export interface Input {
  /** Bytes received so far. */
  received(): number;
  /** Calls `listener` after each piece, until the returned function is called. */
  watch(listener: () => void): () => void;
  /** Counts one piece that was read. `taken`: bytes of the body so far, with the piece. */
  piece(bytes: number, taken: number): void;
  /** Sets whether a handler reads the body. */
  gate(open: boolean): void;
  /** Pauses reading until `release`. */
  hold(): void;
  release(): void;
  /** Stops reading. */
  stop(): void;
}

/** Input of an HTTP/1.1 connection: the client's bytes after decryption. */
export class ConnectionInput implements Input {
  readonly #tls: TLSSocket;
  readonly #raw: Socket;
  readonly #turns: BodyTurns;
  #open = true;
  #holds = 0;
  #stopped = false;

  constructor(tls: TLSSocket, raw: Socket, turns: BodyTurns) {
    this.#tls = tls;
    this.#raw = raw;
    this.#turns = turns;
  }
  received(): number {
    return this.#tls.bytesRead;
  }
  watch(listener: () => void): () => void {
    this.#tls.on("data", listener);
    return () => void this.#tls.off("data", listener);
  }
  /** Deno (seen in 2.9.6) continues to read a paused TLS socket and buffers without a bound: a client could fill the memory with a body
   *  that no handler reads. Node stops reading. */
  gate(open: boolean): void {
    if (!isDeno) return;
    this.#open = open;
    this.#apply();
  }
  /** Each hold needs its own release. */
  hold(): void {
    this.#holds++;
    this.#apply();
  }
  release(): void {
    this.#holds--;
    this.#apply();
  }
  /** Number of holds without a release. */
  get holds(): number {
    return this.#holds;
  }
  get stopped(): boolean {
    return this.#stopped;
  }
  /** Small bodies are read without turns. */
  piece(bytes: number, taken: number): void {
    if (taken > bodyUnpacedBytes) this.share(bytes);
  }
  /** Counts input in the bytes that one turn of the event loop reads over all connections. */
  share(bytes: number): void {
    this.#turns.read(bytes, this);
  }
  stop(): void {
    this.#stopped = true;
    this.#apply();
  }
  /** Neither runtime has a public method for this: requests resume the TLS socket themselves. The handle of the raw socket is internal;
   *  if it is missing, nothing is done. */
  #apply(): void {
    const { _handle: handle } = this.#raw as { _handle?: { readStart?(): unknown; readStop?(): unknown } | null };
    if (typeof handle?.readStart !== "function" || typeof handle.readStop !== "function") return;
    if (this.#open && this.#holds === 0 && !this.#stopped) handle.readStart();
    else handle.readStop();
  }
}

const isDeno = "Deno" in globalThis;

/** Input of one HTTP/2 request: the bytes of its body read while watched. The flow-control window bounds unread bytes. */
export class StreamInput implements Input {
  readonly #request: Http2ServerRequest;
  readonly #queue: { read(): void } | undefined;
  #bytes = 0;

  constructor(request: Http2ServerRequest, queue: { read(): void } | undefined) {
    this.#request = request;
    this.#queue = queue;
  }
  piece(): void {
    this.#queue?.read();
  }
  received(): number {
    return this.#bytes;
  }
  watch(listener: () => void): () => void {
    const count = (chunk: Uint8Array): void => {
      this.#bytes += chunk.length;
      this.piece();
      listener();
    };
    this.#request.on("data", count);
    return () => void this.#request.off("data", count);
  }
  gate(): void {}
  hold(): void {
    this.#request.pause();
  }
  release(): void {
    this.#request.resume();
  }
  stop(): void {
    this.#request.pause();
  }
}
