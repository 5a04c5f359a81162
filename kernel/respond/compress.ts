/** Compresses replies with gzip in chunks, so that a list is neither in memory as a whole nor blocks the event loop. */
import { limits } from "../../core/limits.ts";
import { type RequestContext } from "../request-context.ts";
import { type Exchange, header, type Reply } from "../request/exchange.ts";
import type { Chunked } from "../objects/chunks.ts";

const toBytes = new TextEncoder();

/** Compresses a large object or list for a client that accepts gzip, regardless of the verb. `bytes`: upper bound of the body's size. */
export function compressed({ exchange, catalog }: Pick<RequestContext, "exchange" | "catalog">, reply: Reply, bytes: number): Reply {
  if (bytes < limits.gzipBytesMin || !acceptsGzip(exchange) || !catalog.gates.isOn("APIResponseCompression")) return reply;
  const body = withoutText(reply.body);
  return body instanceof Uint8Array && body.length < limits.gzipBytesMin ? reply : inGzip(reply, body);
}

/** Compresses a reply of any size for a client that accepts gzip. */
export function gzipped(exchange: Exchange, reply: Reply): Reply {
  return acceptsGzip(exchange) ? inGzip(reply, withoutText(reply.body)) : reply;
}

/** Whether Accept-Encoding has the element `gzip` without a weight (upstream's rule). */
function acceptsGzip(exchange: Exchange): boolean {
  return header(exchange, "accept-encoding").split(",").some((word) => word.trim() === "gzip");
}

type Bytes = Exclude<Chunked, string>;

function withoutText(body: Chunked): Bytes {
  return typeof body === "string" ? toBytes.encode(body) : body;
}
function inGzip(reply: Reply, body: Bytes): Reply {
  return { ...reply, headers: { ...reply.headers, "content-encoding": "gzip", vary: "Accept-Encoding" }, body: gzip(body) };
}

async function* gzip(body: Bytes): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new CompressionStream("gzip");
  const writer = writable.getWriter();
  const reader = readable.getReader();
  const writing = (async () => {
    for await (const piece of body instanceof Uint8Array ? slices(body) : body) await writer.write(new Uint8Array(piece));
    await writer.close();
  })();
  // A failure rejects the next read.
  writing.catch((error: unknown) => writer.abort(error).catch(() => {}));
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += limits.chunkBytes) yield bytes.subarray(at, at + limits.chunkBytes);
}
