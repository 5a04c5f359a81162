import type { Exchange } from "../../../kernel/request/exchange.ts";
import { type Caller, pathOf } from "../request.ts";
import type { ServerStream } from "./stream.ts";

/** An Exchange over a stream. */
export class StreamExchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: Exchange["headers"];
  readonly peer: Exchange["peer"];
  readonly peerRefused: string | undefined;
  readonly frontProxy: Exchange["frontProxy"];
  readonly remote: string;
  readonly protocol = "HTTP/2.0";
  readonly connection: object;
  readonly #body: ServerStream["body"];
  #abort: AbortController | undefined;
  #isGone = false;

  constructor({ head, body, session }: ServerStream, { peer, peerRefused, frontProxy, remote }: Caller) {
    this.method = head.method;
    this.url = pathOf(head.url);
    this.headers = head.headers;
    this.peer = peer;
    this.peerRefused = peerRefused;
    this.frontProxy = frontProxy;
    this.remote = remote;
    this.connection = session;
    this.#body = body;
  }
  /** Created at first use: not every request needs it. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isGone && !this.#abort.signal.aborted) this.#abort.abort();
    return this.#abort.signal;
  }
  body(limit: number): Uint8Array | Promise<Uint8Array> {
    return this.#body.read(limit);
  }
  stream(): AsyncIterable<Uint8Array> | undefined {
    return this.#body.hasNone ? undefined : this.#body.stream();
  }
  /** Aborts the signal with an AbortError: the client no longer reads the answer. */
  clientGone(): void {
    this.#isGone = true;
    this.#abort?.abort();
  }
}
