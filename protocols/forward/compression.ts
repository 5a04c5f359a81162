/** Compresses and decompresses content on its way. Every step waits for the next one, so a small content that becomes a large one needs little memory. */
import { pipeline, Readable, type Transform } from "node:stream";
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw } from "node:zlib";
import { bound } from "../../core/bound.ts";

/** Bytes of compressed content in one step, at most: a thousand times as many may come out. */
const stepBytes = bound(4 * 1024);

/** What is done with content. `deflate` and `inflate` have no header of zlib (RFC 1951). */
export type Coding = "deflate" | "gunzip" | "gzip" | "inflate";

const transforms: Readonly<Record<Coding, () => Transform>> = Object.freeze({
  deflate: () => createDeflateRaw(),
  gunzip: () => createGunzip(),
  gzip: () => createGzip(),
  inflate: () => createInflateRaw(),
});

/** Returns the content in another coding. Iterating it rejects if the content is broken; its end, or `return()`, closes the content. */
export function recoded(body: AsyncIterable<Uint8Array>, coding: Coding): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source = body[Symbol.asyncIterator](), pieces = piecesOf(source, transforms[coding]());
      return {
        next: () => pieces.next(),
        async return() {
          await source.return?.();
          return await pieces.return(undefined);
        },
      };
    },
  };
}

async function* piecesOf(source: AsyncIterator<Uint8Array>, transform: Transform): AsyncGenerator<Uint8Array> {
  // An error of the content reaches the reader through the transform.
  pipeline(Readable.from(steps(source)), transform, () => {});
  try {
    yield* transform as AsyncIterable<Uint8Array>; // no encoding was set
  } finally {
    transform.destroy();
  }
}

async function* steps(source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of { [Symbol.asyncIterator]: () => source }) {
    for (let at = 0; at < chunk.length; at += stepBytes) yield chunk.subarray(at, at + stepBytes);
  }
}
