/** Content negotiation: which encoding an answer has, and whether it is transformed to a Table or to metadata only. */
import type { Names } from "../names.ts";
import { StatusError } from "../status-error.ts";
import { parseAccept } from "./accept.ts";

export type Encoding = "json" | "yaml" | "protobuf" | "cbor";

/** What to make of objects. `version` is the one of the meta group that the client named. */
export type Transform =
  | { readonly as: "object" }
  | { readonly as: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList"; readonly version: "v1" | "v1beta1" };

export interface Output {
  readonly encoding: Encoding;
  readonly transform: Transform;
}

export function mediaType(encoding: Encoding, names: Names): string {
  return encoding === "protobuf" ? `application/vnd.${names.platform}.protobuf` : `application/${encoding}`;
}

/** Encodings of answers and bodies that are in force, in the order in which messages list them. */
export interface Media {
  readonly names: Names;
  readonly encodings: readonly Encoding[];
  /** What they are called; those of watches; all of these. */
  readonly types: readonly string[];
  readonly streamTypes: readonly string[];
  readonly listTypes: readonly string[];
}

/** CBOR is there with its gate only. */
export function mediaOf(names: Names, cbor: boolean): Media {
  const encodings: readonly Encoding[] = cbor ? ["json", "yaml", "protobuf", "cbor"] : ["json", "yaml", "protobuf"];
  const types = encodings.map((encoding) => mediaType(encoding, names));
  const streamTypes = encodings.filter(canStream).map((encoding) =>
    encoding === "cbor" ? cborSequence : `${mediaType(encoding, names)};stream=watch`
  );
  return Object.freeze<Media>({ names, encodings, types, streamTypes, listTypes: [...types, ...streamTypes] });
}

/** Whether an encoding can be framed. */
export function canStream(encoding: Encoding): boolean {
  return encoding !== "yaml";
}
/** Several items of CBOR one after the other have a media type of their own (RFC 8742). */
const cborSequence = "application/cbor-seq";

/** What a watch is called: JSON has no word for it. */
export function watchMediaType(encoding: Encoding, names: Names): string {
  return encoding === "cbor" ? cborSequence : mediaType(encoding, names) + (encoding === "json" ? "" : ";stream=watch");
}

/** 406 of a representation that the server has not got. */
export function notAcceptable(accepted: readonly string[]): StatusError {
  return new StatusError("NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);
}

/**
 * The router's own look at Accept comes first: unless one clause names a media type that the path produces, or
 * anything, it is 406 with the representations that there are.
 */
export function checkProduced(accept: string, produced: readonly string[]): void {
  if (accept === "" || produced.includes(accept)) return;
  for (const clause of accept.split(",")) {
    const type = clause.split(";")[0]!.trim();
    if (type === "" || type === "*/*" || produced.includes(type) || produced.includes(clause.trim())) return;
  }
  throw new StatusError("NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${produced.join(", ")}`, { details: {} });
}

/** The transformations that a path offers. */
export type Forms = "all" | "withoutTable" | "none";

/**
 * The first clause that can be served. A clause that asks for a transformation which does not exist is passed over.
 * `forms` says what there is besides objects: what is answered and never stored has no Table, discovery and health have nothing.
 */
export function negotiate(accept: string, media: Media, forms: Forms = "all"): Output {
  if (accept === "" || accept === "application/json") return plain;
  const { names, encodings, types } = media;
  for (const clause of parseAccept(accept)) {
    for (const [index, encoding] of encodings.entries()) {
      const [type, subtype] = types[index]!.split("/");
      if (clause.type !== "*" && clause.type !== type) continue;
      if (clause.subtype !== "*" && clause.subtype !== subtype) continue;
      const output = outputOf(encoding, clause.parameters, names, forms);
      if (output !== undefined) return output;
    }
  }
  throw notAcceptable(types);
}

const plain: Output = Object.freeze<Output>({ encoding: "json", transform: { as: "object" } });

function outputOf(
  encoding: Encoding,
  parameters: readonly (readonly [string, string])[],
  names: Names,
  forms: Forms,
): Output | undefined {
  let as = "", group = "", version = "", converts = false;
  for (const [name, value] of parameters) {
    if (name === "as") [as, converts] = [value, true];
    else if (name === "g") [group, converts] = [value, true];
    else if (name === "v") [version, converts] = [value, true];
    else if (name === "stream" && value !== "" && !(value === "watch" && canStream(encoding))) return undefined;
  }
  if (!converts) return { encoding, transform: { as: "object" } };
  if (forms === "none" || group !== `meta.${names.domain}` || (version !== "v1" && version !== "v1beta1")) return undefined;
  if (as === "Table") {
    const none = forms === "withoutTable" || encoding === "protobuf" || encoding === "cbor";
    return none ? undefined : { encoding, transform: { as, version } };
  }
  if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") return { encoding, transform: { as, version } };
  return undefined;
}

/** The encoding of an error; undefined where the client accepts only a transformation, or nothing that is known. */
export function negotiateError(accept: string, media: Media): Encoding | undefined {
  try {
    return negotiate(accept, media, "none").encoding;
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** How to read a body; no content type means JSON. 415 for what is not read. */
export function bodyEncoding(contentType: string | undefined, media: Media): Encoding {
  if (contentType === undefined || contentType === "") return "json";
  const wanted = contentType.split(";")[0]!.trim().toLowerCase();
  const found = media.encodings.find((_, index) => media.types[index]!.toLowerCase() === wanted);
  if (found === undefined) throw unsupportedMediaType(media.types);
  return found;
}
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError(
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}

/** Whether the client wants indented JSON: `?pretty` says so, else a browser or command-line fetcher asks. */
export function wantsPretty(pretty: string, userAgent: string): boolean {
  if (pretty !== "") return ["1", "t", "T", "true", "TRUE", "True"].includes(pretty);
  return userAgent.startsWith("curl") || userAgent.startsWith("Wget") || userAgent.startsWith("Mozilla/5.0");
}
