/** The OpenAPI documents of a catalog as bytes. Each is built once, at its first request. */
import { once } from "../../../core/async.ts";
import type { Json } from "../../../core/schema.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { type KindsOf, kindsOf } from "../../../core/openapi/components.ts";
import { keptParts } from "../../../core/openapi/kept.ts";
import { encodeMessage, type Message } from "../../../core/openapi/protobuf.ts";
import { v2Text } from "../../../core/openapi/v2.ts";
import { v2Message } from "../../../core/openapi/v2-messages.ts";
import { v3Document, v3Operations } from "../../../core/openapi/v3.ts";
import { v3Message } from "../../../core/openapi/v3-messages.ts";
import { plainJson } from "../../../core/tree/plain-json.ts";
import { valueText } from "../../../core/value-text.ts";

/** One document in its encodings. The hash is that of its JSON, for every encoding: replies vary by Accept. */
export interface OpenapiDocument {
  readonly json: Uint8Array;
  /** SHA-512 in upper-case hex. */
  readonly hash: string;
  /** Undefined for the index, which is JSON only. */
  readonly protobuf: (() => Uint8Array) | undefined;
  readonly gzip: (form: "json" | "protobuf") => Promise<Uint8Array>;
}
export interface OpenapiDocuments {
  v2(): Promise<OpenapiDocument>;
  /** The index of v3 documents. Their URLs contain the hash, so that clients may cache them without limit. */
  index(): Promise<OpenapiDocument>;
  /** `api/v1`, `apis/GROUP/VERSION`, `apis/GROUP`, `api`, `apis` or `version`; undefined for other names. */
  v3(name: string): Promise<OpenapiDocument | undefined> | undefined;
}

const made = new WeakMap<Catalog, OpenapiDocuments>();
const v3Kept = keptParts<Promise<OpenapiDocument>>();

/** Called with the error of a version whose part cannot be made, and its name in the index, such as `apis/example.com/v1`. */
export type ReportVersion = (error: unknown, name: string) => void;

/**
 * The documents of a catalog. A catalog is immutable, and so are its documents. A version whose schemas cannot be published is missing in the
 * index and in the v2 document; only its own v3 document fails.
 */
export function openapiDocuments(catalog: Catalog, report: ReportVersion): OpenapiDocuments {
  let documents = made.get(catalog);
  if (documents === undefined) made.set(catalog, documents = documentsOf(catalog, report));
  return documents;
}

function documentsOf(catalog: Catalog, report: ReportVersion): OpenapiDocuments {
  const operations = once(() => v3Operations(catalog)), kinds = once(() => kindsOf(catalog));
  const v3s = new Map<string, Promise<OpenapiDocument>>();
  const v3 = (name: string) => {
    const known = v3s.get(name), described = operations().get(name);
    if (known !== undefined || described === undefined) return known;
    const { version } = described;
    const make = (kinds: KindsOf) => documentOf(valueText(v3Document(catalog, described, kinds)), v3Message);
    const document = version === undefined ? make(kinds()) : v3Kept(version, catalog, kinds(), make);
    v3s.set(name, document);
    return document;
  };
  return {
    v3,
    v2: once(async () => documentOf(await v2Text(catalog, operations(), kinds(), report), v2Message)),
    index: once(async () => {
      const paths: [string, Json][] = [];
      for (const name of operations().keys()) {
        try {
          const { hash } = (await v3(name))!;
          paths.push([name, { serverRelativeURL: v3Address(name, hash) }]);
        } catch (error) {
          report(error, name);
        }
      }
      return await documentOf(valueText({ paths: Object.fromEntries(paths) }), undefined);
    }),
  };
}

/** The URL of a v3 document with its current hash. */
export function v3Address(name: string, hash: string): string {
  return `/openapi/v3/${name}?hash=${hash}`;
}

export async function documentOf(text: string, message: Message | undefined): Promise<OpenapiDocument> {
  const protobuf = message === undefined ? undefined : once(() => encodeMessage(message, plainJson(text)));
  return await documentOfBytes(new TextEncoder().encode(text), protobuf);
}

/** Makes the document of its JSON. `protobuf` makes its other form, if it has one. */
export async function documentOfBytes(json: Uint8Array, protobuf: OpenapiDocument["protobuf"]): Promise<OpenapiDocument> {
  return {
    json,
    hash: await sha512(json),
    protobuf,
    gzip: memo((form) => gzip(form === "protobuf" && protobuf !== undefined ? protobuf() : json)),
  };
}

async function sha512(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", unshare(bytes)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([unshare(bytes)]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
}

/** Narrows the type for the platform's APIs: none of our buffers is a SharedArrayBuffer. */
function unshare(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}

function memo<K, R>(make: (key: K) => R): (key: K) => R {
  const results = new Map<K, R>();
  return (key) => {
    if (!results.has(key)) results.set(key, make(key));
    return results.get(key)!;
  };
}
