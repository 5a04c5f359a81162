/** Checks the fields of a request (RFC 9113, sections 8.2 and 8.3) and makes a head of them. */
import type { Field } from "../../../protocols/http2/header-decoder.ts";
import { consistsOf, hostCharacters, nameCharacters, targetCharacters, tokenCharacters, valueCharacters } from "../characters.ts";

export interface RequestHead {
  readonly method: string;
  readonly url: string;
  /** Lower-case names; `:authority` is `host`. Repeated headers in order. */
  readonly headers: Record<string, string | string[]>;
  /** The announced length of the body. */
  readonly length: number | undefined;
}

/** Headers of HTTP/1.1 connections, which HTTP/2 forbids: a proxy could take them for framing. */
const forbidden: ReadonlySet<string> = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]);

/** Whether the name and the value of a field have allowed characters only: no CR, LF or NUL, no upper-case names. */
export function isValidField(name: string, value: string): boolean {
  const isPseudo = name.charCodeAt(0) === colon;
  if (name === "" || !consistsOf(isPseudo ? name.slice(1) : name, nameCharacters)) return false;
  if (!consistsOf(value, valueCharacters) || isBlank(value.charCodeAt(0)) || isBlank(value.charCodeAt(value.length - 1))) return false;
  return !forbidden.has(name) && (name !== "te" || value === "trailers");
}
const colon = 0x3a;

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * A record that inherits nothing: a header may be called `__proto__` or `constructor`. V8 makes `Object.create(null)` a hash table, which
 * takes longer to fill and to enumerate.
 */
const HeaderRecord = function () {} as unknown as new () => Record<string, string | string[]>; // a function can be a constructor
HeaderRecord.prototype = Object.create(null);

/** The head of a request; undefined if it is malformed. */
export function requestHead(fields: readonly Field[], endsHere: boolean): RequestHead | undefined {
  const headers = new HeaderRecord();
  let method: string | undefined, scheme: string | undefined, path: string | undefined, authority: string | undefined;
  // Clients may send each cookie in a separate field (RFC 9113, section 8.2.3). Joined once: a string that grows by each takes 100 bytes for each.
  const cookies: string[] = [];
  let isRegular = false;
  for (const field of fields) {
    const { name, value } = field;
    if (!field.isValid) return undefined;
    if (name.charCodeAt(0) !== colon) {
      isRegular = true;
      if (name === "cookie") cookies.push(value);
      else if (name !== "host" || authority === undefined) addHeader(headers, name, value);
      continue;
    }
    if (isRegular) return undefined;
    if (name === ":method" && method === undefined) method = value;
    else if (name === ":path" && path === undefined) path = value;
    else if (name === ":scheme" && scheme === undefined) scheme = value;
    else if (name === ":authority" && authority === undefined) headers["host"] = authority = value;
    else return undefined;
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
  if (method === undefined || method === "" || !consistsOf(method, tokenCharacters)) return undefined;
  if (authority !== undefined && !consistsOf(authority, hostCharacters)) return undefined;
  if (method === "CONNECT") {
    // The target is the authority (RFC 9113, section 8.5).
    return path !== undefined || scheme !== undefined || !authority ? undefined : { method, url: authority, headers, length: undefined };
  }
  if (scheme !== "https" && scheme !== "http") return undefined;
  if (path === undefined || !(path.startsWith("/") || path === "*") || !consistsOf(path, targetCharacters)) return undefined;
  const length = announcedLength(headers["content-length"]);
  if (length === malformed || (endsHere && length !== undefined && length !== 0)) return undefined;
  return { method, url: path, headers, length };
}

/** Whether trailers are well-formed. They are ignored. */
export function areTrailers(fields: readonly Field[]): boolean {
  return fields.every(({ name, isValid }) => isValid && name.charCodeAt(0) !== colon);
}

function addHeader(headers: Record<string, string | string[]>, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else if (typeof before === "string") headers[name] = [before, value];
  else before.push(value);
}

const malformed = -1;
/** The length that a client announces; `malformed` if it is not one number. */
function announcedLength(value: string | string[] | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value === "" || value.length > 15) return malformed;
  for (let at = 0; at < value.length; at++) if (value.charCodeAt(at) < 0x30 || value.charCodeAt(at) > 0x39) return malformed;
  return Number(value);
}
