/** Entry point: the thread of a sqlite store as a web worker. */
import { type FromThread, sqliteThread, type ToThread } from "./thread.ts";

// The types are those of a window; postMessage of a worker has no target origin.
const port = globalThis as unknown as { onmessage: (event: { readonly data: ToThread }) => void; postMessage(message: FromThread): void };
const take = sqliteThread((message) => port.postMessage(message));
port.onmessage = ({ data }) => take(data);
