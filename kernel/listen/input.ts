import type { Http2ServerRequest } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** Where the bytes of a request body come from. */
export interface Input {
  /** Bytes so far. */
  received(): number;
  /** Calls `listener` after each piece; returns how to end that. */
  watch(listener: () => void): () => void;
  /** One more piece was read. */
  piece(): void;
  /** Whether a handler reads the body. */
  gate(open: boolean): void;
  /** Stops reading until `release`. */
  hold(): void;
  release(): void;
  /** Ends reading. */
  stop(): void;
}

/** Input of an HTTP/1.1 connection: all bytes of the client without those of TLS. */
export class ConnectionInput implements Input {
  readonly #tls: TLSSocket;
  readonly #raw: Socket;
  #open = true;
  #holds = 0;
  #stopped = false;

  constructor(tls: TLSSocket, raw: Socket) {
    this.#tls = tls;
    this.#raw = raw;
  }
  received(): number {
    return this.#tls.bytesRead;
  }
  watch(listener: () => void): () => void {
    this.#tls.on("data", listener);
    return () => void this.#tls.off("data", listener);
  }
  /** Deno (seen with 2.9.6) goes on reading from a paused TLS socket and buffers the bytes without a bound: a client could fill the memory
   *  with a body that no handler reads. Node stops reading. */
  gate(open: boolean): void {
    if (!isDeno) return;
    this.#open = open;
    this.#apply();
  }
  /** Each hold needs a release of its own. */
  hold(): void {
    this.#holds++;
    this.#apply();
  }
  release(): void {
    this.#holds--;
    this.#apply();
  }
  /** Holds that are not released yet. */
  get holds(): number {
    return this.#holds;
  }
  get stopped(): boolean {
    return this.#stopped;
  }
  /** Pieces of HTTP/1.1 bodies are counted by `watch`. */
  piece(): void {}
  stop(): void {
    this.#stopped = true;
    this.#apply();
  }
  /** Neither runtime stops by a public call: requests resume the TLS socket by themselves. The handle of the socket below has no
   *  public name; where it is missing nothing is done. */
  #apply(): void {
    const { _handle: handle } = this.#raw as { _handle?: { readStart?(): unknown; readStop?(): unknown } | null };
    if (typeof handle?.readStart !== "function" || typeof handle.readStop !== "function") return;
    if (this.#open && this.#holds === 0 && !this.#stopped) handle.readStart();
    else handle.readStop();
  }
}

const isDeno = "Deno" in globalThis;

/** Input of one HTTP/2 request: its body, as far as it was read while watched. Its window bounds what comes before. */
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
