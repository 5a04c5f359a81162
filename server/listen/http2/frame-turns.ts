/** Reads the frames of one HTTP/2 connection: a bounded number in each turn of the event loop, and none while the client reads too little. */
import { FrameReader, frameType } from "../../../protocols/http2/frames.ts";
import { preface } from "../../../protocols/http2/settings.ts";
import { framesPerTurnMax, requestsPerTurnMax } from "../bounds.ts";
import type { ConnectionInput } from "../input.ts";
import type { StepScheduler } from "../step-scheduler.ts";
import { frameBytesPerTurnFrame, headBytesPerTurnRequest, http2ConnectionWindowBytes } from "./bounds.ts";

export interface FrameTurnsOptions {
  readonly input: Pick<ConnectionInput, "hold" | "release" | "stop">;
  readonly turns: StepScheduler;
  /** Whether the client reads too little for further frames. */
  readonly isBehind: () => boolean;
  /** Takes the frame that the reader is at. */
  readonly take: (frame: FrameReader) => void;
  /** Called for an error of reading or taking a frame. */
  readonly failed: (error: unknown) => void;
}

const expectedPreface = Buffer.from(preface);

export class FrameTurns {
  readonly #options: FrameTurnsOptions;
  readonly #reader = new FrameReader();
  /**
   * `stepping`: more frames are read in later turns. `waiting`: none is read until the socket takes more of what was written. The input is held
   * in both.
   */
  #input: "open" | "stepping" | "waiting" = "open";
  #hasPreface = false;
  #isOver = false;
  /** Bytes that were received after the end. */
  #discarded = 0;
  /** The turn of the event loop that has read last, and the frames that it may still read. */
  #turn = -1;
  #left = 0;

  constructor(options: FrameTurnsOptions) {
    this.#options = options;
  }

  add(chunk: Buffer): void {
    if (this.#isOver) return this.#discard(chunk.length);
    this.#reader.add(chunk);
    if (this.#input !== "open" || !this.#step()) return;
    this.#options.input.hold();
    this.#readLater();
  }
  /** The socket has taken a write. */
  resume(): void {
    if (this.#input === "waiting" && !this.#options.isBehind()) this.#readLater();
  }
  /** No further frame is read. */
  end(): void {
    this.#isOver = true;
    if (this.#input === "waiting") this.#open();
  }

  /** Reads a bounded number of frames on each turn of the event loop: a packet can hold thousands. */
  #readLater(): void {
    this.#input = "stepping";
    this.#options.turns.add(() => {
      if (!this.#step()) this.#open();
      else if (this.#options.isBehind()) this.#input = "waiting";
      return this.#input === "stepping";
    });
  }
  #open(): void {
    this.#input = "open";
    this.#options.input.release();
  }
  /** What arrives after the end is dropped: closing the socket before would lose answers. */
  #discard(bytes: number): void {
    this.#discarded += bytes;
    if (this.#discarded > http2ConnectionWindowBytes) this.#options.input.stop();
  }
  /** Returns whether more frames may wait. One turn can bring many chunks of data, which share its frames. */
  #step(): boolean {
    const { turns, isBehind, take, failed } = this.#options, turn = turns.current;
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#left = framesPerTurnMax;
    }
    try {
      for (; this.#left > 0; this.#left -= costOf(this.#reader)) {
        if (this.#isOver) return false;
        if (!this.#hasPreface && !(this.#hasPreface = this.#reader.skip(expectedPreface))) return false;
        if (isBehind()) return true;
        if (!this.#reader.next()) return false;
        take(this.#reader);
      }
      return true;
    } catch (error) {
      failed(error);
      return false;
    }
  }
}

/** The cost of a request in frames. */
const requestCost = framesPerTurnMax / requestsPerTurnMax;

/**
 * The cost of the last frame in frames. A request takes longer than other frames, and one with a large head even longer. Bodies have turns of
 * their own.
 */
function costOf({ type, length }: FrameReader): number {
  if (type === frameType.data) return 1;
  if (type !== frameType.headers && type !== frameType.continuation) return 1 + Math.floor(length / frameBytesPerTurnFrame);
  const ofBytes = requestCost * Math.floor(length / headBytesPerTurnRequest);
  return (type === frameType.headers ? requestCost : 1) + ofBytes;
}
