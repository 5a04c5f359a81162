/** A program: the heavy thread as a worker of Node's. */
import process from "node:process";
import { parentPort } from "node:worker_threads";
import { plugins } from "../../plugins/mod.ts";
import { heavyWorker } from "./worker.ts";

if (parentPort === null) throw new Error("worker-node.ts runs as a worker thread only");
const port = parentPort;
const heapBytes = () => process.memoryUsage().heapTotal;
port.on("message", heavyWorker(plugins, (message, transfer = []) => port.postMessage(message, [...transfer]), heapBytes));
