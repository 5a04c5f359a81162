/**
 * The client side of HTTP/2 (RFC 9113) over a socket, as far as gRPC needs it: a stream sends headers and data, and receives headers,
 * data and its end. Reasons for an own implementation: docs/decisions/0010-http2-of-our-own.md.
 */
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { FlowWindow } from "../flow-window.ts";
import { FrameWriter, Slabs } from "../frame-writer.ts";
import { errorCode, flag, frameReader, frameType, streamIdMax, unpad, word } from "../frames.ts";
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
/** Maximum bytes of acknowledgements that etcd has not read. */
const etcdUnreadBytesMax = bound(1024 * 1024);

/** Events of a stream. None follows `end`, nor the cancellation of the stream. */
export interface StreamEvents {
  /** The headers of the answer, and its trailers. */
  headers(headers: Headers): void;
  data(chunk: Buffer): void;
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

interface Open {
  /** Zero while it waits to be opened. */
  id: number;
  readonly block: Buffer;
  /** Whether nothing is sent after the initial message. */
  readonly isWhole: boolean;
  readonly events: StreamEvents;
  /** What it sends; undefined while it waits to be opened. */
  sending: Sending | undefined;
  /** Data sent before the stream was opened. */
  readonly early: Uint8Array[];
  readonly window: FlowWindow;
}

/** Starts HTTP/2 on a socket that is connected or connecting. */
export function openSession(socket: Socket, { onOpen, onEnd, firstStream = 1 }: SessionOptions): Session {
  const writer: FrameWriter = new FrameWriter(socket, new Slabs(), () => queue.resume(), afterInput);
  const write: FrameWriter["frame"] = (...frame) => writer.frame(...frame);
  const queue = new SendQueue(writer);
  const readBlock = headerReader();
  const streams = new Map<number, Open>();
  const waiting = new Set<Open>();
  let next = firstStream;
  let streamsMax = Infinity;
  let isOpen = false, isLeaving = false, isOver = false;
  let answered: (() => void)[] = [];
  const window = new FlowWindow(etcdConnectionWindowBytes, (bytes) => allow(0, bytes));

  function destroy(because: unknown): void {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    const lost = [...streams.values()], never = [...waiting];
    streams.clear();
    waiting.clear();
    onEnd(because);
    for (const { events } of lost) events.end({ cause: because, unsent: false });
    for (const { events } of never) events.end({ cause: because, unsent: true });
  }

  function start(stream: Open): void {
    stream.id = next;
    next += 2;
    streams.set(stream.id, stream);
    write(frameType.headers, flag.endHeaders, stream.id, stream.block);
    const sending = stream.sending = queue.open(stream.id);
    for (const data of stream.early.splice(0)) queue.send(sending, data, stream.isWhole);
  }
  /** Opens waiting streams up to the server's limit. An identifier is reserved for each of them. */
  function startWaiting(): void {
    for (const stream of waiting) {
      if (streams.size >= streamsMax) return;
      waiting.delete(stream);
      start(stream);
    }
  }
  function remove(stream: Open): void {
    streams.delete(stream.id);
    if (stream.sending !== undefined) queue.close(stream.sending);
  }
  function forget(stream: Open): void {
    remove(stream);
    startWaiting();
    if (streams.size === 0 && waiting.size === 0 && !isUsable()) destroy("the connection takes no more streams");
  }
  function isUsable(): boolean {
    return isOpen && !isOver && !isLeaving && next + 2 * waiting.size <= streamIdMax;
  }
  function reset(id: number, code: number): void {
    write(frameType.reset, 0, id, word(code));
  }
  function allow(id: number, bytes: number): void {
    write(frameType.windowUpdate, 0, id, word(bytes));
  }
  function ended(stream: Open): void {
    // A server may answer before it has read the whole request, for example to reject a large message.
    if (stream.sending?.isDone !== true) reset(stream.id, errorCode.cancel);
    forget(stream);
    stream.events.end(undefined);
  }
  function takeData(flags: number, id: number, payload: Buffer): void {
    window.fill(payload.length);
    window.use(payload.length);
    const stream = streams.get(id);
    // Data of a cancelled stream counts for the connection window only.
    if (stream === undefined) return known(id);
    stream.window.fill(payload.length);
    const chunk = unpad(flags, payload);
    stream.window.use(stream.isWhole ? payload.length : payload.length - chunk.length);
    if (chunk.length > 0) stream.events.data(chunk);
    if ((flags & flag.endStream) !== 0 && streams.get(id) === stream) ended(stream);
  }
  function headersOf({ stream: id, ends, bytes }: Block): void {
    const headers = readBlock(bytes);
    const stream = streams.get(id);
    if (stream === undefined) return;
    stream.events.headers(headers);
    if (ends && streams.get(id) === stream) ended(stream);
  }
  function acknowledge(type: number, payload: Buffer): void {
    if (writer.unreadBytes <= etcdUnreadBytesMax) write(type, flag.ack, 0, payload);
  }
  function takeSettings(flags: number, payload: Buffer): void {
    if ((flags & flag.ack) !== 0) return;
    for (let at = 0; at < payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      const which = payload.readUInt16BE(at);
      if (which === setting.initialWindowSize) queue.resize(value);
      if (which === setting.maxConcurrentStreams) streamsMax = value;
    }
    acknowledge(frameType.settings, nothing);
    if (isOpen) return startWaiting();
    isOpen = true;
    onOpen();
  }
  function takeReset(id: number, payload: Buffer): void {
    known(id);
    const stream = streams.get(id);
    if (stream === undefined) return;
    const code = payload.readUInt32BE(0);
    forget(stream);
    // The server has not processed a refused stream (RFC 9113, section 8.7).
    stream.events.end({ cause: `the server closed the stream with code ${code}`, unsent: code === errorCode.refusedStream });
  }
  function takeGoAway(payload: Buffer): void {
    const last = payload.readUInt32BE(0) & streamIdMax;
    isLeaving = true;
    const cause = `the server sent GOAWAY with code ${payload.readUInt32BE(4)}`;
    // The server has not processed streams above the last identifier (RFC 9113, section 6.8).
    const never = [...[...streams.values()].filter(({ id }) => id > last), ...waiting];
    waiting.clear();
    for (const stream of never) {
      remove(stream);
      stream.events.end({ cause, unsent: true });
    }
    if (streams.size === 0) destroy(cause);
  }
  function takeWindowUpdate(id: number, bytes: number): void {
    if (id === 0) return queue.allow(bytes);
    known(id);
    const sending = streams.get(id)?.sending;
    if (sending !== undefined && !queue.allowStream(sending, bytes)) throw new Error("The flow-control window exceeds 2^31-1 bytes");
  }
  function takePing(flags: number, payload: Buffer): void {
    if ((flags & flag.ack) === 0) return acknowledge(frameType.ping, payload);
    const waiters = answered;
    answered = [];
    for (const notify of waiters) notify();
  }
  /** Throws if the stream was never opened by this client. */
  function known(id: number): void {
    if (id >= next || id % 2 === 0) throw new Error(`The server sent a frame of stream ${id}, which does not exist`);
  }
  function take(type: number, flags: number, id: number, payload: Buffer): void {
    if (isOver) return;
    if (!isOpen && type !== frameType.settings) throw new Error("The server's first frame is not SETTINGS");
    if (type === frameType.headers) known(id);
    if (takeHeaders(type, flags, id, payload)) return;
    switch (type) {
      case frameType.data:
        return takeData(flags, id, payload);
      case frameType.reset:
        return takeReset(id, payload);
      case frameType.settings:
        return takeSettings(flags, payload);
      case frameType.pushPromise:
        throw new Error("The server sent a PUSH_PROMISE although push is disabled");
      case frameType.ping:
        return takePing(flags, payload);
      case frameType.goAway:
        return takeGoAway(payload);
      case frameType.windowUpdate:
        return takeWindowUpdate(id, payload.readUInt32BE(0) & streamIdMax);
    }
    // Unknown frame types are ignored (RFC 9113, section 5.5).
  }

  const takeHeaders = headerFrames({ bytesMax: etcdHeaderBytesMax, framesMax: etcdHeaderFramesMax }, headersOf);
  const read = frameReader(take);
  socket.on("data", (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      destroy(error);
    }
  });
  socket.on("error", destroy);
  socket.on("end", () => destroy("the connection was closed"));
  socket.on("close", () => destroy("the connection was closed"));
  socket.write(preface);
  write(frameType.settings, 0, 0, ourSettings());
  allow(0, etcdConnectionWindowBytes - firstWindowBytes);

  return {
    get usable() {
      return isUsable();
    },
    get streams() {
      return streams.size + waiting.size;
    },
    open(block, whole, events) {
      if (!isUsable()) throw new Error("the connection was closed");
      const isWhole = whole !== undefined;
      const stream: Open = {
        id: 0,
        block,
        isWhole,
        events,
        early: isWhole ? [whole] : [],
        sending: undefined,
        window: new FlowWindow(etcdStreamWindowBytes, (bytes) => streams.has(stream.id) && allow(stream.id, bytes)),
      };
      if (streams.size < streamsMax) start(stream);
      else waiting.add(stream);
      return {
        send(data) {
          if (waiting.has(stream)) stream.early.push(data);
          else if (stream.sending !== undefined) queue.send(stream.sending, data, false);
        },
        used: (bytes) => stream.window.use(bytes),
        cancel() {
          if (waiting.delete(stream) || streams.get(stream.id) !== stream) return;
          reset(stream.id, errorCode.cancel);
          forget(stream);
        },
      };
    },
    ping(notify) {
      answered.push(notify);
      write(frameType.ping, 0, 0, Buffer.alloc(8));
    },
    destroy,
  };
}
