import { FlowWindow } from "../../../protocols/http2/flow-window.ts";
import { errorCode } from "../../../protocols/http2/frames.ts";
import type { Sending } from "../../../protocols/http2/send-queue.ts";
import type { Answering } from "../answering.ts";
import { RequestBody } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";
import { bound } from "../../../core/bound.ts";

/** Receive window of one HTTP/2 request in bytes, as kube-apiserver has it. It bounds what a client sends before its request is read. */
export const http2StreamWindowBytes = bound(256 * 1024);

/** What a stream needs of its session. */
export interface StreamSession {
  /** Writes the head of the response. */
  head(stream: ServerStream, block: string, ends: boolean): void;
  send(stream: ServerStream, data: Uint8Array, ends: boolean): void;
  /** Ends a stream with RST_STREAM. */
  reset(stream: ServerStream, code: number): void;
  /** Lets the client send more bytes: of the stream, and of the connection. */
  increase(id: number, bytes: number): void;
  used(bytes: number): void;
  /** Removes a stream that is done or broken. */
  forget(stream: ServerStream, isDone: boolean): void;
}

/**
 * A request and its response.
 *
 *   open ──> headSent ──> done      The head, then the last byte was passed to the connection.
 *     └─────────┴───────> broken    Either side reset the stream, or the connection was lost.
 */
export class ServerStream implements Answering {
  readonly id: number;
  readonly head: RequestHead;
  readonly body: RequestBody;
  readonly window: FlowWindow;
  readonly sending: Sending;
  /** Since when its client has read nothing (performance.now()); undefined while nothing waits to be read. */
  waitsSince: number | undefined;
  /** Called once when the stream is done or broken. */
  onOver: (isDone: boolean) => void = () => {};
  readonly session: StreamSession;
  #state: "open" | "headSent" | "done" | "broken" = "open";
  #onEmpty: (() => void) | undefined;

  constructor(id: number, head: RequestHead, sending: Sending, session: StreamSession) {
    this.id = id;
    this.head = head;
    this.sending = sending;
    this.session = session;
    this.window = new FlowWindow(http2StreamWindowBytes, (bytes) => {
      if (!this.body.isWhole) session.increase(id, bytes);
    });
    this.body = new RequestBody(head.length, (bytes) => {
      this.window.use(bytes);
      session.used(bytes);
    });
    sending.onWritten = () => this.#written();
  }
  get isOver(): boolean {
    return this.#state === "done" || this.#state === "broken";
  }
  get isHeadSent(): boolean {
    return this.#state !== "open";
  }
  /** Whether nothing of the response waits to be written. */
  get isEmpty(): boolean {
    return this.sending.parts.length === 0;
  }
  /** Whether the request was received to its end. */
  get isWhole(): boolean {
    return this.body.isWhole;
  }
  /** Sends an informational response before the response. */
  inform(block: string): void {
    if (!this.isOver) this.session.head(this, block, false);
  }
  respond(block: string, ends: boolean): void {
    if (this.isOver) return;
    this.#state = "headSent";
    this.session.head(this, block, ends);
    if (ends) this.over(true);
  }
  /** Sends a part of the body. */
  send(data: Uint8Array, ends: boolean): void {
    if (this.isOver) return;
    this.session.send(this, data, ends);
    if (!this.isOver && !this.isEmpty) this.waitsSince ??= performance.now();
  }
  /** Ends the response with trailers, once all data is passed to the connection. */
  trail(block: string): void {
    const end = (): void => {
      if (this.isOver) return;
      this.session.head(this, block, true);
      this.over(true);
    };
    if (this.isEmpty) end();
    else this.whenEmpty(end);
  }
  /** Calls `run` once all data is passed to the connection. */
  whenEmpty(run: () => void): void {
    this.#onEmpty = run;
  }
  /** Resets the stream, so that the client detects the failure. */
  breakOff(): void {
    if (!this.isOver) this.session.reset(this, errorCode.internal);
  }
  /** Marks the stream as finished; may be called repeatedly. */
  over(isDone = false): void {
    if (this.isOver) return;
    this.#state = isDone ? "done" : "broken";
    this.session.forget(this, isDone);
    this.onOver(isDone);
  }

  #written(): void {
    this.waitsSince = this.isEmpty ? undefined : performance.now();
    if (this.sending.isDone) return this.over(true);
    if (!this.isEmpty) return;
    const run = this.#onEmpty;
    this.#onEmpty = undefined;
    run?.();
  }
}
