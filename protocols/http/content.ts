/** Serves bytes with an ETag as Go's http.ServeContent: conditions and one range (RFC 9110 sections 13 and 14). */

type Headers = Readonly<Record<string, string>>;

/** A request, with lower-case names of headers. */
interface Request {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}
/** A reply with the whole content, a part of it, or none. */
export interface ContentReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Uint8Array;
}

export interface Content {
  readonly bytes: Uint8Array;
  /** Headers of the reply, including `etag` if the content has one. */
  readonly headers: Headers & { readonly etag?: string };
  /** Time of the last change, in milliseconds since the epoch. */
  readonly modified: number;
  /** Whether it may change again within the second of `modified`: then the date of that second does not prove that a client has it. */
  readonly isVolatile?: boolean;
  /** `bytes` compressed; used for whole replies only. */
  readonly gzipped?: Uint8Array | undefined;
}

/** Replies 200, 206, 304, 412 or 416. A range is always a part of the uncompressed bytes. */
export function content(request: Request, { bytes, headers: plain, modified, isVolatile = false, gzipped }: Content): ContentReply {
  // The header has a resolution of one second, and so have conditions.
  const seconds = Math.floor(modified / 1000);
  const headers = { ...plain, "last-modified": new Date(seconds * 1000).toUTCString() };
  const refused = condition(request, plain.etag ?? "", seconds, isVolatile);
  if (refused === 304) {
    const { "content-type": _, "last-modified": since, ...rest } = { "content-type": "", ...headers };
    return { status: 304, headers: plain.etag === undefined ? { ...rest, "last-modified": since } : rest, body: "" };
  }
  if (refused === 412) return { status: 412, headers, body: "" };

  const asked = isRangeCurrent(request, plain.etag ?? "", seconds) ? header(request, "range") : "";
  const range = rangeOf(asked, bytes.length);
  if (range === undefined) {
    const whole = { ...headers, "accept-ranges": "bytes" };
    if (gzipped === undefined || request.method === "HEAD") return { status: 200, headers: whole, body: bytes };
    return { status: 200, headers: { ...whole, "content-encoding": "gzip" }, body: gzipped };
  }
  if ("error" in range) return badRange(headers, range.error, bytes.length);
  const { from, to } = range;
  return {
    status: 206,
    headers: { ...headers, "accept-ranges": "bytes", "content-range": `bytes ${from}-${to - 1}/${bytes.length}` },
    body: bytes.subarray(from, to),
  };
}

const noOverlap = "invalid range: failed to overlap";

/** 416 in text, without the caching headers of the content. */
function badRange(headers: Headers, error: string, size: number): ContentReply {
  const { etag: _etag, "last-modified": _modified, "cache-control": _cache, ...rest } = headers;
  const said = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return {
    status: 416,
    headers: { ...rest, ...said, ...(error === noOverlap ? { "content-range": `bytes */${size}` } : {}) },
    body: `${error}\n`,
  };
}

function condition(request: Request, etag: string, modified: number, isVolatile: boolean): 304 | 412 | undefined {
  const isRead = request.method === "GET" || request.method === "HEAD";
  const match = header(request, "if-match");
  if (match !== "") {
    if (!namesTag(match, etag, false)) return 412;
  } else {
    const since = dateOf(header(request, "if-unmodified-since"));
    if (since !== undefined && modified > since) return 412;
  }
  const noneMatch = header(request, "if-none-match");
  if (noneMatch !== "") return namesTag(noneMatch, etag, true) ? (isRead ? 304 : 412) : undefined;
  const since = isRead ? dateOf(header(request, "if-modified-since")) : undefined;
  return since !== undefined && (isVolatile ? modified < since : modified <= since) ? 304 : undefined;
}

/** Whether a list of entity tags contains this one or is `*`. Everything after an invalid tag is ignored. */
function namesTag(list: string, etag: string, weakly: boolean): boolean {
  for (let rest = list.trim(); rest !== ""; rest = rest.trimStart()) {
    if (rest.startsWith(",")) {
      rest = rest.slice(1);
      continue;
    }
    if (rest.startsWith("*")) return true;
    const tag = tagAt(rest);
    if (tag === undefined) return false;
    if (etag !== "" && (weakly ? tag.replace(/^W\//, "") === etag : tag === etag)) return true;
    rest = rest.slice(tag.length);
  }
  return false;
}

/** Returns the entity tag at the start of a text. */
function tagAt(text: string): string | undefined {
  const open = text.startsWith("W/") ? 2 : 0;
  if (text[open] !== '"') return undefined;
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '"') return text.slice(0, at + 1);
    const code = text.charCodeAt(at);
    if (code < 0x21 || code === 0x7f) return undefined;
  }
  return undefined;
}

/** Whether If-Range is absent or matches the current content. Ignored for methods other than GET and HEAD. */
function isRangeCurrent(request: Request, etag: string, modified: number): boolean {
  const asked = header(request, "if-range");
  if (asked === "" || (request.method !== "GET" && request.method !== "HEAD")) return true;
  const tag = tagAt(asked);
  return tag === undefined ? dateOf(asked) === modified : tag === etag && !tag.startsWith("W/");
}

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:[a-z]{0,6}day)?,? /;

/** Seconds since the epoch of a date in one of HTTP's three forms; undefined for anything else. */
function dateOf(text: string): number | undefined {
  if (text.length > 40 || !httpDate.test(text)) return undefined;
  const milliseconds = Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}

/** Returns the requested range, with an exclusive end. Several ranges are answered with the whole content, as RFC 9110 allows. */
function rangeOf(asked: string, size: number): { from: number; to: number } | { error: string } | undefined {
  if (asked === "") return undefined;
  const invalid = { error: "invalid range" };
  if (!asked.startsWith("bytes=")) return invalid;
  const specs = asked.slice("bytes=".length).split(",").map((spec) => spec.trim()).filter((spec) => spec !== "");
  if (specs.length !== 1) return undefined;
  const dash = specs[0]!.indexOf("-");
  if (dash < 0) return invalid;
  const first = specs[0]!.slice(0, dash).trim(), last = specs[0]!.slice(dash + 1).trim();
  if (first === "") {
    return /^\d+$/.test(last) ? { from: Math.max(0, size - Number(last)), to: size } : invalid;
  }
  // Go's ParseInt accepts a plus sign.
  if (!/^\+?\d+$/.test(first)) return invalid;
  const from = Number(first);
  if (from >= size) return { error: noOverlap };
  if (last === "") return { from, to: size };
  if (!/^\+?\d+$/.test(last) || Number(last) < from) return invalid;
  return { from, to: Math.min(size, Number(last) + 1) };
}

/** Returns the first header of a name, or "". */
function header({ headers }: Request, name: string): string {
  const { [name]: value = "" } = headers;
  return typeof value === "string" ? value : value[0] ?? "";
}
