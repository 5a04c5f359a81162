import { Worker } from "node:worker_threads";
import { type Call, openEngine, type Run } from "./sqlite-engine.ts";
import { pack, type Packed, unpack } from "./thread-message.ts";

export type ToWorker = { readonly tag: "run"; readonly calls: Packed<readonly Call[]> } | { readonly tag: "close" };
export type FromWorker =
  | { readonly tag: "ran"; readonly run: Packed<Run> }
  | { readonly tag: "closed" }
  | { readonly tag: "failed"; readonly message: string };

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
export async function runInWorker(path: string): Promise<Runner> {
  const worker = new Worker(new URL("./sqlite-worker.ts", import.meta.url), { workerData: path });
  let waiting: PromiseWithResolvers<FromWorker> | undefined;
  let dead: Error | undefined;

  const die = (error: Error): void => {
    dead ??= error;
    waiting?.reject(dead);
  };
  worker.on("message", (message: FromWorker) => {
    if (message.tag === "failed") waiting?.reject(new Error(message.message));
    else waiting?.resolve(message);
  });
  worker.on("error", (error) => die(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => die(new Error("The thread of the store has ended")));

  function next(): Promise<FromWorker> {
    waiting = Promise.withResolvers();
    if (dead !== undefined) waiting.reject(dead);
    return waiting.promise;
  }
  async function run(calls: readonly Call[]): Promise<Run> {
    const reply = next();
    worker.postMessage({ tag: "run", calls: pack(calls) } satisfies ToWorker);
    const message = await reply;
    if (message.tag !== "ran") throw new Error(`The thread of the store answered "${message.tag}" to a run`);
    return unpack<Run>(message.run);
  }
  async function close(): Promise<void> {
    try {
      const reply = next();
      worker.postMessage({ tag: "close" } satisfies ToWorker);
      await reply;
    } finally {
      await worker.terminate();
    }
  }

  try {
    await next();
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return { run, close };
}
