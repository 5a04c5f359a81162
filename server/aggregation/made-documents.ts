/**
 * Documents that are made of those of other servers: work on texts of up to 16 MiB each, which runs on the heavy thread
 * (`server/heavy/requests.ts`).
 */
import { isObject, type JsonObject } from "../../core/json.ts";
import { encodeMessage } from "../../core/openapi/protobuf.ts";
import { v2Message } from "../../core/openapi/v2-messages.ts";
import { v3Message } from "../../core/openapi/v3-messages.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { valueText } from "../../core/value-text.ts";
import { withRemoteSpec } from "./merged-v2.ts";
import { specIn } from "./remote-discovery.ts";
import { v3FromV2 } from "./v3-from-v2.ts";

/** The OpenAPI v2 document of a server. */
export interface RemoteText {
  readonly server: string;
  /** The beginnings of its paths that are used: `/apis/example.com/v1/`. */
  readonly prefixes: readonly string[];
  readonly text: string;
}
/** `merge`: one document of version 2. `own`: this server's in JSON. `convert`: a document of version 3 of one of version 2. */
export type DocumentWork =
  | { readonly op: "merge"; readonly own: Uint8Array; readonly remote: readonly RemoteText[] }
  | { readonly op: "convert"; readonly text: string };
export interface MadeDocument {
  /** In JSON, and in protobuf if it has that form. */
  readonly chunks: readonly Uint8Array[];
  /** The servers whose documents are left out. */
  readonly unusable: readonly { readonly server: string; readonly reason: string }[];
}
/** Throws an Error if the document to convert is not one. */
export type MakeDocument = (work: DocumentWork, signal: AbortSignal) => Promise<MadeDocument>;

export function madeDocument(work: DocumentWork): MadeDocument {
  return work.op === "merge" ? merged(work.own, work.remote) : converted(work.text);
}

function merged(own: Uint8Array, remote: readonly RemoteText[]): MadeDocument {
  const unusable: { server: string; reason: string }[] = [];
  let whole = plainJson(new TextDecoder().decode(own)) as JsonObject; // our own document
  for (const { server, prefixes, text } of remote) {
    try {
      const part = { prefixes, spec: objectIn(text) };
      encodeMessage(v2Message, withRemoteSpec({}, part)); // a document that has no form in protobuf is left out of both
      whole = withRemoteSpec(whole, part);
    } catch (error) {
      unusable.push({ server, reason: reasonOf(error) });
    }
  }
  return { chunks: [new TextEncoder().encode(valueText(whole)), encodeMessage(v2Message, whole)], unusable };
}

function converted(text: string): MadeDocument {
  const document = v3FromV2(objectIn(text)), json = new TextEncoder().encode(valueText(document));
  try {
    return { chunks: [json, encodeMessage(v3Message, document)], unusable: [] };
  } catch {
    return { chunks: [json], unusable: [] }; // other servers may use fields that this one does not
  }
}

function objectIn(text: string): JsonObject {
  const spec = specIn(text);
  if (!isObject(spec)) throw new Error("the document is no object");
  return spec;
}
