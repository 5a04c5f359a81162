/** Paths of proxied requests, and where redirects and links lead. */
import { parseReferenceBytes, type Url, urlBytes } from "../net/url/parse.ts";
import { Unreadable } from "../scalars/unreadable.ts";

/** As Go's `path.Join`, but a slash at the end is kept. */
export function joinPath(...parts: readonly string[]): string {
  const whole = parts.filter((part) => part !== "").join("/");
  if (whole === "") return "";
  const clean = cleanPath(whole);
  return whole.endsWith("/") && !clean.endsWith("/") ? `${clean}/` : clean;
}

/** As Go's `path.Clean`: without empty segments, `.` and `..`. */
function cleanPath(path: string): string {
  const isRooted = path.startsWith("/"), kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isRooted) kept.push(segment);
  }
  const joined = kept.join("/");
  return isRooted ? `/${joined}` : joined === "" ? "." : joined;
}

/** A page of a proxied server. */
export interface Page {
  /** Host and port of the server. */
  readonly host: string;
  /** The Host header of the client. */
  readonly requestHost: string;
  /** The path of the proxy without escapes, below which the server's paths are: a byte string. */
  readonly prefix: string;
}

/**
 * Returns the URL behind the proxy, of a URL on a page of the server, both as byte strings. URLs of other servers and relative ones keep
 * their place. All are written as Go writes them.
 */
export function proxiedUrl(bytes: string, { host, requestHost, prefix }: Page): string | Unreadable {
  const url = parseReferenceBytes(bytes);
  if (url instanceof Unreadable) return url;
  const isElsewhere = url.host !== "" && url.host !== host && url.host !== requestHost, path = url.path.plain;
  if (isElsewhere || !path.startsWith("/")) return urlBytes(url);
  const here: Url = url.host === requestHost ? url : { ...url, scheme: "", host: "" };
  return urlBytes(path.startsWith(prefix) ? here : { ...here, path: { plain: joinPath(prefix, path), written: "" } });
}
