/**
 * The client side of HTTP/2 (RFC 9113) over a socket, as far as gRPC needs it: a stream sends headers and data, and receives headers,
 * data and its end. Reasons for an own implementation: docs/decisions/0010-http2-of-our-own.md.
 */
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { FlowWindow } from "../flow-window.ts";
import { FrameWriter, Slabs } from "../frame-writer.ts";
import { errorCode, flag, frameType, readFrames, streamIdMax, uint32Bytes, unpad } from "../frames.ts";
import { type Block, headerFrames } from "../header-frames.ts";
import { type Sending, SendQueue } from "../send-queue.ts";
import { firstWindowBytes, preface, setting } from "../settings.ts";
import { etcdStreamWindowBytes, ourSettings } from "./client-settings.ts";
import { headerReader, type Headers } from "./hpack.ts";
import { bound } from "../../../core/bound.ts";

/** Receive window of a connection of the HTTP/2 client, in bytes. */
const etcdConnectionWindowBytes = bound(32 * 1024 * 1024);
/** Bytes of the headers of one response. */
const etcdHeaderBytesMax = bound(65_536);
/** Frames of the headers of one response. */
const etcdHeaderFramesMax = bound(64);
/** Frames that a server may send while no stream is open. What it has sent before it reads that a stream was cancelled is less. */
export const etcdIdleFramesMax = bound(10_000);
/** Maximum bytes of acknowledgements that etcd has not read. */
const etcdUnreadBytesMax = bound(1024 * 1024);

/** Events of a stream. None follows `end`, nor the cancellation of the stream. */
export interface StreamEvents {
  /** The headers of the answer, and its trailers. */
  headers(headers: Headers): void;
  data(chunk: Buffer): void;
  /** Whether received bytes count as processed only with `used`, also if nothing is sent after the initial message. */
  readonly isPaced?: true;
  /** `lost`: why the stream ended without the server's end of stream. */
  end(lost: Lost | undefined): void;
}

export interface Lost {
  readonly cause: unknown;
  /** Whether the server has certainly not acted on the request. */
  readonly unsent: boolean;
}

export interface Stream {
  send(data: Uint8Array): void;
  /** Counts processed bytes, which the server may then send again. */
  used(bytes: number): void;
  cancel(): void;
}

/** A connection with the client's side of HTTP/2. */
export interface Session {
  /** Whether more streams can be opened. */
  readonly usable: boolean;
  readonly streams: number;
  /**
   * Opens a stream with a block of headers. With `whole` the stream sends nothing else, and received bytes count as processed at
   * once. Beyond the server's limit of streams it waits.
   */
  open(block: Buffer, whole: Uint8Array | undefined, events: StreamEvents): Stream;
  ping(answered: () => void): void;
  /** Closes the connection and its streams. */
  destroy(because: unknown): void;
}

export interface SessionOptions {
  /** Called when the server has sent its settings: streams can be opened. */
  readonly onOpen: () => void;
  /** Called once at the end of the connection, for any reason. */
  readonly onEnd: (because: unknown) => void;
  /** Identifier of the first stream; odd. */
  readonly firstStream?: number;
}

const nothing = Buffer.alloc(0);

/** Calls `run` after all input that is ready: calls of many clients leave in one write. */
const afterInput = (run: () => void): void => void setImmediate(run);

/** A stream of a session. */
class ClientStream implements Stream {
  /** Zero while it waits to be opened. */
  id = 0;
  readonly block: Buffer;
  /** Whether nothing is sent after the initial message. */
  readonly isWhole: boolean;
  readonly events: StreamEvents;
  /** What it sends; undefined while it waits to be opened. */
  sending: Sending | undefined;
  /** Data sent before the stream was opened. */
  readonly early: Uint8Array[];
  readonly window: FlowWindow;
  readonly #session: StreamSession;

  constructor(block: Buffer, whole: Uint8Array | undefined, events: StreamEvents, session: StreamSession) {
    this.block = block;
    this.isWhole = whole !== undefined;
    this.events = events;
    this.early = whole === undefined ? [] : [whole];
    this.window = new FlowWindow(etcdStreamWindowBytes, (bytes) => session.allow(this, bytes));
    this.#session = session;
  }
  send(data: Uint8Array): void {
    this.#session.send(this, data);
  }
  used(bytes: number): void {
    this.window.use(bytes);
  }
  cancel(): void {
    this.#session.cancel(this);
  }
}

/** What a stream needs of its session. */
interface StreamSession {
  send(stream: ClientStream, data: Uint8Array): void;
  /** Lets the server send more bytes. */
  allow(stream: ClientStream, bytes: number): void;
  cancel(stream: ClientStream): void;
}

/**
 * HTTP/2 on a socket that is connected or connecting.
 *
 *   settings ──> open ──> leaving ──> over     From any state to over.
 *
 * `leaving`: the server has sent GOAWAY; the connection ends with the streams that it still answers.
 */
export class ClientSession implements Session, StreamSession {
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  readonly #writer: FrameWriter;
  readonly #queue: SendQueue;
  readonly #readBlock = headerReader();
  readonly #takeHeaders = headerFrames(
    { bytesMax: etcdHeaderBytesMax, framesMax: etcdHeaderFramesMax },
    (block) => this.#takeBlock(block),
  );
  readonly #streams = new Map<number, ClientStream>();
  /** Streams beyond the server's limit, in their order. */
  readonly #waiting = new Set<ClientStream>();
  readonly #window = new FlowWindow(etcdConnectionWindowBytes, (bytes) => this.#allow(0, bytes));
  #phase: "settings" | "open" | "leaving" | "over" = "settings";
  /** The identifier of the next stream. */
  #next: number;
  #streamsMax = Infinity;
  /** Frames since the last stream was open. */
  #idleFrames = 0;
  /** Called at the next answer to a PING. */
  #answered: (() => void)[] = [];

  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#next = options.firstStream ?? 1;
    this.#writer = new FrameWriter(socket, new Slabs(), () => this.#queue.resume(), afterInput);
    this.#queue = new SendQueue(this.#writer);
    const read = readFrames((...frame) => this.#take(...frame));
    socket.on("data", (chunk: Buffer) => {
      try {
        read(chunk);
      } catch (error) {
        this.destroy(error);
      }
    });
    socket.on("error", (error) => this.destroy(error));
    socket.on("end", () => this.destroy("the connection was closed"));
    socket.on("close", () => this.destroy("the connection was closed"));
    socket.write(preface);
    this.#writer.frame(frameType.settings, 0, 0, ourSettings());
    this.#allow(0, etcdConnectionWindowBytes - firstWindowBytes);
  }
  get usable(): boolean {
    return this.#phase === "open" && this.#next + 2 * this.#waiting.size <= streamIdMax;
  }
  get streams(): number {
    return this.#streams.size + this.#waiting.size;
  }
  open(block: Buffer, whole: Uint8Array | undefined, events: StreamEvents): Stream {
    if (!this.usable) throw new Error("the connection was closed");
    const stream = new ClientStream(block, whole, events, this);
    if (this.#streams.size < this.#streamsMax) this.#start(stream);
    else this.#waiting.add(stream);
    return stream;
  }
  ping(answered: () => void): void {
    this.#answered.push(answered);
    this.#writer.frame(frameType.ping, 0, 0, Buffer.alloc(8));
  }
  destroy(because: unknown): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.#socket.destroy();
    const lost = [...this.#streams.values()], never = [...this.#waiting];
    this.#streams.clear();
    this.#waiting.clear();
    this.#options.onEnd(because);
    for (const { events } of lost) events.end({ cause: because, unsent: false });
    for (const { events } of never) events.end({ cause: because, unsent: true });
  }

  send(stream: ClientStream, data: Uint8Array): void {
    if (this.#waiting.has(stream)) stream.early.push(data);
    else if (stream.sending !== undefined) this.#queue.send(stream.sending, data, false);
  }
  allow({ id }: ClientStream, bytes: number): void {
    if (this.#streams.has(id)) this.#allow(id, bytes);
  }
  cancel(stream: ClientStream): void {
    if (this.#waiting.delete(stream) || this.#streams.get(stream.id) !== stream) return;
    this.#reset(stream.id, errorCode.cancel);
    this.#forget(stream);
  }

  #start(stream: ClientStream): void {
    stream.id = this.#next;
    this.#next += 2;
    this.#streams.set(stream.id, stream);
    this.#writer.frame(frameType.headers, flag.endHeaders, stream.id, stream.block);
    const sending = stream.sending = this.#queue.open(stream.id);
    for (const data of stream.early.splice(0)) this.#queue.send(sending, data, stream.isWhole);
  }
  /** Opens waiting streams up to the server's limit. An identifier is reserved for each of them. */
  #startWaiting(): void {
    for (const stream of this.#waiting) {
      if (this.#streams.size >= this.#streamsMax) return;
      this.#waiting.delete(stream);
      this.#start(stream);
    }
  }
  #remove(stream: ClientStream): void {
    this.#streams.delete(stream.id);
    if (stream.sending !== undefined) this.#queue.close(stream.sending);
  }
  #forget(stream: ClientStream): void {
    this.#remove(stream);
    this.#startWaiting();
    if (this.streams === 0 && !this.usable) this.destroy("the connection takes no more streams");
  }
  #reset(id: number, code: number): void {
    this.#writer.frame(frameType.reset, 0, id, uint32Bytes(code));
  }
  #allow(id: number, bytes: number): void {
    this.#writer.frame(frameType.windowUpdate, 0, id, uint32Bytes(bytes));
  }
  #acknowledge(type: number, payload: Buffer): void {
    if (this.#writer.unreadBytes <= etcdUnreadBytesMax) this.#writer.frame(type, flag.ack, 0, payload);
  }

  #take(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.#phase === "over") return;
    this.#idleFrames = this.#streams.size > 0 ? 0 : this.#idleFrames + 1;
    if (this.#idleFrames > etcdIdleFramesMax) throw new Error("The server sent too many frames without a call");
    if (this.#phase === "settings" && type !== frameType.settings) throw new Error("The server's first frame is not SETTINGS");
    if (type === frameType.headers) this.#mustExist(id);
    if (this.#takeHeaders(type, flags, id, payload)) return;
    switch (type) {
      case frameType.data:
        return this.#takeData(flags, id, payload);
      case frameType.reset:
        return this.#takeReset(id, payload);
      case frameType.settings:
        return this.#takeSettings(flags, payload);
      case frameType.pushPromise:
        throw new Error("The server sent a PUSH_PROMISE although push is disabled");
      case frameType.ping:
        return this.#takePing(flags, payload);
      case frameType.goAway:
        return this.#takeGoAway(payload);
      case frameType.windowUpdate:
        return this.#takeWindowUpdate(id, payload.readUInt32BE(0) & streamIdMax);
    }
    // Unknown frame types are ignored (RFC 9113, section 5.5).
  }
  #takeBlock({ stream: id, ends, bytes }: Block): void {
    const headers = this.#readBlock(bytes);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.events.headers(headers);
    if (ends && this.#streams.get(id) === stream) this.#answeredWhole(stream);
  }
  #takeData(flags: number, id: number, payload: Buffer): void {
    this.#window.fill(payload.length);
    this.#window.use(payload.length);
    const stream = this.#streams.get(id);
    // Data of a cancelled stream counts for the connection window only.
    if (stream === undefined) return this.#mustExist(id);
    stream.window.fill(payload.length);
    const chunk = unpad(flags, payload);
    stream.window.use(stream.isWhole && stream.events.isPaced !== true ? payload.length : payload.length - chunk.length);
    if (chunk.length > 0) stream.events.data(chunk);
    if ((flags & flag.endStream) !== 0 && this.#streams.get(id) === stream) this.#answeredWhole(stream);
  }
  /** The server has ended its side of a stream. */
  #answeredWhole(stream: ClientStream): void {
    // A server may answer before it has read the whole request, for example to reject a large message.
    if (stream.sending?.isDone !== true) this.#reset(stream.id, errorCode.cancel);
    this.#forget(stream);
    stream.events.end(undefined);
  }
  #takeSettings(flags: number, payload: Buffer): void {
    if ((flags & flag.ack) !== 0) return;
    for (let at = 0; at < payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      const which = payload.readUInt16BE(at);
      if (which === setting.initialWindowSize) this.#queue.resize(value);
      if (which === setting.maxConcurrentStreams) this.#streamsMax = value;
    }
    this.#acknowledge(frameType.settings, nothing);
    if (this.#phase !== "settings") return this.#startWaiting();
    this.#phase = "open";
    this.#options.onOpen();
  }
  #takeReset(id: number, payload: Buffer): void {
    this.#mustExist(id);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const code = payload.readUInt32BE(0);
    this.#forget(stream);
    // The server has not processed a refused stream (RFC 9113, section 8.7).
    stream.events.end({ cause: `the server closed the stream with code ${code}`, unsent: code === errorCode.refusedStream });
  }
  #takeGoAway(payload: Buffer): void {
    const last = payload.readUInt32BE(0) & streamIdMax;
    this.#phase = "leaving";
    const cause = `the server sent GOAWAY with code ${payload.readUInt32BE(4)}`;
    // The server has not processed streams above the last identifier (RFC 9113, section 6.8).
    const never = [...[...this.#streams.values()].filter(({ id }) => id > last), ...this.#waiting];
    this.#waiting.clear();
    for (const stream of never) {
      this.#remove(stream);
      stream.events.end({ cause, unsent: true });
    }
    if (this.#streams.size === 0) this.destroy(cause);
  }
  #takeWindowUpdate(id: number, bytes: number): void {
    if (id === 0) return this.#queue.allow(bytes);
    this.#mustExist(id);
    const sending = this.#streams.get(id)?.sending;
    if (sending !== undefined && !this.#queue.allowStream(sending, bytes)) throw new Error("The flow-control window exceeds 2^31-1 bytes");
  }
  #takePing(flags: number, payload: Buffer): void {
    if ((flags & flag.ack) === 0) return this.#acknowledge(frameType.ping, payload);
    const waiters = this.#answered;
    this.#answered = [];
    for (const notify of waiters) notify();
  }
  /** Throws if the stream was never opened by this client. */
  #mustExist(id: number): void {
    if (id >= this.#next || id % 2 === 0) throw new Error(`The server sent a frame of stream ${id}, which does not exist`);
  }
}
