/** A program: the heavy thread as a web worker. */
import { plugins } from "../../plugins/mod.ts";
import { openHeap } from "./heap.ts";
import type { FromHeavy, ToHeavy } from "./messages.ts";
import { heavyWorker } from "./worker.ts";

// The types are those of a window; a worker's own postMessage has no origin parameter.
const port = globalThis as unknown as {
  onmessage: (event: { readonly data: ToHeavy }) => void;
  postMessage(message: FromHeavy, transfer: ArrayBuffer[]): void;
};
const take = heavyWorker(plugins, (message, transfer = []) => port.postMessage(message, [...transfer]), openHeap());
port.onmessage = ({ data }) => take(data);
