/** Content negotiation: which encoding an answer has, and whether it is transformed to a Table or to metadata only. */
import type { Names } from "../names.ts";
import { StatusError } from "../status-error.ts";
import { areMediaParameters } from "./media-parameters.ts";
import { type AcceptClause, parseAccept, trimBlanks } from "./accept.ts";

/** Media type of a server-side apply. It merges field sets; it does not patch the JSON of the live object. */
export const applyMediaType = "application/apply-patch+yaml";
/** The same in CBOR, which a feature gate enables. */
export const applyCborMediaType = "application/apply-patch+cbor";

export type Encoding = "json" | "yaml" | "protobuf" | "cbor";

/** What to make of objects. `version` is the one of the meta group that the client named. */
export type Transform =
  | { readonly as: "object" }
  | { readonly as: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList"; readonly version: "v1" | "v1beta1" };

export interface Output {
  readonly encoding: Encoding;
  readonly transform: Transform;
  /** The clause asks for indented JSON (`pretty=1`). */
  readonly pretty?: true;
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
 * The router checks Accept before the handler negotiates: unless one clause is a media type that the path produces, or
 * anything, it is 406 with the representations that there are. Parameters are ignored here.
 */
export function checkProduced(accept: string, produced: readonly string[]): void {
  if (accept === "" || namesOne(accept, produced, true)) return;
  throw new StatusError("NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${produced.join(", ")}`, { details: {} });
}

/** The router's check of Content-Type, for the few paths that declare what they read although they read no body. */
export function checkConsumed(contentType: string, consumed: readonly string[]): void {
  if (contentType === "" || namesOne(contentType, consumed, false)) return;
  throw new StatusError("UnsupportedMediaType", "415: Unsupported Media Type", { details: {} });
}

/** Whether one of the types in a header, case and all, is one of `types`. */
function namesOne(header: string, types: readonly string[], anything: boolean): boolean {
  if (types.includes(header)) return true;
  return header.split(",").some((clause) => {
    const type = trimBlanks(clause.split(";", 1)[0]!);
    return (anything && type === "*/*") || types.includes(type);
  });
}

/** The transformations that a path offers. */
export type Forms = "all" | "withoutTable" | "none";

/** Whether a clause names an encoding. `*` as the type counts only with `*` as the subtype. */
export function clauseNames(clause: Pick<AcceptClause, "type" | "subtype">, mediaType: string): boolean {
  const slash = mediaType.indexOf("/");
  if (clause.subtype === "*") return clause.type === "*" || clause.type === mediaType.slice(0, slash);
  return clause.type === mediaType.slice(0, slash) && clause.subtype === mediaType.slice(slash + 1);
}

/**
 * The first clause that can be served. Clauses with an unknown transformation are skipped.
 * `forms` says what there is besides objects: what is answered and never stored has no Table, discovery and health have nothing.
 */
export function negotiate(accept: string, media: Media, forms: Forms = "all"): Output {
  if (accept === "" || accept === "application/json") return plain;
  const { names, encodings, types } = media;
  for (const clause of parseAccept(accept)) {
    for (const [index, encoding] of encodings.entries()) {
      if (!clauseNames(clause, types[index]!)) continue;
      const output = outputOf(encoding, clause.parameters, names, forms);
      if (output !== undefined) return output;
    }
  }
  throw notAcceptable(types);
}

const plain: Output = Object.freeze<Output>({ encoding: "json", transform: { as: "object" } });

function outputOf(
  encoding: Encoding,
  parameters: ReadonlyMap<string, string>,
  names: Names,
  forms: Forms,
): Output | undefined {
  if (parameters.size === 0) return { encoding, transform: { as: "object" } };
  if (!isOffered(encoding, parameters)) return undefined;
  const pretty = parameters.get("pretty") === "1" ? { pretty: true as const } : {};
  const as = parameters.get("as"), group = parameters.get("g"), version = parameters.get("v");
  if (as === undefined && group === undefined && version === undefined) return { encoding, transform: { as: "object" }, ...pretty };
  if (forms === "none" || group !== `meta.${names.domain}` || (version !== "v1" && version !== "v1beta1")) return undefined;
  if (as === "Table") {
    const none = forms === "withoutTable" || encoding === "protobuf" || encoding === "cbor";
    return none ? undefined : { encoding, transform: { as, version }, ...pretty };
  }
  if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") return { encoding, transform: { as, version }, ...pretty };
  return undefined;
}

/** Whether a clause's parameters other than a transformation can be met: no stream but a watch, no version of the server. */
export function isOffered(encoding: Encoding, parameters: ReadonlyMap<string, string>): boolean {
  const stream = parameters.get("stream") ?? "";
  return (stream === "" || (stream === "watch" && canStream(encoding))) && (parameters.get("sv") ?? "") === "";
}

/** The form of an error; undefined where the client accepts only a transformation, or nothing that is known. */
export function negotiateError(accept: string, media: Media): Output | undefined {
  try {
    return negotiate(accept, media, "none");
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** How to read a body; no content type means JSON. 415 for what is not read. */
export function bodyEncoding(contentType: string | undefined, media: Media): Encoding {
  if (contentType === undefined || contentType === "") return "json";
  const end = contentType.indexOf(";");
  const wanted = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  const found = media.encodings.find((_, index) => media.types[index]!.toLowerCase() === wanted);
  if (found === undefined || (end >= 0 && !areMediaParameters(contentType.slice(end)))) throw unsupportedMediaType(media.types);
  return found;
}
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError(
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}

/** Whether the client wants indented JSON: by the accepted clause, by `?pretty`, else by being a browser or command-line fetcher. */
export function wantsPretty(pretty: string, userAgent: string, output?: Output): boolean {
  if (output?.pretty) return true;
  if (pretty !== "") return ["1", "t", "T", "true", "TRUE", "True"].includes(pretty);
  return userAgent.startsWith("curl") || userAgent.startsWith("Wget") || userAgent.startsWith("Mozilla/5.0");
}
