import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConnectReply, HeaderFields } from "../../connect.ts";
import type { StatusError } from "../../status-error.ts";
import { peersOf } from "../../../protocols/forward/peers.ts";
import { withLinks } from "./with-links.ts";

// The folder does not depend on the connections of the server, its test does.
const peers = peersOf((message) => new Error(message));
const page = { host: "10.0.0.1:80", requestHost: "api", prefix: "/proxy" };
const [link, rewritten] = ["<a href=/x>", '<a href="/proxy/x">'];
const utf8 = new TextEncoder();

/** A source that counts what is read of it. */
class Source {
  read = 0;
  closed = 0;
  readonly #pieces: readonly Uint8Array[];
  readonly #error: unknown;
  constructor(pieces: readonly Uint8Array[], error?: unknown) {
    this.#pieces = pieces;
    this.#error = error;
  }
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => {
        const value = this.#pieces[this.read++];
        if (value === undefined && this.#error !== undefined) return Promise.reject(this.#error);
        return Promise.resolve(value === undefined ? { done: true, value } : { done: false, value });
      },
      return: () => {
        this.closed++;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

function replyOf(headers: HeaderFields, body: Source): ConnectReply {
  return { status: 200, headers, body };
}
async function bytesOf({ body }: ConnectReply): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece); // replies of a source are streams
  return Buffer.concat(pieces);
}
async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([Uint8Array.from(bytes)]).stream().pipeThrough(stream)).arrayBuffer());
}
function halves(bytes: Uint8Array): readonly Uint8Array[] {
  return [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)];
}

test("withLinks() rewrites pages of HTML only", async () => {
  for (const type of ["text/html", " text/html ; charset=utf-8"]) {
    const reply = await withLinks(
      replyOf({ "content-type": type, "content-length": "11", etag: "e" }, new Source([utf8.encode(link)])),
      page,
      peers,
    );
    assert.deepEqual(reply.headers, { "content-type": type, etag: "e" });
    assert.equal(Buffer.from(await bytesOf(reply)).toString(), rewritten);
  }
  const others: readonly HeaderFields[] = [
    { "content-type": "Text/HTML" },
    { "content-type": "text/plain" },
    {},
    { "content-type": ["text/plain", "text/html"] },
    { "content-type": "text/html", "content-encoding": "br" },
    { "content-type": "text/html", "content-encoding": "GZIP" },
  ];
  for (const headers of others) {
    const reply = replyOf(headers, new Source([utf8.encode(link)]));
    assert.equal(await withLinks(reply, page, peers), reply);
  }
});

test("withLinks() keeps the encoding of a page", async () => {
  for (const [encoding, format] of [["gzip", "gzip"], ["deflate", "deflate-raw"]] as const) {
    const given = await through(utf8.encode(link.repeat(1_000)), new CompressionStream(format));
    const reply = await withLinks(
      replyOf({ "content-type": "text/html", "content-encoding": encoding }, new Source(halves(given))),
      page,
      peers,
    );
    assert.equal(reply.headers?.["content-encoding"], encoding);
    const shown = await through(await bytesOf(reply), new DecompressionStream(format));
    assert.equal(Buffer.from(shown).toString(), rewritten.repeat(1_000));
  }
});

test("withLinks() replies 500 when the page is broken before its first piece, and closes the source", async () => {
  const broken: readonly (readonly [string, Source])[] = [
    ["gzip", new Source([utf8.encode(link)])],
    ["gzip", new Source([])],
    ["deflate", new Source([utf8.encode(link)])],
    ["", new Source([utf8.encode(link)], new Error("unexpected EOF"))],
  ];
  for (const [encoding, source] of broken) {
    const headers = { "content-type": "text/html", ...(encoding === "" ? {} : { "content-encoding": encoding }) };
    await assert.rejects(withLinks(replyOf(headers, source), page, peers), (error: StatusError) => error.code === 500, encoding);
    assert.ok(source.closed > 0, encoding);
  }
});

test("withLinks() closes the source when nobody reads the page, or not to its end", async () => {
  const large = Array<Uint8Array>(1_000).fill(utf8.encode(link.repeat(6_000)));
  const compressed = await through(Buffer.concat(large.slice(0, 20)), new CompressionStream("gzip"));
  for (const encoding of ["", "gzip"]) {
    for (const reads of [0, 1]) {
      const source = new Source(encoding === "" ? large : halves(compressed));
      const headers = { "content-type": "text/html", ...(encoding === "" ? {} : { "content-encoding": encoding }) };
      const { body } = await withLinks(replyOf(headers, source), page, peers);
      const pieces = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator](); // a stream
      for (let count = 0; count < reads; count++) await pieces.next();
      await pieces.return?.();
      assert.ok(source.closed > 0, `${encoding}, ${reads} read`);
      assert.ok(source.read < 10, `${source.read} chunks were read for ${reads} pieces`);
    }
  }
});
