/** Entry point: the thread of a sqlite store as a node worker. */
import { parentPort } from "node:worker_threads";
import { sqliteThread } from "./thread.ts";

if (parentPort === null) throw new Error("sqlite-thread-node.ts runs as a worker thread only");
const port = parentPort;
port.on("message", sqliteThread((message) => port.postMessage(message)));
