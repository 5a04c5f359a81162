import { setImmediate } from "node:timers";
import process from "node:process";
import { Worker as NodeWorker } from "node:worker_threads";
import { siblingModule } from "../../../core/sibling-module.ts";
import type { Call, Engine, Run } from "./calls.ts";
import { type EngineOptions, openEngine } from "./engine.ts";
import type { FromThread, ToThread } from "./thread.ts";
import { readRun, writeCalls } from "./commit-words.ts";
import { laneIn, laneMemory } from "./thread-lane.ts";
import { pack, unpack } from "./thread-message.ts";
import { bound } from "../../../core/bound.ts";

/** Mebibytes of V8's young generation in the embedded store's thread on Node: it keeps no objects, and otherwise 40 MiB of garbage after a start. */
export const storeYoungMiBMax = bound(12);

/** Executes the runs of an engine, one at a time. If a run is rejected, it has changed nothing, or the engine's thread has died. */
export interface Runner {
  run(calls: readonly Call[]): Promise<Run>;
  close(): Promise<void>;
}

/** Runs an engine in this thread. It is used for a store in memory, which does not block for long. */
export async function runHere(path: string, options: EngineOptions = {}, memory?: Engine): Promise<Runner> {
  const engine = memory ?? openEngine(path, options);
  return {
    async run(calls) {
      // Calls of one turn share the next run and its events. Otherwise Node would process each request from its first
      // byte to its last alone, at twice the cost under load.
      await new Promise<void>((resolve) => setImmediate(resolve));
      return engine.run(calls);
    },
    close: async () => engine.close(),
  };
}

/** Runs an engine in its own thread. `reserve` is the path of the file that reserves disk space. Rejects when a file cannot be opened. */
export async function runInThread(path: string, reserve: string): Promise<Runner> {
  const memory = { questions: laneMemory(), answers: laneMemory() };
  const questions = laneIn(memory.questions), answers = laneIn(memory.answers);
  /** Resolves with the posted answer to the last request. */
  let posted = Promise.withResolvers<FromThread>();
  let dead: Error | undefined;
  const thread = startThread((message) => posted.resolve(message), (error) => {
    dead ??= error;
    // This pretends an answer, because the thread no longer sends one.
    posted.resolve({ tag: "failed", message: dead.message });
    answers.send(false);
  });

  /** Sends a request and waits for its answer. Returns whether the answer is in the lane; otherwise it is posted. */
  function sendAndWait(send: () => void): Promise<boolean> {
    if (dead !== undefined) throw dead;
    posted = Promise.withResolvers();
    const answer = answers.next();
    send();
    return answer;
  }
  async function ask(message: ToThread): Promise<FromThread> {
    await sendAndWait(() => {
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
    const liesThere = await sendAndWait(() => questions.send(true));
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

/** Starts the thread. On Deno it is a web worker: a worker of node:worker_threads takes six MiB more, and scans every byte of a message. */
function startThread(onMessage: (message: FromThread) => void, died: (error: Error) => void): Thread {
  if ("Deno" in globalThis) {
    const worker = new Worker(siblingModule(import.meta.url, "thread-web"), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<FromThread>) => onMessage(data);
    worker.onerror = (event) => {
      event.preventDefault(); // without this it would also be an error of this thread
      died(new Error(event.message));
    };
    return { post: (message) => worker.postMessage(message), end: async () => worker.terminate() };
  }
  // Node calls its sqlite experimental, once for each thread. This thread loads nothing else that Node warns of. Given flags replace those of the
  // process, some of which a thread does not accept: a process with flags keeps its own.
  const quiet = process.execArgv.length === 0 ? { execArgv: ["--disable-warning=ExperimentalWarning"] } : {};
  const worker = new NodeWorker(siblingModule(import.meta.url, "thread-node"), {
    ...quiet,
    resourceLimits: { maxYoungGenerationSizeMb: storeYoungMiBMax },
  });
  worker.on("message", onMessage);
  worker.on("error", (error) => died(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => died(new Error("The thread of the store has ended")));
  return { post: (message) => worker.postMessage(message), end: async () => void await worker.terminate() };
}
