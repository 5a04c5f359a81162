/** A program: the heavy thread as a worker thread of Node. */
import { parentPort } from "node:worker_threads";
import { plugins } from "../../plugins/mod.ts";
import { openHeap } from "./heap.ts";
import { heavyWorker } from "./worker.ts";

if (parentPort === null) throw new Error("worker-node.ts runs as a worker thread only");
const port = parentPort;
port.on("message", heavyWorker(plugins, (message, transfer = []) => port.postMessage(message, [...transfer]), openHeap()));
