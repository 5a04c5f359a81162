/** Rewrites the links of proxied pages, so that they lead through the proxy. */
import type { Coding, ConnectReply, HeaderFields, Peers } from "../../connect.ts";
import { type Page, proxiedUrl } from "../paths.ts";
import { StatusError } from "../../status-error.ts";
import { Unreadable } from "../../scalars/unreadable.ts";
import { bound } from "../../bound.ts";
import { Turns } from "../../turns.ts";
import { reasonOf } from "../../reason-of.ts";
import { LinkScanner } from "./scanner.ts";

/** Bytes of a page that are read in one turn of the event loop: a byte costs up to 2 microseconds. */
const sliceBytes = bound(8 * 1024);
/** Those of all pages. */
const slices = new Turns();

/** The encodings of pages that are known, and what is done with them. */
const codings: Readonly<Record<string, { readonly read: Coding; readonly write: Coding }>> = Object.freeze({
  gzip: { read: "gunzip", write: "gzip" },
  deflate: { read: "inflate", write: "deflate" },
});

/**
 * Returns the reply with links that lead through the proxy, if it is a page in HTML whose encoding is known. Upstream reads the whole page
 * first; here it is a stream. An error in its first piece is the reply.
 */
export async function withLinks(reply: ConnectReply, page: Page, peers: Pick<Peers, "recoded">): Promise<ConnectReply> {
  const { headers = {}, body } = reply, encoding = first(headers, "content-encoding");
  if (first(headers, "content-type").split(";")[0]!.trim() !== "text/html") return reply;
  if (encoding !== "" && !Object.hasOwn(codings, encoding)) return reply;
  if (typeof body === "string" || body instanceof Uint8Array) return reply;
  const { "content-length": _, ...shown } = headers, coding = codings[encoding];
  const source = (coding === undefined ? body : peers.recoded(body, coding.read))[Symbol.asyncIterator](), pieces = scanned(source, page);
  let begun: IteratorResult<Uint8Array>;
  try {
    begun = await pieces.next();
  } catch (error) {
    await source.return?.();
    throw error instanceof StatusError ? error : new StatusError("Unknown", reasonOf(error), { code: 500, cause: error });
  }
  const whole = { [Symbol.asyncIterator]: () => resumed(begun, pieces, source) };
  return { ...reply, headers: shown, body: coding === undefined ? whole : peers.recoded(whole, coding.write) };
}

/** The first value of a header. */
function first(headers: HeaderFields, name: string): string {
  return [headers[name] ?? ""].flat()[0] ?? "";
}

async function* scanned(source: AsyncIterator<Uint8Array>, page: Page): AsyncGenerator<Uint8Array> {
  const { rewrittenTag } = await import("./tag.ts"), scanner = new LinkScanner((tag) => rewrittenTag(tag, linkOf));
  for await (const chunk of { [Symbol.asyncIterator]: () => source }) {
    for (let at = 0; at < chunk.length; at += sliceBytes) {
      await slices.next();
      yield* scanner.push(chunk.subarray(at, at + sliceBytes));
    }
  }
  yield* scanner.end();
  function linkOf(link: string): string {
    const there = proxiedUrl(link, page);
    return there instanceof Unreadable ? link : there;
  }
}

/** Goes on after a piece that has been read. The source is closed too when nothing more is read: a generator that waits cannot do it. */
function resumed(
  begun: IteratorResult<Uint8Array>,
  pieces: AsyncGenerator<Uint8Array>,
  source: AsyncIterator<Uint8Array>,
): AsyncIterator<Uint8Array> {
  let waiting: typeof begun | undefined = begun;
  return {
    async next() {
      const next = waiting ?? await pieces.next();
      waiting = undefined;
      return next;
    },
    async return() {
      waiting = undefined;
      await source.return?.();
      return await pieces.return(undefined);
    },
  };
}
