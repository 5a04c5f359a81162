/** A program: the thread of a sqlite store as a worker of node's. */
import { parentPort } from "node:worker_threads";
import { sqliteThread } from "./thread.ts";

if (parentPort === null) throw new Error("sqlite-thread-node.ts runs as a worker thread only");
const port = parentPort;
port.on("message", sqliteThread((message) => port.postMessage(message)));
