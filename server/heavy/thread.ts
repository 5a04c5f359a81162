/** Starts the heavy thread: a web worker on Deno, a worker thread on Node. */
import { Worker as NodeWorker } from "node:worker_threads";
import { siblingModule } from "../../core/sibling-module.ts";
import type { FromHeavy, ToHeavy } from "./messages.ts";
import type { HeavyThread, StartHeavyThread } from "./requests.ts";

export const startHeavyThread: StartHeavyThread = (received, died) =>
  "Deno" in globalThis ? startWeb(received, died) : startNode(received, died);

function startWeb(received: (message: FromHeavy) => void, died: (error: Error) => void): HeavyThread {
  const worker = new Worker(siblingModule(import.meta.url, "worker-web"), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<FromHeavy>) => received(data);
  worker.onerror = (event) => {
    event.preventDefault(); // Otherwise it would be an error of this thread as well.
    worker.terminate();
    died(new Error(event.message));
  };
  return {
    post: (message: ToHeavy, transfer = []) => worker.postMessage(message, [...transfer]),
    end: async () => worker.terminate(),
  };
}

function startNode(received: (message: FromHeavy) => void, died: (error: Error) => void): HeavyThread {
  const worker = new NodeWorker(siblingModule(import.meta.url, "worker-node"), { resourceLimits: { maxYoungGenerationSizeMb: 16 } });
  let ended = false;
  const dies = (error: Error) => {
    if (ended) return;
    ended = true;
    died(error);
  };
  worker.on("message", received);
  worker.on("error", (error) => dies(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => dies(new Error("The thread of heavy requests has ended")));
  return {
    post: (message: ToHeavy, transfer = []) => worker.postMessage(message, [...transfer]),
    end: async () => {
      ended = true;
      await worker.terminate();
    },
  };
}
