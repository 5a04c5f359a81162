/**
 * The thread in which the file of a sqlite store is read and written, because node:sqlite blocks, fsync included. It opens
 * the file named by its workerData, says so, and then answers runs one by one until it is told to close.
 */
import { parentPort, workerData } from "node:worker_threads";
import { type Call, openEngine } from "./sqlite-engine.ts";
import type { FromWorker, ToWorker } from "./sqlite-runner.ts";
import { pack, unpack } from "./thread-message.ts";

if (parentPort === null) throw new Error("sqlite-worker.ts runs as a worker thread only");
serve(parentPort);

function serve(port: NonNullable<typeof parentPort>): void {
  const answer = (act: () => FromWorker): void => {
    try {
      port.postMessage(act());
    } catch (error) {
      port.postMessage({ tag: "failed", message: error instanceof Error ? error.message : String(error) } satisfies FromWorker);
    }
  };
  answer(() => {
    const engine = openEngine(String(workerData));
    port.on("message", (message: ToWorker) => {
      answer(() => {
        if (message.tag === "run") return { tag: "ran", run: pack(engine.run(unpack<readonly Call[]>(message.calls))) };
        engine.close();
        return { tag: "closed" };
      });
    });
    return { tag: "ran", run: pack(engine.run([])) };
  });
}
