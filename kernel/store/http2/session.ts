/**
 * The client's side of HTTP/2 (RFC 9113) over a socket, as far as gRPC goes: a stream sends its headers and its data, and is told
 * headers, data and its end. Why this is ours: docs/decisions/0010-http2-of-our-own.md.
 */
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { flag, frameReader, frameType, frameWriter } from "./frames.ts";
import { headerReader, type Headers } from "./hpack.ts";
import { sendQueue } from "./send-queue.ts";

/** What a stream is told. Nothing comes after `end`, and nothing after the stream was cancelled. */
export interface StreamEvents {
  /** Those of the answer, and those behind its data. */
  headers(headers: Headers): void;
  data(chunk: Buffer): void;
  /** `lost`: the server has not ended it. */
  end(lost: Lost | undefined): void;
}

export interface Lost {
  readonly cause: unknown;
  /** Whether the server certainly has not acted on it. */
  readonly unsent: boolean;
}

export interface Stream {
  send(data: Uint8Array): void;
  /** So many bytes of what came are used: the server may send as many more. */
  used(bytes: number): void;
  cancel(): void;
}

export interface Session {
  /** Whether more streams can be opened. */
  readonly usable: boolean;
  readonly streams: number;
  /**
   * Opens a stream with a block of headers. With `whole` that is all it sends, and what it receives counts as used at once. Where
   * the server allows no more of them it waits for its turn.
   */
  open(block: Buffer, whole: Uint8Array | undefined, events: StreamEvents): Stream;
  ping(answered: () => void): void;
  /** Ends it and its streams. */
  destroy(because: unknown): void;
}

export interface SessionOptions {
  /** Called when the server has said its settings: streams can be opened. */
  readonly onOpen: () => void;
  /** Called once, however it ends. */
  readonly onEnd: (because: unknown) => void;
  /** The number of the first stream; odd. */
  readonly firstStream?: number;
}

/** Bytes that may be on their way to us unread: of one stream, and of the connection. */
const streamWindowBytes = 8 * 1024 * 1024;
const connectionWindowBytes = 32 * 1024 * 1024;
/** What holds for the connection before anybody says anything. */
const firstWindowBytes = 65_535;
const headerBytesMax = 65_536;
const streamMax = 0x7fffffff;
/** To a server that leaves so much of what it is sent unread its pings are not answered. */
const unreadBytesMax = 1024 * 1024;

const refusedStream = 7, cancelled = 8;
const setting = Object.freeze({ headerTableSize: 1, enablePush: 2, maxConcurrentStreams: 3, initialWindowSize: 4 });
const nothing = Buffer.alloc(0);

interface Open {
  /** Zero while it waits for its turn. */
  id: number;
  readonly block: Buffer;
  /** Whether nothing is sent but what is sent at first. */
  readonly isWhole: boolean;
  readonly events: StreamEvents;
  /** What it sends before its turn has come. */
  readonly early: Uint8Array[];
  /** What the server may still send, and what was used since it was told so. */
  room: number;
  used: number;
}

/** Speaks over a socket that is connected, or is being connected. */
export function openSession(socket: Socket, { onOpen, onEnd, firstStream = 1 }: SessionOptions): Session {
  const write = frameWriter(socket);
  const queue = sendQueue(write);
  const readBlock = headerReader();
  const streams = new Map<number, Open>();
  const waiting = new Set<Open>();
  let next = firstStream;
  let streamsMax = Infinity;
  let isOpen = false, isLeaving = false, isOver = false;
  let used = 0;
  /** Headers whose block has not come whole. */
  let partial: { readonly stream: number; readonly ends: boolean; readonly parts: Buffer[]; bytes: number } | undefined;
  let answered: (() => void)[] = [];

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
    queue.open(stream.id);
    for (const data of stream.early.splice(0)) queue.send(stream.id, data, stream.isWhole);
  }
  function forget(stream: Open): void {
    streams.delete(stream.id);
    queue.close(stream.id);
    for (const first of waiting) {
      if (streams.size >= streamsMax || !isUsable()) break;
      waiting.delete(first);
      start(first);
    }
    if (streams.size === 0 && waiting.size === 0 && !isUsable()) destroy(new Error("the server told us to go away"));
  }
  function isUsable(): boolean {
    return isOpen && !isOver && !isLeaving && next + 2 * waiting.size <= streamMax;
  }
  function reset(id: number, code: number): void {
    const payload = Buffer.allocUnsafe(4);
    payload.writeUInt32BE(code, 0);
    write(frameType.reset, 0, id, payload);
  }
  function allow(id: number, bytes: number): void {
    const payload = Buffer.allocUnsafe(4);
    payload.writeUInt32BE(bytes, 0);
    write(frameType.windowUpdate, 0, id, payload);
  }
  function use(stream: Open, bytes: number): void {
    stream.used += bytes;
    if (stream.used < streamWindowBytes / 2 || !streams.has(stream.id)) return;
    stream.room += stream.used;
    allow(stream.id, stream.used);
    stream.used = 0;
  }

  function ended(stream: Open): void {
    // A server may answer before it has read all, one that refuses a message for its size for one.
    if (!queue.isDone(stream.id)) reset(stream.id, cancelled);
    forget(stream);
    stream.events.end(undefined);
  }
  function takeData(flags: number, id: number, payload: Buffer): void {
    used += payload.length;
    if (used > connectionWindowBytes) throw new Error("The server sent more than it was allowed");
    if (used >= connectionWindowBytes / 2) {
      allow(0, used);
      used = 0;
    }
    const stream = streams.get(id);
    // One that was cancelled: what was on its way counts for the connection only.
    if (stream === undefined) return known(id);
    stream.room -= payload.length;
    if (stream.room < 0) throw new Error("The server sent more than it was allowed");
    const chunk = unpadded(flags, payload);
    if (stream.isWhole) use(stream, payload.length);
    else if (chunk.length < payload.length) use(stream, payload.length - chunk.length);
    if (chunk.length > 0) stream.events.data(chunk);
    if ((flags & flag.endStream) !== 0 && streams.get(id) === stream) ended(stream);
  }
  function takeHeaders(flags: number, id: number, payload: Buffer): void {
    known(id);
    const block = unpadded(flags, payload);
    const ends = (flags & flag.endStream) !== 0;
    const fields = (flags & flag.priority) === 0 ? block : block.subarray(5);
    if ((flags & flag.endHeaders) !== 0) return headersOf(id, ends, fields);
    partial = { stream: id, ends, parts: [fields], bytes: fields.length };
  }
  function takeMoreHeaders(type: number, flags: number, id: number, payload: Buffer): void {
    if (partial === undefined || type !== frameType.continuation || id !== partial.stream) throw new Error("A frame came out of turn");
    partial.parts.push(payload);
    partial.bytes += payload.length;
    // Empty pieces count, too.
    if (partial.bytes > headerBytesMax || partial.parts.length > headerBytesMax / 1024) {
      throw new Error("The headers of an answer are too long");
    }
    if ((flags & flag.endHeaders) === 0) return;
    const { ends, parts } = partial;
    partial = undefined;
    headersOf(id, ends, Buffer.concat(parts));
  }
  function headersOf(id: number, ends: boolean, block: Buffer): void {
    const headers = readBlock(block);
    const stream = streams.get(id);
    if (stream === undefined) return;
    stream.events.headers(headers);
    if (ends && streams.get(id) === stream) ended(stream);
  }
  function takeSettings(flags: number, payload: Buffer): void {
    if ((flags & flag.ack) !== 0) return;
    for (let at = 0; at < payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      const which = payload.readUInt16BE(at);
      if (which === setting.initialWindowSize) queue.resize(value);
      if (which === setting.maxConcurrentStreams) streamsMax = value;
    }
    write(frameType.settings, flag.ack, 0, nothing);
    if (isOpen) return;
    isOpen = true;
    onOpen();
  }
  function takeReset(id: number, payload: Buffer): void {
    known(id);
    const stream = streams.get(id);
    if (stream === undefined) return;
    const code = payload.readUInt32BE(0);
    forget(stream);
    // A refused stream is one that the server has not looked at (RFC 9113, 8.7).
    stream.events.end({ cause: `the server closed the stream with code ${code}`, unsent: code === refusedStream });
  }
  function takeGoAway(payload: Buffer): void {
    const last = payload.readUInt32BE(0) & streamMax;
    isLeaving = true;
    const cause = `the server told us to go away with code ${payload.readUInt32BE(4)}`;
    // What is numbered higher the server has not acted on, and will not (RFC 9113, 6.8).
    const never = [...[...streams.values()].filter(({ id }) => id > last), ...waiting];
    waiting.clear();
    for (const stream of never) {
      streams.delete(stream.id);
      queue.close(stream.id);
      stream.events.end({ cause, unsent: true });
    }
    if (streams.size === 0) destroy(cause);
  }
  function takePing(flags: number, payload: Buffer): void {
    if ((flags & flag.ack) === 0) {
      if (socket.writableLength <= unreadBytesMax) write(frameType.ping, flag.ack, 0, payload);
      return;
    }
    const waiters = answered;
    answered = [];
    for (const tell of waiters) tell();
  }
  /** A server speaks of streams only that we have opened. */
  function known(id: number): void {
    if (id >= next || id % 2 === 0) throw new Error(`The server spoke of stream ${id}, which does not exist`);
  }
  function take(type: number, flags: number, id: number, payload: Buffer): void {
    if (isOver) return;
    if (!isOpen && type !== frameType.settings) throw new Error("The server does not begin with its settings");
    if (partial !== undefined || type === frameType.continuation) return takeMoreHeaders(type, flags, id, payload);
    switch (type) {
      case frameType.data:
        return takeData(flags, id, payload);
      case frameType.headers:
        return takeHeaders(flags, id, payload);
      case frameType.reset:
        return takeReset(id, payload);
      case frameType.settings:
        return takeSettings(flags, payload);
      case frameType.pushPromise:
        throw new Error("The server promised what nobody asked for");
      case frameType.ping:
        return takePing(flags, payload);
      case frameType.goAway:
        return takeGoAway(payload);
      case frameType.windowUpdate:
        if (id !== 0) known(id);
        return queue.allow(id, payload.readUInt32BE(0) & streamMax);
    }
    // What we do not know we pass over (RFC 9113, 5.5).
  }

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
  socket.write(preface());

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
      const stream: Open = { id: 0, block, isWhole, events, early: isWhole ? [whole] : [], room: streamWindowBytes, used: 0 };
      if (streams.size < streamsMax) start(stream);
      else waiting.add(stream);
      return {
        send(data) {
          if (waiting.has(stream)) stream.early.push(data);
          else queue.send(stream.id, data, false);
        },
        used: (bytes) => use(stream, bytes),
        cancel() {
          if (waiting.delete(stream) || streams.get(stream.id) !== stream) return;
          reset(stream.id, cancelled);
          forget(stream);
        },
      };
    },
    ping(tell) {
      answered.push(tell);
      write(frameType.ping, 0, 0, Buffer.alloc(8));
    },
    destroy,
  };
}

/** The first bytes of a client: what it is, its settings, and how much the connection may bring. */
function preface(): Buffer {
  const settings = [[setting.headerTableSize, 0], [setting.enablePush, 0], [setting.initialWindowSize, streamWindowBytes]] as const;
  const bytes = Buffer.alloc(9 + settings.length * 6 + 13);
  bytes[2] = settings.length * 6;
  bytes[3] = frameType.settings;
  let at = 9;
  for (const [which, value] of settings) {
    bytes.writeUInt16BE(which, at);
    bytes.writeUInt32BE(value, at + 2);
    at += 6;
  }
  bytes[at + 2] = 4;
  bytes[at + 3] = frameType.windowUpdate;
  bytes.writeUInt32BE(connectionWindowBytes - firstWindowBytes, at + 9);
  return Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), bytes]);
}

function unpadded(flags: number, payload: Buffer): Buffer {
  if ((flags & flag.padded) === 0) return payload;
  const padding = payload.readUInt8(0);
  if (padding >= payload.length) throw new Error("A frame has more padding than bytes");
  return payload.subarray(1, payload.length - padding);
}
