/** Compresses replies with gzip in chunks, so that a list is neither in memory as a whole nor blocks the event loop. */
import { type RequestContext } from "../request-context.ts";
import { type Exchange, header, type Reply } from "../request/exchange.ts";
import { deflate } from "../../protocols/gzip/deflate.ts";
import { GzipMember } from "../../protocols/gzip/member.ts";
import { chunkBytes, type Chunked, concat, gzipBytesMin, Turn } from "../objects/chunks.ts";
import { deflateBytesMax } from "../cache/bounds.ts";

const toBytes = new TextEncoder();

type Asked = Pick<RequestContext, "exchange" | "catalog">;

/** Compresses a large object or list for a client that accepts gzip, regardless of the verb. `bytes`: upper bound of the body's size. */
export function compress(call: Asked, reply: Reply, bytes: number): Reply {
  if (bytes < gzipBytesMin || !wantsGzip(call)) return reply;
  const body = withoutText(reply.body);
  return body instanceof Uint8Array && body.length < gzipBytesMin ? reply : inGzip({ ...reply, body: gzip(body) });
}

/** Whether a large object or list is compressed: the client accepts gzip, and the gate is on. */
export function wantsGzip({ exchange, catalog }: Asked): boolean {
  return acceptsGzip(exchange) && catalog.gates.isOn("APIResponseCompression");
}

/** Compresses a reply of any size for a client that accepts gzip. */
export function compressAny(exchange: Exchange, reply: Reply): Reply {
  return acceptsGzip(exchange) ? inGzip({ ...reply, body: gzip(withoutText(reply.body)) }) : reply;
}

/** Returns the reply with its body compressed by gzip. */
export function inGzip(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, "content-encoding": "gzip", vary: "Accept-Encoding" } };
}

/** Whether Accept-Encoding has the element `gzip` without a weight (upstream's rule). */
function acceptsGzip(exchange: Exchange): boolean {
  return header(exchange, "accept-encoding").split(",").some((word) => word.trim() === "gzip");
}

type Bytes = Exclude<Chunked, string>;

function withoutText(body: Chunked): Bytes {
  return typeof body === "string" ? toBytes.encode(body) : body;
}

async function* gzip(body: Bytes): AsyncGenerator<Uint8Array> {
  const member = new GzipMember();
  let waiting = [member.begin()], size = 0;
  const turn = new Turn();
  for await (const bytes of steps(body)) {
    if (turn.isOver) await turn.next();
    const blocks = member.add(deflate(bytes));
    waiting.push(blocks);
    size += blocks.length;
    if (size < chunkBytes) continue;
    yield concat(waiting);
    [waiting, size] = [[], 0];
    turn.begin();
  }
  yield concat([...waiting, member.end()]);
}

/** The bytes of a body in the steps in which they are compressed. */
async function* steps(body: Bytes): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [], size = 0;
  for await (const piece of body instanceof Uint8Array ? [body] : body) {
    for (let at = 0; at < piece.length;) {
      const bytes = piece.subarray(at, at += deflateBytesMax - size);
      waiting.push(bytes);
      size += bytes.length;
      if (size < deflateBytesMax) continue;
      yield concat(waiting);
      [waiting, size] = [[], 0];
    }
  }
  if (size > 0) yield concat(waiting);
}
