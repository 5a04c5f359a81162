/** The server side of HTTP/2 (RFC 9113) over a TLS socket. Reasons for an own implementation: docs/decisions/0023-http2-of-the-listener.md. */
import type { Socket } from "node:net";
import { FlowWindow } from "../../../protocols/http2/flow-window.ts";
import { FrameWriter, type Slabs } from "../../../protocols/http2/frame-writer.ts";
import {
  ConnectionError,
  errorCode,
  flag,
  frameBytesMax,
  type FrameReader,
  frameType,
  streamIdMax,
  uint32Bytes,
  unpad,
} from "../../../protocols/http2/frames.ts";
import { HeaderDecoder } from "../../../protocols/http2/header-decoder.ts";
import { type Block, headerFrames } from "../../../protocols/http2/header-frames.ts";
import { SendQueue } from "../../../protocols/http2/send-queue.ts";
import { firstTableBytes, firstWindowBytes, setting, settingsPayload } from "../../../protocols/http2/settings.ts";
import type { ConnectionInput } from "../input.ts";
import type { StepScheduler } from "../step-scheduler.ts";
import { FrameTurns } from "./frame-turns.ts";
import { areTrailers, isValidField, requestHead } from "./request-head.ts";
import { settingsOf } from "./peer-settings.ts";
import { http2StreamWindowBytes, ServerStream, type StreamSession } from "./stream.ts";
import { http2ConnectionWindowBytes, http2GoAwayMs, http2HeaderFramesMax, http2HeaderTableBytes, http2UnreadBytesMax } from "./bounds.ts";
import { headerBytesMax } from "../../../kernel/access/authentication/token-chain.ts";
import { headersMax } from "../../../protocols/http2/client/hpack.ts";
import { earlyResetsMax, lingerMs, stalledMs } from "../bounds.ts";

export interface SessionOptions {
  readonly socket: Socket;
  readonly input: Pick<ConnectionInput, "hold" | "release" | "stop" | "piece">;
  readonly turns: StepScheduler;
  readonly slabs: Slabs;
  /** Maximum open requests. */
  readonly streamsMax: number;
  /** Called for each request. */
  readonly onRequest: (stream: ServerStream) => void;
  /** Answers a request whose head exceeds its bounds; the stream has an empty head. */
  readonly onTooLargeHead: (stream: ServerStream) => void;
  /** Called with what ends the connection and is no mistake of the client. */
  readonly report: (error: unknown) => void;
}

const nothing = Buffer.alloc(0);
/** A dynamic table size update to 0 bytes (RFC 7541, section 6.3): responses are encoded without the table. */
const noTable = "\x20";
/** Content of the PING frame between the two GOAWAY frames. */
const goAwayPing = Buffer.from("goawayed");

/**
 * One connection.
 *
 *   settings ──> open ──> closing ──> leaving ──> over     From any state to over. A session begins with the SETTINGS of its client.
 *
 * `closing`: GOAWAY without a bound was sent, requests on their way are still accepted. `leaving`: the client has answered the PING after
 * it, so GOAWAY with the last accepted stream was sent; the connection ends with the requests in progress.
 */
export class ServerSession implements StreamSession {
  readonly #options: SessionOptions;
  readonly #writer: FrameWriter;
  readonly #queue: SendQueue;
  readonly #frames: FrameTurns;
  readonly #decoder = new HeaderDecoder({
    tableBytesMax: http2HeaderTableBytes,
    listBytesMax: headerBytesMax,
    fieldsMax: headersMax,
    check: isValidField,
  });
  readonly #takeHeaders = headerFrames(
    { bytesMax: headerBytesMax, framesMax: http2HeaderFramesMax },
    (block) => this.#takeBlock(block),
  );
  readonly #streams = new Map<number, ServerStream>();
  /** Streams that are answered, and whose clients may still send: the timers of their ends. */
  readonly #lingering = new Map<number, ReturnType<typeof setTimeout>>();
  /** Streams that the server has reset, newest last: their frames in flight are ignored. */
  readonly #reset = new Set<number>();
  readonly #window = new FlowWindow(http2ConnectionWindowBytes, (bytes) => this.increase(0, bytes));
  /** The update of the client's header table, which the head after a smaller size begins with. One is enough: it leaves 0 bytes. */
  #tableUpdate: "none" | "due" | "sent" = "none";
  #phase: "settings" | "open" | "closing" | "leaving" | "over" = "settings";
  #last = 0;
  /** Streams that ended early because of the client, and needless answers, minus answered requests. */
  #mistakes = 0;
  #isLeft = false;
  #goAwayTimer: ReturnType<typeof setTimeout> | undefined;
  #endTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { socket, slabs, streamsMax } = options;
    this.#writer = new FrameWriter(socket, slabs, () => this.#resume());
    this.#queue = new SendQueue(this.#writer);
    this.#frames = new FrameTurns({
      input: options.input,
      turns: options.turns,
      isBehind: () => this.#isBehind,
      take: (frame) => this.#take(frame),
      failed: (error) => this.#fail(error),
    });
    socket.on("data", (chunk: Buffer) => this.#frames.add(chunk));
    socket.on("error", () => this.#end());
    socket.on("end", () => this.destroy());
    socket.on("close", () => {
      clearTimeout(this.#endTimer);
      this.#end();
      this.#writer.drop();
    });
    const settings = settingsPayload([
      [setting.headerTableSize, http2HeaderTableBytes],
      [setting.maxConcurrentStreams, streamsMax],
      [setting.initialWindowSize, http2StreamWindowBytes],
      [setting.maxHeaderListSize, headerBytesMax],
    ]);
    this.#writer.frame(frameType.settings, 0, 0, settings);
    this.increase(0, http2ConnectionWindowBytes - firstWindowBytes);
  }
  /** Whether GOAWAY was sent. */
  get closed(): boolean {
    return this.#phase === "closing" || this.#phase === "leaving" || this.#phase === "over";
  }
  get destroyed(): boolean {
    return this.#phase === "over";
  }
  /** Since when the socket has taken nothing (performance.now()); undefined if it took everything. */
  get writingSince(): number | undefined {
    return this.#writer.writingSince;
  }
  /** Bytes that the socket has not taken. */
  get unreadBytes(): number {
    return this.#writer.unreadBytes;
  }
  /** Sends GOAWAY. The connection ends with the requests in progress and those on their way. */
  close(): void {
    if (this.closed) return;
    if (this.#phase !== "open") return this.#leave();
    this.#phase = "closing";
    this.#goAway(streamIdMax, errorCode.none);
    this.#writer.frame(frameType.ping, 0, 0, goAwayPing);
    this.#goAwayTimer = setTimeout(() => this.#leave(), http2GoAwayMs);
  }
  destroy(): void {
    this.#end();
    this.#writer.drop();
    this.#options.socket.destroy();
  }

  head(stream: ServerStream, block: string, ends: boolean): void {
    if (this.#tableUpdate === "due") {
      this.#tableUpdate = "sent";
      block = noTable + block;
    }
    const last = ends ? flag.endStream : 0;
    if (block.length <= frameBytesMax) return this.#writer.text(frameType.headers, last | flag.endHeaders, stream.id, block);
    this.#writer.text(frameType.headers, last, stream.id, block.slice(0, frameBytesMax));
    for (let at = frameBytesMax; at < block.length; at += frameBytesMax) {
      const isEnd = at + frameBytesMax >= block.length;
      this.#writer.text(frameType.continuation, isEnd ? flag.endHeaders : 0, stream.id, block.slice(at, at + frameBytesMax));
    }
  }
  send(stream: ServerStream, data: Uint8Array, ends: boolean): void {
    this.#queue.send(stream.sending, data, ends);
  }
  reset(stream: ServerStream, code: number): void {
    this.#writeReset(stream.id, code);
    stream.over();
  }
  increase(id: number, bytes: number): void {
    if (this.#phase !== "over") this.#writer.frame(frameType.windowUpdate, 0, id, uint32Bytes(bytes));
  }
  used(bytes: number): void {
    this.#window.use(bytes);
  }

  forget(stream: ServerStream, isDone: boolean): void {
    this.#queue.close(stream.sending);
    if (isDone) this.#mistakes = Math.max(0, this.#mistakes - 1);
    if (isDone && !stream.isWhole) this.#linger(stream);
    else this.#remove(stream);
  }

  /**
   * Whether the client reads too little for further frames, each of which may have an answer: too many bytes wait for the socket, or an answered
   * request waits that still counts as an open one.
   */
  get #isBehind(): boolean {
    const { unreadBytes, unreadEnds } = this.#writer;
    return unreadBytes > http2UnreadBytesMax || unreadEnds > 0 && unreadEnds + this.#streams.size >= this.#options.streamsMax;
  }
  /** The socket has taken a write. */
  #resume(): void {
    this.#queue.resume();
    this.#frames.resume();
  }
  #take(frame: FrameReader): void {
    const { type, flags, stream: id } = frame, payload = type === frameType.windowUpdate ? nothing : frame.payload;
    if (this.#phase === "settings" && (type !== frameType.settings || (flags & flag.ack) !== 0)) {
      throw new ConnectionError(errorCode.protocol, "The client's first frame is not SETTINGS");
    }
    if (type === frameType.headers && id % 2 === 0) throw new ConnectionError(errorCode.protocol, "The identifier of a stream is even");
    if (this.#takeHeaders(type, flags, id, payload)) return;
    switch (type) {
      case frameType.data:
        return this.#takeData(flags, id, payload);
      case frameType.priority:
        return this.#takePriority(id, payload);
      case frameType.reset:
        return this.#takeReset(id, payload);
      case frameType.settings:
        return this.#takeSettings(flags, id, payload);
      case frameType.pushPromise:
        throw new ConnectionError(errorCode.protocol, "The client sent a PUSH_PROMISE");
      case frameType.ping:
        return this.#takePing(flags, id, payload);
      case frameType.goAway:
        return this.#takeGoAway(id, payload);
      case frameType.windowUpdate:
        return this.#takeWindowUpdate(id, frame);
    }
    // Unknown frame types are ignored (RFC 9113, section 5.5).
  }
  #takeBlock({ stream: id, ends, bytes, dependency }: Block): void {
    // Blocks are decoded in any case, because they change the table.
    const fields = this.#decoder.decode(bytes);
    const known = this.#streams.get(id);
    if (known !== undefined) {
      if (known.body.isWhole) return this.#refuse(id, errorCode.streamClosed);
      if (!ends || fields === undefined || !areTrailers(fields)) return this.#refuse(id, errorCode.protocol);
      return this.#received(known);
    }
    if (id <= this.#last) {
      if (this.#reset.has(id)) return;
      throw new ConnectionError(errorCode.streamClosed, "The client used a closed stream again");
    }
    if (this.#isAboveGoAway(id)) return;
    this.#last = id;
    if (dependency === id) return this.#refuse(id, errorCode.protocol);
    if (this.#streams.size >= this.#options.streamsMax) return this.#refuse(id, errorCode.refusedStream);
    const head = fields === undefined ? tooLargeHead : requestHead(fields, ends);
    if (head === undefined) return this.#refuse(id, errorCode.protocol);
    const stream = new ServerStream(id, head, this.#queue.open(id), this);
    this.#streams.set(id, stream);
    if (ends) stream.body.end();
    if (head === tooLargeHead) this.#options.onTooLargeHead(stream);
    else this.#options.onRequest(stream);
  }
  #takeData(flags: number, id: number, payload: Buffer): void {
    this.#window.fill(payload.length);
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.body.isWhole) {
      this.#window.use(payload.length);
      if (this.#isAboveGoAway(id)) return;
      this.#mustExist(id);
      if (stream !== undefined || !this.#reset.has(id)) this.#refuse(id, errorCode.streamClosed);
      return;
    }
    stream.window.fill(payload.length);
    const piece = unpad(flags, payload);
    this.#options.input.piece(payload.length, stream.body.received + piece.length);
    if (!stream.body.add(piece, payload.length)) return this.#refuse(id, errorCode.protocol);
    if ((flags & flag.endStream) !== 0) this.#received(stream);
  }
  /** The client has sent the whole request. */
  #received(stream: ServerStream): void {
    if (!stream.body.end()) this.#refuse(stream.id, errorCode.protocol);
    else if (stream.isOver) this.#remove(stream);
  }
  /** Priorities are ignored (RFC 9113, section 5.3.2). */
  #takePriority(id: number, payload: Buffer): void {
    hasBytes(payload, 5);
    if (id === 0) throw new ConnectionError(errorCode.protocol, "PRIORITY without a stream");
    if ((payload.readUInt32BE(0) & streamIdMax) !== id) return;
    if (!this.#streams.has(id)) throw new ConnectionError(errorCode.protocol, "A stream depends on itself");
    this.#refuse(id, errorCode.protocol);
  }
  #takeReset(id: number, payload: Buffer): void {
    hasBytes(payload, 4);
    if (this.#isAboveGoAway(id)) return;
    this.#mustExist(id);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const isEarly = !stream.isHeadSent;
    this.#stop(stream);
    if (isEarly) this.#countMistake();
  }
  #takeSettings(flags: number, id: number, payload: Buffer): void {
    ofConnection(id);
    if ((flags & flag.ack) !== 0) return hasBytes(payload, 0);
    const { initialWindowSize, headerTableSize } = settingsOf(payload);
    if (this.#tableUpdate === "none" && headerTableSize < firstTableBytes) this.#tableUpdate = "due";
    // First: until the acknowledgement arrives, a client may count with its previous window, and data above it is an error.
    this.#writer.frame(frameType.settings, flag.ack, 0, nothing);
    if (initialWindowSize !== undefined) this.#queue.resize(initialWindowSize);
    if (this.#phase === "settings") this.#phase = "open";
  }
  #takePing(flags: number, id: number, payload: Buffer): void {
    ofConnection(id);
    hasBytes(payload, 8);
    if ((flags & flag.ack) === 0) return this.#writer.frame(frameType.ping, flag.ack, 0, payload);
    if (this.#phase === "closing" && payload.equals(goAwayPing)) this.#leave();
    // An answer to no PING is no error, thousands of them are.
    else this.#countMistake();
  }
  #takeGoAway(id: number, payload: Buffer): void {
    ofConnection(id);
    if (payload.length < 8) hasBytes(payload, 8);
    this.#isLeft = true;
    this.#finishIfLast();
  }
  #takeWindowUpdate(id: number, frame: FrameReader): void {
    hasBytes(frame, 4);
    const bytes = frame.uint32 & streamIdMax;
    if (id === 0) {
      if (bytes === 0) throw new ConnectionError(errorCode.protocol, "WINDOW_UPDATE of 0 bytes");
      return this.#queue.allow(bytes);
    }
    if (this.#isAboveGoAway(id)) return;
    this.#mustExist(id);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (bytes === 0) return this.#refuse(id, errorCode.protocol);
    if (!this.#queue.allowStream(stream.sending, bytes)) this.#refuse(id, errorCode.flowControl);
  }
  /** Whether the stream is above the identifier in GOAWAY: its frames are ignored, and the client sends the request again over another connection. */
  #isAboveGoAway(id: number): boolean {
    return this.#phase === "leaving" && id > this.#last && id % 2 === 1;
  }
  /** Throws if the client has not opened the stream yet. */
  #mustExist(id: number): void {
    if (id === 0 || id % 2 === 0 || id > this.#last) {
      throw new ConnectionError(errorCode.protocol, "A frame of a stream that does not exist");
    }
  }

  /** Resets a stream because of a mistake of the client. Such resets are counted as those of the client are. */
  #refuse(id: number, code: number): void {
    this.#writeReset(id, code);
    const stream = this.#streams.get(id);
    if (stream !== undefined) this.#stop(stream);
    this.#countMistake();
  }
  #countMistake(): void {
    if (++this.#mistakes > earlyResetsMax) {
      throw new ConnectionError(errorCode.enhanceYourCalm, "Too many streams were reset, or PING frames answered that were not sent");
    }
  }
  #writeReset(id: number, code: number): void {
    this.#writer.frame(frameType.reset, 0, id, uint32Bytes(code));
    this.#reset.add(id);
    if (this.#reset.size <= earlyResetsMax) return;
    const [oldest] = this.#reset;
    this.#reset.delete(oldest!);
  }
  /** Makes a client stop sending a body after the answer (RFC 9113, section 8.1). Not at once: some clients, such as curl 7.88, drop an answer
   *  that arrives together with the reset. */
  #linger(stream: ServerStream): void {
    const end = (): void => {
      this.#writeReset(stream.id, errorCode.none);
      this.#remove(stream);
    };
    this.#lingering.set(stream.id, setTimeout(end, lingerMs));
  }
  #remove(stream: ServerStream): void {
    clearTimeout(this.#lingering.get(stream.id));
    this.#lingering.delete(stream.id);
    this.#streams.delete(stream.id);
    this.#window.use(stream.body.break());
    this.#finishIfLast();
  }
  /** Ends a stream because of the client. */
  #stop(stream: ServerStream): void {
    if (stream.isOver) this.#remove(stream);
    else stream.over();
  }
  #goAway(last: number, code: number): void {
    this.#writer.frame(frameType.goAway, 0, 0, Buffer.concat([uint32Bytes(last), uint32Bytes(code)]));
  }
  #leave(): void {
    if (this.#phase === "leaving" || this.#phase === "over") return;
    clearTimeout(this.#goAwayTimer);
    this.#phase = "leaving";
    this.#goAway(this.#last, errorCode.none);
    this.#finishIfLast();
  }
  #finishIfLast(): void {
    if (this.#streams.size > 0 || (!this.#isLeft && this.#phase !== "leaving") || this.#phase === "over") return;
    this.#end();
    this.#endSocket(stalledMs);
  }
  #fail(error: unknown): void {
    if (this.#phase === "over") return;
    const isClients = error instanceof ConnectionError;
    if (!isClients) this.#options.report(error);
    this.#goAway(this.#last, isClients ? error.code : errorCode.internal);
    this.#end();
    this.#options.input.stop();
    this.#endSocket(http2GoAwayMs);
  }
  /** Ends the socket after everything that was written, or after so many milliseconds: the client may not read it. */
  #endSocket(withinMs: number): void {
    this.#writer.end();
    this.#endTimer = setTimeout(() => this.destroy(), withinMs);
  }
  /** The streams end; no further frame is read. */
  #end(): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.#frames.end();
    clearTimeout(this.#goAwayTimer);
    for (const stream of [...this.#streams.values()]) this.#stop(stream);
  }
}

/** The head of a request whose head is not known. */
const tooLargeHead = Object.freeze({ method: "", url: "", headers: Object.freeze(Object.create(null)), length: undefined });

function hasBytes({ length }: { readonly length: number }, bytes: number): void {
  if (length !== bytes) throw new ConnectionError(errorCode.frameSize, `A frame has ${length} bytes in place of ${bytes}`);
}
function ofConnection(id: number): void {
  if (id !== 0) throw new ConnectionError(errorCode.protocol, "A frame of the connection names a stream");
}
