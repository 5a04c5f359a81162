/**
 * The thread that reads and writes the file of a sqlite store: node:sqlite blocks, fsync included. It receives the path to open,
 * confirms, and then answers runs one by one until it is closed. While idle it waits on its lane; larger messages are posted.
 */
import { reasonOf } from "../../../core/reason-of.ts";
import { readCalls, writeRun } from "./commit-words.ts";
import type { Call, Engine, Run } from "./calls.ts";
import { openEngine } from "./engine.ts";
import { openReserve } from "./reserve.ts";
import { type Lane, laneIn } from "./thread-lane.ts";
import { pack, type Packed, unpack } from "./thread-message.ts";

export type ToThread =
  /** The first message: the path of the database, and the memory of the lanes to and from the thread. */
  | {
    readonly tag: "open";
    readonly path: string;
    /** Path of the file that reserves disk space. */
    readonly reserve: string;
    readonly questions: SharedArrayBuffer;
    readonly answers: SharedArrayBuffer;
  }
  | { readonly tag: "run"; readonly calls: Packed<readonly Call[]> }
  | { readonly tag: "close" };
export type FromThread =
  | { readonly tag: "ran"; readonly run: Packed<Run> }
  | { readonly tag: "closed" }
  | { readonly tag: "failed"; readonly message: string };

interface Open {
  readonly engine: Engine;
  readonly questions: Lane;
  readonly answers: Lane;
}

/** Handles posted messages and then those in the lane, until a posted one is announced. */
export function sqliteThread(post: (message: FromThread) => void): (message: ToThread) => void {
  let open: Open | undefined;

  function answer(message: ToThread): FromThread {
    if (message.tag === "open") {
      const engine = openEngine(message.path, { reserve: () => openReserve(message.reserve) });
      open = { engine, questions: laneIn(message.questions), answers: laneIn(message.answers) };
      return { tag: "ran", run: pack(engine.run([])) };
    }
    if (open === undefined) throw new Error("The store is not open");
    if (message.tag === "run") return { tag: "ran", run: pack(open.engine.run(unpack<readonly Call[]>(message.calls))) };
    open.engine.close();
    open = undefined;
    return { tag: "closed" };
  }
  /** Returns whether the answer is in the lane; otherwise it was posted. */
  function answerHere({ engine, questions, answers }: Open): boolean {
    try {
      const run = engine.run(readCalls(questions));
      if (writeRun(run, answers)) return true;
      post({ tag: "ran", run: pack(run) });
    } catch (error) {
      post({ tag: "failed", message: reasonOf(error) });
    }
    return false;
  }

  return (message) => {
    const answers = message.tag === "open" ? laneIn(message.answers) : open?.answers;
    try {
      post(answer(message));
    } catch (error) {
      post({ tag: "failed", message: reasonOf(error) });
    }
    answers?.send(false);
    while (open?.questions.wait() === true) open.answers.send(answerHere(open));
  };
}
