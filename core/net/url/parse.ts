/** URLs with the grammar, errors and text of Go's `net/url`. Works on byte strings (`bytes.ts`), in linear time. */
import { Unreadable } from "../../scalars/unreadable.ts";
import { goQuote } from "../../tree/go-quote.ts";
import { parseAddress } from "../address.ts";
import { bytesOfText, quotable, textOfBytes } from "./bytes.ts";
import { escapeBytes, isEncoded, type Part, unescapeBytes } from "./escape.ts";
import { bound } from "../../bound.ts";

/** Parameters in the query of a URL in a CEL expression. With more, upstream's `getQuery` returns an empty map. */
const urlQueryParametersMax = bound(10_000);

/** The parts of a URL as byte strings. */
export interface Url {
  readonly scheme: string;
  /** The part after the scheme if it has no leading slash; empty otherwise. */
  readonly opaque: string;
  /** Name and password before the host. */
  readonly user: { readonly name: string; readonly password: string | undefined } | undefined;
  readonly host: string;
  readonly path: Escapable;
  readonly query: string;
  readonly fragment: Escapable;
  /** A `?` without a query. */
  readonly emptyQuery: boolean;
  /** A scheme and a path without `//`. */
  readonly withoutHost: boolean;
}

/** A part without escapes, and as it was written. */
interface Escapable {
  readonly plain: string;
  readonly written: string;
}

const nothing: Escapable = { plain: "", written: "" };
const blank: Url = {
  scheme: "",
  opaque: "",
  user: undefined,
  host: "",
  path: nothing,
  query: "",
  fragment: nothing,
  emptyQuery: false,
  withoutHost: false,
};

/** Checks an absolute URL or path, as `url.ParseRequestURI`. Returns its error, if any. */
export function requestUriMistake(text: string): Unreadable | undefined {
  const bytes = bytesOfText(text);
  const url = parseBytes(bytes, true);
  return url instanceof Unreadable ? ofWhole(bytes, url) : undefined;
}

/** Parses an absolute URL or path with a fragment. */
export function parseUrl(text: string): Url | Unreadable {
  const wrong = requestUriMistake(text);
  return wrong ?? parseReference(text);
}

/** Parses an absolute or relative URL with a fragment, as `url.Parse`. */
export function parseReference(text: string): Url | Unreadable {
  return parseReferenceBytes(bytesOfText(text));
}

/** Works like `parseReference`, for a byte string. */
export function parseReferenceBytes(bytes: string): Url | Unreadable {
  const [before, fragment] = cut(bytes, "#");
  const url = parseBytes(before, false);
  if (url instanceof Unreadable) return ofWhole(before, url);
  if (fragment === undefined || fragment === "") return url;
  const part = escapable(fragment, "fragment");
  return part instanceof Unreadable ? ofWhole(bytes, part) : { ...url, fragment: part };
}

function ofWhole(bytes: string, { error }: Unreadable): Unreadable {
  return new Unreadable(`parse ${goQuote(quotable(bytes))}: ${error}`);
}

function parseBytes(bytes: string, absolute: boolean): Url | Unreadable {
  if (hasControl(bytes)) return new Unreadable("net/url: invalid control character in URL");
  if (bytes === "" && absolute) return new Unreadable("empty url");
  if (bytes === "*") return { ...blank, path: { plain: "*", written: "*" } };
  const colon = schemeEnd(bytes);
  if (colon === 0) return new Unreadable("missing protocol scheme");
  const scheme = bytes.slice(0, Math.max(0, colon)).toLowerCase();
  const after = bytes.slice(colon + 1);
  const [before, query] = cut(after, "?");
  const emptyQuery = query === "", rest = before;
  const common = { ...blank, scheme, query: query ?? "", emptyQuery };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...common, opaque: rest };
    if (absolute) return new Unreadable("invalid URI for request");
    if (cut(rest, "/")[0].includes(":")) return new Unreadable("first path segment in URL cannot contain colon");
  }
  if (rest.startsWith("//") && (scheme !== "" || !absolute && !rest.startsWith("///"))) {
    const slash = rest.indexOf("/", 2), end = slash < 0 ? rest.length : slash;
    const authority = parseAuthority(scheme, rest.slice(2, end));
    if (authority instanceof Unreadable) return authority;
    const path = escapable(rest.slice(end), "path");
    return path instanceof Unreadable ? path : { ...common, ...authority, path };
  }
  const path = escapable(rest, "path");
  return path instanceof Unreadable ? path : { ...common, path, withoutHost: scheme !== "" && rest.startsWith("/") };
}

function hasControl(bytes: string): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at);
    if (byte < 0x20 || byte === 0x7f) return true;
  }
  return false;
}

/** Returns the index of the colon after the scheme; -1 if there is no scheme. */
function schemeEnd(bytes: string): number {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at), lower = byte | 0x20;
    if (byte === 0x3a) return at;
    const isLetter = lower >= 0x61 && lower <= 0x7a;
    const isOther = byte >= 0x30 && byte <= 0x39 || byte === 0x2b || byte === 0x2d || byte === 0x2e;
    if (!isLetter && (!isOther || at === 0)) return -1;
  }
  return -1;
}

function cut(bytes: string, separator: string): readonly [string, string | undefined] {
  const at = bytes.indexOf(separator);
  return at < 0 ? [bytes, undefined] : [bytes.slice(0, at), bytes.slice(at + 1)];
}

function escapable(written: string, part: Part): Escapable | Unreadable {
  const plain = unescapeBytes(written, part);
  return plain instanceof Unreadable ? plain : { plain, written };
}

function parseAuthority(scheme: string, authority: string): Pick<Url, "user" | "host"> | Unreadable {
  const at = authority.lastIndexOf("@");
  const host = parseHost(scheme, authority.slice(at + 1));
  if (host instanceof Unreadable) return host;
  if (at < 0) return { user: undefined, host };
  const info = authority.slice(0, at);
  if (!/^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/.test(info)) return new Unreadable("net/url: invalid userinfo");
  const [first, second] = cut(info, ":");
  const name = unescapeBytes(first, "user");
  if (name instanceof Unreadable) return name;
  const password = second === undefined ? undefined : unescapeBytes(second, "user");
  return password instanceof Unreadable ? password : { user: { name, password }, host };
}

function isPort(text: string): boolean {
  return /^(?::[0-9]*)?$/.test(text);
}
function wrongPort(text: string): Unreadable {
  return new Unreadable(`invalid port ${goQuote(quotable(text))} after host`);
}

function parseHost(scheme: string, host: string): string | Unreadable {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) return new Unreadable("invalid IP-literal");
  if (bracket === 0) return parseLiteral(host);
  const colon = host.indexOf(":");
  if (colon >= 0) {
    // Other schemes allow lists of hosts with ports.
    const port = host.slice(scheme === "http" || scheme === "https" ? colon : host.lastIndexOf(":"));
    if (!isPort(port)) return wrongPort(port);
  }
  return unescapeBytes(host, "host");
}

/** `[address]` with an optional port. */
function parseLiteral(host: string): string | Unreadable {
  const close = host.lastIndexOf("]");
  if (close < 0) return new Unreadable("missing ']' in host");
  const port = host.slice(close + 1);
  if (!isPort(port)) return wrongPort(port);
  const name = host.slice(1, close), zone = name.indexOf("%25");
  const address = unescapeBytes(zone < 0 ? name : name.slice(0, zone), "host");
  if (address instanceof Unreadable) return address;
  const scope = zone < 0 ? "" : unescapeBytes(name.slice(zone), "zone");
  if (scope instanceof Unreadable) return scope;
  const parsed = parseAddress(quotable(address + scope));
  if (parsed instanceof Unreadable) return new Unreadable(`invalid host: ${parsed.error}`);
  return parsed.bytes.length === 4 ? new Unreadable("invalid IP-literal") : `[${address}${scope}]${port}`;
}

/** Returns the written form if it is a valid encoding of the part, else the escaped part. */
function encodedPart({ plain, written }: Escapable, part: Part): string {
  const standard = escapeBytes(plain, part);
  return written === standard || written === "" || !isEncoded(written, part) ? standard : written;
}

/** Returns the path with escapes. */
export function escapedPath({ path }: Url): string {
  return path.plain === "*" ? "*" : encodedPart(path, "path");
}

/** Name and password with escapes. */
export function urlUser({ name, password }: NonNullable<Url["user"]>): string {
  return escapeBytes(name, "user") + (password === undefined ? "" : `:${escapeBytes(password, "user")}`);
}

/** Returns the text of the URL. */
export function urlText(url: Url): string {
  return textOfBytes(urlBytes(url));
}

/** Returns the byte string of the URL. */
export function urlBytes(url: Url): string {
  const { scheme, opaque, user, host, path, query, fragment, emptyQuery, withoutHost } = url;
  let out = scheme === "" ? "" : `${scheme}:`;
  if (opaque !== "") out += opaque;
  else {
    const hasAuthority = host !== "" || user !== undefined;
    if ((scheme !== "" || hasAuthority) && !(withoutHost && !hasAuthority)) {
      if (hasAuthority || path.plain !== "") out += "//";
      if (user !== undefined) out += `${urlUser(user)}@`;
      out += escapeBytes(host, "host");
    }
    const written = escapedPath(url);
    if (written !== "" && !written.startsWith("/") && host !== "") out += "/";
    if (out === "" && cut(written, "/")[0].includes(":")) out += "./";
    out += written;
  }
  if (emptyQuery || query !== "") out += `?${query}`;
  if (fragment.plain !== "") out += `#${encodedPart(fragment, "fragment")}`;
  return out;
}

/** Returns the host without port and brackets, and the port. */
export function hostAndPort({ host }: Url): { readonly name: string; readonly port: string } {
  const colon = host.lastIndexOf(":");
  const hasPort = colon >= 0 && isPort(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  return { name: name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name, port: hasPort ? host.slice(colon + 1) : "" };
}

/** Values of the query by name, in their order. Pairs with wrong escapes or semicolons are left out. */
export function queryValues({ query }: Url): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  const pairs = query.split("&");
  if (pairs.length > urlQueryParametersMax) return values;
  for (const pair of pairs) {
    if (pair === "" || pair.includes(";")) continue;
    const [first, second = ""] = cut(pair, "=");
    const name = unescapeBytes(first, "query"), value = unescapeBytes(second, "query");
    if (name instanceof Unreadable || value instanceof Unreadable) continue;
    const key = textOfBytes(name), known = values.get(key);
    if (known === undefined) values.set(key, [textOfBytes(value)]);
    else known.push(textOfBytes(value));
  }
  return values;
}
