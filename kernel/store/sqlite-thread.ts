/**
 * The thread in which the file of a sqlite store is read and written, because node:sqlite blocks, fsync included. It is told which
 * file to open, says that it has, and then answers runs one by one until it is told to close.
 */
import { reasonOf } from "../../core/reason-of.ts";
import { type Call, type Engine, openEngine, type Run } from "./sqlite-engine.ts";
import { pack, type Packed, unpack } from "./thread-message.ts";

export type ToThread =
  | { readonly tag: "open"; readonly path: string }
  | { readonly tag: "run"; readonly calls: Packed<readonly Call[]> }
  | { readonly tag: "close" };
export type FromThread =
  | { readonly tag: "ran"; readonly run: Packed<Run> }
  | { readonly tag: "closed" }
  | { readonly tag: "failed"; readonly message: string };

/** Answers messages, one after the other. */
export function sqliteThread(post: (message: FromThread) => void): (message: ToThread) => void {
  let engine: Engine | undefined;
  const answer = (message: ToThread): FromThread => {
    if (message.tag === "open") {
      engine = openEngine(message.path);
      return { tag: "ran", run: pack(engine.run([])) };
    }
    if (engine === undefined) throw new Error("The store is not open");
    if (message.tag === "run") return { tag: "ran", run: pack(engine.run(unpack<readonly Call[]>(message.calls))) };
    engine.close();
    return { tag: "closed" };
  };
  return (message) => {
    try {
      post(answer(message));
    } catch (error) {
      post({ tag: "failed", message: reasonOf(error) });
    }
  };
}
