import { Worker as NodeWorker } from "node:worker_threads";
import { type Call, openEngine, type Run } from "./sqlite-engine.ts";
import type { FromThread, ToThread } from "./sqlite-thread.ts";
import { pack, unpack } from "./thread-message.ts";

/** Where an engine runs. One run at a time; a rejected one has changed nothing, or the thread with the engine has died. */
export interface Runner {
  run(calls: readonly Call[]): Promise<Run>;
  close(): Promise<void>;
}

/** An engine in this thread: for memory, which does not block for long. */
export function runHere(path: string): Promise<Runner> {
  const engine = openEngine(path);
  return Promise.resolve({ run: async (calls) => engine.run(calls), close: async () => engine.close() });
}

/** An engine in a thread of its own. Rejects when the file cannot be opened. */
export async function runInThread(path: string): Promise<Runner> {
  let waiting: PromiseWithResolvers<FromThread> | undefined;
  let dead: Error | undefined;
  const thread = startThread((message) => {
    if (message.tag === "failed") waiting?.reject(new Error(message.message));
    else waiting?.resolve(message);
  }, (error) => {
    dead ??= error;
    waiting?.reject(dead);
  });

  async function ask(message: ToThread): Promise<FromThread> {
    if (dead !== undefined) throw dead;
    waiting = Promise.withResolvers();
    thread.post(message);
    return await waiting.promise;
  }
  async function ran(message: ToThread): Promise<Run> {
    const reply = await ask(message);
    if (reply.tag !== "ran") throw new Error(`The thread of the store answered "${reply.tag}" to "${message.tag}"`);
    return unpack<Run>(reply.run);
  }
  async function close(): Promise<void> {
    try {
      await ask({ tag: "close" });
    } finally {
      await thread.end();
    }
  }

  try {
    await ran({ tag: "open", path });
  } catch (error) {
    await thread.end();
    throw error;
  }
  return { run: (calls) => ran({ tag: "run", calls: pack(calls) }), close };
}

interface Thread {
  post(message: ToThread): void;
  end(): Promise<void>;
}

/** On Deno a web worker, which has no need of what node's brings along: six MiB, and a look at every byte that is posted. */
function startThread(told: (message: FromThread) => void, died: (error: Error) => void): Thread {
  if ("Deno" in globalThis) {
    const worker = new Worker(new URL("./sqlite-thread-web.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<FromThread>) => told(data);
    worker.onerror = (event) => {
      event.preventDefault(); // else it would be an error of this thread, too
      died(new Error(event.message));
    };
    return { post: (message) => worker.postMessage(message), end: async () => worker.terminate() };
  }
  const worker = new NodeWorker(new URL("./sqlite-thread-node.ts", import.meta.url));
  worker.on("message", told);
  worker.on("error", (error) => died(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => died(new Error("The thread of the store has ended")));
  return { post: (message) => worker.postMessage(message), end: async () => void await worker.terminate() };
}
