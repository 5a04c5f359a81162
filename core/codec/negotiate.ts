/** Content negotiation: the encoding of a response, and its transformation to a Table or to metadata only. */
import type { Names } from "../names.ts";
import { StatusError } from "../status-error.ts";
import { areMediaParameters } from "./media-parameters.ts";
import { type AcceptClause, parseAccept, trimBlanks } from "./accept.ts";

/** Media type of a server-side apply, which merges field sets instead of patching the JSON of the live object. */
export const applyMediaType = "application/apply-patch+yaml";
/** The media type of a server-side apply in CBOR, which a feature gate enables. */
export const applyCborMediaType = "application/apply-patch+cbor";

export type Encoding = "json" | "yaml" | "protobuf" | "cbor";

/** The transformation of objects in a response. `version` is the version of the meta group in the request. */
export type Transform =
  | { readonly as: "object" }
  | { readonly as: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList"; readonly version: "v1" | "v1beta1" };

export interface Output {
  readonly encoding: Encoding;
  readonly transform: Transform;
  /** The clause requests indented JSON (`pretty=1`). */
  readonly pretty?: true;
}

export function mediaType(encoding: Encoding, names: Names): string {
  return encoding === "protobuf" ? `application/vnd.${names.platform}.protobuf` : `application/${encoding}`;
}

/** The enabled encodings of responses and request bodies, in the order of error messages. */
export interface Media {
  readonly names: Names;
  readonly encodings: readonly Encoding[];
  /** Media types of objects (`types`), of watches (`streamTypes`), and both (`listTypes`). */
  readonly types: readonly string[];
  readonly streamTypes: readonly string[];
  readonly listTypes: readonly string[];
}

/** Returns the media types of a server. `cbor`: whether the gate for CBOR is on. */
export function mediaOf(names: Names, cbor: boolean): Media {
  const encodings: readonly Encoding[] = cbor ? ["json", "yaml", "protobuf", "cbor"] : ["json", "yaml", "protobuf"];
  const types = encodings.map((encoding) => mediaType(encoding, names));
  const streamTypes = encodings.filter(canStream).map((encoding) =>
    encoding === "cbor" ? cborSequence : `${mediaType(encoding, names)};stream=watch`
  );
  return Object.freeze<Media>({ names, encodings, types, streamTypes, listTypes: [...types, ...streamTypes] });
}

/** Returns the media types that documents name for custom resources. Watches are not among them. */
export function textMedia(names: Names): Media {
  const encodings: readonly Encoding[] = ["json", "yaml"];
  const types = encodings.map((encoding) => mediaType(encoding, names));
  return Object.freeze<Media>({ names, encodings, types, streamTypes: [], listTypes: types });
}

/** Whether an encoding has frames for watches. */
export function canStream(encoding: Encoding): boolean {
  return encoding !== "yaml";
}
/** Media type of a sequence of CBOR items (RFC 8742). */
const cborSequence = "application/cbor-seq";

/** Returns the Content-Type of a watch. JSON has no `stream` parameter. */
export function watchMediaType(encoding: Encoding, names: Names): string {
  return encoding === "cbor" ? cborSequence : mediaType(encoding, names) + (encoding === "json" ? "" : ";stream=watch");
}

/** Returns a 406: the client accepts no representation that is available. */
export function notAcceptable(accepted: readonly string[]): StatusError {
  return new StatusError("NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);
}

/**
 * Returns the router's check of Accept, before negotiation: throws 406 with the available representations unless one clause is a media
 * type that the path produces, or any type. Ignores parameters.
 */
export function checkProduced(accept: string, produced: readonly string[]): void {
  if (accept === "" || namesOne(accept, produced, true)) return;
  throw new StatusError("NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${produced.join(", ")}`, { details: {} });
}

/** Returns the router's check of Content-Type, for the few paths that declare media types although they read no body. */
export function checkConsumed(contentType: string, consumed: readonly string[]): void {
  if (contentType === "" || namesOne(contentType, consumed, false)) return;
  throw new StatusError("UnsupportedMediaType", "415: Unsupported Media Type", { details: {} });
}

/** Whether a header contains one of `types`. Case-sensitive. */
function namesOne(header: string, types: readonly string[], anything: boolean): boolean {
  if (types.includes(header)) return true;
  return header.split(",").some((clause) => {
    const type = trimBlanks(clause.split(";", 1)[0]!);
    return (anything && type === "*/*") || types.includes(type);
  });
}

/** The transformations that a path offers. `custom`: all, but objects without a transformation have no form in protobuf. */
export type Forms = "all" | "custom" | "withoutTable" | "none";

/** Whether a clause matches a media type. A type of `*` matches only with a subtype of `*`. */
export function clauseNames(clause: Pick<AcceptClause, "type" | "subtype">, mediaType: string): boolean {
  const slash = mediaType.indexOf("/");
  if (clause.subtype === "*") return clause.type === "*" || clause.type === mediaType.slice(0, slash);
  return clause.type === mediaType.slice(0, slash) && clause.subtype === mediaType.slice(slash + 1);
}

/**
 * Returns the first clause that can be served. Clauses with an unknown transformation are skipped. `forms`: the available
 * transformations. Kinds that are never stored have no Table, discovery and health have none, custom resources have no protobuf.
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
  const offersObject = forms !== "custom" || encoding !== "protobuf";
  if (parameters.size === 0) return offersObject ? { encoding, transform: { as: "object" } } : undefined;
  if (!isOffered(encoding, parameters)) return undefined;
  const pretty = parameters.get("pretty") === "1" ? { pretty: true as const } : {};
  const as = parameters.get("as"), group = parameters.get("g"), version = parameters.get("v");
  if (as === undefined && group === undefined && version === undefined) {
    return offersObject ? { encoding, transform: { as: "object" }, ...pretty } : undefined;
  }
  if (forms === "none" || group !== `meta.${names.domain}` || (version !== "v1" && version !== "v1beta1")) return undefined;
  if (as === "Table") {
    const none = forms === "withoutTable" || encoding === "protobuf" || encoding === "cbor";
    return none ? undefined : { encoding, transform: { as, version }, ...pretty };
  }
  if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") return { encoding, transform: { as, version }, ...pretty };
  return undefined;
}

/** Whether the parameters of a clause except the transformation are supported: `stream` only for watches, no version of the server. */
export function isOffered(encoding: Encoding, parameters: ReadonlyMap<string, string>): boolean {
  const stream = parameters.get("stream") ?? "";
  return (stream === "" || (stream === "watch" && canStream(encoding))) && (parameters.get("sv") ?? "") === "";
}

/** Returns the output of an error; undefined if the client accepts transformations or unknown media types only. */
export function negotiateError(accept: string, media: Media): Output | undefined {
  try {
    return negotiate(accept, media, "none");
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** Returns the encoding of a request body. JSON without a content type. Throws 415 for an unsupported one. */
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

/** Whether to indent JSON: by the accepted clause, else by `?pretty`, else for user agents of browsers, curl and Wget. */
export function prefersPretty(pretty: string, userAgent: string, output?: Output): boolean {
  if (output?.pretty) return true;
  if (pretty !== "") return ["1", "t", "T", "true", "TRUE", "True"].includes(pretty);
  return userAgent.startsWith("curl") || userAgent.startsWith("Wget") || userAgent.startsWith("Mozilla/5.0");
}
