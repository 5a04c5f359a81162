import type { HeaderFields } from "../../../core/connect.ts";
import type { Reply } from "../../../kernel/request/exchange.ts";
import type { ReplySink } from "../reply/sink.ts";
import type { HeadEncoder } from "./response-head.ts";
import type { ServerStream } from "./stream.ts";

const nothing = new Uint8Array(0);

/** Replies over a stream. Each chunk is pulled after the one before has left the flow-control windows. */
export class StreamSink implements ReplySink {
  readonly #stream: ServerStream;
  readonly #encoder: HeadEncoder;

  constructor(stream: ServerStream, encoder: HeadEncoder) {
    this.#stream = stream;
    this.#encoder = encoder;
  }
  get waitsSince(): number | undefined {
    return this.#stream.waitsSince;
  }
  head({ status, headers }: Pick<Reply, "status" | "headers">, length: number | undefined, ends: boolean): void {
    this.#stream.respond(this.#encoder.head(status, headers, length), ends);
  }
  partEnd(chunk: Uint8Array): number {
    return chunk.length;
  }
  write(part: Uint8Array, ready: () => void): boolean {
    this.#stream.send(part, false);
    if (this.#stream.isEmpty) return true;
    this.#stream.whenEmpty(ready);
    return false;
  }
  end(whole: Uint8Array = nothing, trailers: HeaderFields = {}): void {
    if (Object.keys(trailers).length === 0) return this.#stream.send(whole, true);
    if (whole.length > 0) this.#stream.send(whole, false);
    this.#stream.trail(this.#encoder.trailers(trailers));
  }
  breakOff(): void {
    this.#stream.breakOff();
  }
}
