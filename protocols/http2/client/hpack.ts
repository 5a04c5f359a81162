/** Header blocks without a dynamic table: the settings of this client forbid one, so the blocks of calls are encoded once. */
import { Buffer } from "node:buffer";
import { HeaderDecoder } from "../header-decoder.ts";
import { encodedName, encodedText } from "../header-encoder.ts";
import { bound } from "../../../core/bound.ts";

/** Decoded header blocks of etcd that are cached. */
const etcdKnownHeadersMax = bound(16);
/** Bytes of one header block of etcd that is cached. */
const etcdKnownHeaderBytesMax = bound(256);
/** Bytes of the decoded headers of one response. */
const etcdHeaderListBytesMax = bound(256 * 1024);
/** Headers of one request. */
export const headersMax = bound(1000);

/** Headers by lower-case name. */
export type Headers = ReadonlyMap<string, string>;

/** Returns a block of literal fields without indexing. */
export function headerBlock(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.from(
    fields.map(([name, value]) => encodedName(name) + encodedText(Buffer.from(value).toString("latin1"))).join(""),
    "latin1",
  );
}

/** Decodes a whole block. Throws if it is malformed or refers to a dynamic table. */
export function readHeaders(block: Buffer): Headers {
  const decoder = new HeaderDecoder({
    tableBytesMax: 0,
    listBytesMax: etcdHeaderListBytesMax,
    fieldsMax: headersMax,
    check: () => true,
  });
  const fields = decoder.decode(block);
  if (fields === undefined) throw new Error("The headers of an answer are too long");
  return new Map(fields.map(({ name, value }) => [name, value]));
}

/** As `readHeaders`, with a cache of short blocks, because nearly all answers have the same ones. */
export function headerReader(): (block: Buffer) => Headers {
  const known = new Map<string, Headers>();
  return (block) => {
    if (block.length > etcdKnownHeaderBytesMax) return readHeaders(block);
    const key = block.toString("latin1");
    const before = known.get(key);
    if (before !== undefined) return before;
    const headers = readHeaders(block);
    if (known.size === etcdKnownHeadersMax) known.clear();
    known.set(key, headers);
    return headers;
  };
}
