// A client that sends and receives single HTTP/2 frames.
import { connect as tlsConnect, type TLSSocket } from "node:tls";
import { flag, FrameReader, frameType } from "../../../protocols/http2/frames.ts";
import { HeaderDecoder } from "../../../protocols/http2/header-decoder.ts";
import { encodedField } from "../../../protocols/http2/header-encoder.ts";
import { preface } from "../../../protocols/http2/settings.ts";
import type { Listener } from "../listener.ts";

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The bytes of a frame. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array | string = ""): Buffer {
  const bytes = typeof payload === "string" ? Buffer.from(payload, "latin1") : payload;
  const head = Buffer.alloc(9);
  head.writeUIntBE(bytes.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, bytes]);
}

const get = [[":method", "GET"], [":scheme", "https"], [":path", "/"], [":authority", "x"]] as const;
/** A block of fields in order. */
export function block(fields: readonly (readonly [string, string])[]): string {
  return fields.map(([name, value]) => encodedField(name, value)).join("");
}
/** The fields of a request with others behind them; a value of undefined removes a field. */
export function request(changes: Readonly<Record<string, string | undefined>> = {}): readonly (readonly [string, string])[] {
  const fields = new Map<string, string | undefined>([...get, ...Object.entries(changes)]);
  return [...fields].flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const]);
}
/** A HEADERS frame of a whole block; `flags` in addition to its end. */
export function headers(
  stream: number,
  fields: readonly (readonly [string, string])[] = request(),
  flags: number = flag.endStream,
): Buffer {
  return frame(frameType.headers, flag.endHeaders | flags, stream, block(fields));
}

export class FramesClient {
  readonly socket: TLSSocket;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  readonly received: Frame[] = [];
  readonly #decoder = new HeaderDecoder({ tableBytesMax: 4096, listBytesMax: 1_000_000, fieldsMax: 1000, check: () => true });
  #news = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(socket: TLSSocket, isReading: boolean) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {}).once("close", () => {
      this.#isClosed = true;
      this.#news.resolve();
    });
    if (!isReading) return;
    const reader = new FrameReader();
    socket.on("data", (chunk: Buffer) => {
      reader.add(chunk);
      while (reader.next()) {
        const { type, flags, stream, payload } = reader;
        this.received.push({ type, flags, stream, payload });
        if (type === frameType.settings && (flags & flag.ack) === 0) socket.write(frame(frameType.settings, flag.ack, 0));
      }
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    });
  }
  send(...frames: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(frames));
  }
  /** The first frame that `isWanted`, also of those received before; undefined if the connection is closed before. */
  async next(isWanted: (frame: Frame) => boolean): Promise<Frame | undefined> {
    for (let at = 0;; at++) {
      while (at >= this.received.length) {
        if (this.#isClosed) return undefined;
        await this.#news.promise;
      }
      if (isWanted(this.received[at]!)) return this.received[at];
    }
  }
  /** The code of the RST_STREAM or GOAWAY of a stream, or its status; undefined if the connection is closed before. */
  async outcome(
    stream: number,
  ): Promise<{ readonly reset: number } | { readonly goAway: number } | { readonly status: string } | undefined> {
    const found = await this.next(({ type, stream: id, payload }) =>
      type === frameType.goAway && payload.readUInt32BE(4) !== 0 ||
      id === stream && (type === frameType.reset || type === frameType.headers)
    );
    if (found === undefined) return undefined;
    if (found.type === frameType.goAway) return { goAway: found.payload.readUInt32BE(4) };
    if (found.type === frameType.reset) return { reset: found.payload.readUInt32BE(0) };
    return { status: this.headersOf(found)[":status"] ?? "" };
  }
  headersOf({ payload }: Frame): Record<string, string> {
    return Object.fromEntries((this.#decoder.decode(payload) ?? []).map(({ name, value }) => [name, value]));
  }
  /** The body of a stream that the server ends. */
  async body(stream: number): Promise<string> {
    await this.next(({ type, flags, stream: id }) =>
      id === stream && (type === frameType.data || type === frameType.headers) && (flags & flag.endStream) !== 0
    );
    const data = this.received.filter(({ type, stream: id }) => id === stream && type === frameType.data);
    return data.map(({ payload }) => payload.toString("latin1")).join("");
  }
}

/** Opens a connection, and sends the preface with empty settings. */
export function framesClient({ port }: Pick<Listener, "port">, isReading = true): Promise<FramesClient> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({ host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: ["h2"] }, () => {
      const client = new FramesClient(socket, isReading);
      client.send(Buffer.from(preface), frame(frameType.settings, 0, 0));
      resolve(client);
    });
    socket.once("error", reject);
  });
}
