import { setImmediate } from "node:timers";
import { Worker as NodeWorker } from "node:worker_threads";
import { siblingModule } from "../../../core/sibling-module.ts";
import type { Call, Run } from "./calls.ts";
import { type EngineOptions, openEngine } from "./engine.ts";
import type { FromThread, ToThread } from "./thread.ts";
import { readRun, writeCalls } from "./commit-words.ts";
import { laneIn, laneMemory } from "./thread-lane.ts";
import { pack, unpack } from "./thread-message.ts";

/** Where an engine runs. One run at a time; a rejected one has changed nothing, or the thread with the engine has died. */
export interface Runner {
  run(calls: readonly Call[]): Promise<Run>;
  close(): Promise<void>;
}

/** An engine in this thread: for memory, which does not block for long. */
export async function runHere(path: string, options: EngineOptions = {}): Promise<Runner> {
  const engine = openEngine(path, options);
  return {
    async run(calls) {
      // Whoever comes in the same turn shares the next run, and its events: without that Node would take each request from its first
      // byte to its last by itself, at twice the cost under load.
      await new Promise<void>((resolve) => setImmediate(resolve));
      return engine.run(calls);
    },
    close: async () => engine.close(),
  };
}

/** An engine in a thread of its own, with room in reserve in the file `reserve`. Rejects when a file cannot be opened. */
export async function runInThread(path: string, reserve: string): Promise<Runner> {
  const memory = { questions: laneMemory(), answers: laneMemory() };
  const questions = laneIn(memory.questions), answers = laneIn(memory.answers);
  /** What comes by post in answer to the last question. */
  let posted = Promise.withResolvers<FromThread>();
  let dead: Error | undefined;
  const thread = startThread((message) => posted.resolve(message), (error) => {
    dead ??= error;
    // In place of the thread, which no longer answers.
    posted.resolve({ tag: "failed", message: dead.message });
    answers.send(false);
  });

  /** Sends a question, and waits for word of its answer: whether it lies in the lane. */
  function answered(send: () => void): Promise<boolean> {
    if (dead !== undefined) throw dead;
    posted = Promise.withResolvers();
    const answer = answers.next();
    send();
    return answer;
  }
  async function ask(message: ToThread): Promise<FromThread> {
    await answered(() => {
      questions.send(false);
      thread.post(message);
    });
    return await fromPost();
  }
  async function fromPost(): Promise<FromThread> {
    const reply = await posted.promise;
    if (reply.tag === "failed") throw new Error(reply.message);
    return reply;
  }
  function ran(reply: FromThread): Run {
    if (reply.tag !== "ran") throw new Error(`The thread of the store answered "${reply.tag}" to a run`);
    return unpack<Run>(reply.run);
  }
  async function run(calls: readonly Call[]): Promise<Run> {
    if (!writeCalls(calls, questions)) return ran(await ask({ tag: "run", calls: pack(calls) }));
    const liesThere = await answered(() => questions.send(true));
    return liesThere ? readRun(calls, answers) : ran(await fromPost());
  }
  async function close(): Promise<void> {
    try {
      await ask({ tag: "close" });
    } finally {
      await thread.end();
    }
  }

  try {
    ran(await ask({ tag: "open", path, reserve, ...memory }));
  } catch (error) {
    await thread.end();
    throw error;
  }
  return { run, close };
}

interface Thread {
  post(message: ToThread): void;
  end(): Promise<void>;
}

/** On Deno a web worker, which has no need of what node's brings along: six MiB, and a look at every byte that is posted. */
function startThread(told: (message: FromThread) => void, died: (error: Error) => void): Thread {
  if ("Deno" in globalThis) {
    const worker = new Worker(siblingModule(import.meta.url, "thread-web"), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<FromThread>) => told(data);
    worker.onerror = (event) => {
      event.preventDefault(); // else it would be an error of this thread, too
      died(new Error(event.message));
    };
    return { post: (message) => worker.postMessage(message), end: async () => worker.terminate() };
  }
  const worker = new NodeWorker(siblingModule(import.meta.url, "thread-node"));
  worker.on("message", told);
  worker.on("error", (error) => died(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => died(new Error("The thread of the store has ended")));
  return { post: (message) => worker.postMessage(message), end: async () => void await worker.terminate() };
}
