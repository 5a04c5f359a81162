/** Paths of proxied requests, and where redirects lead. */

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

/** A URL in parts. A part that is absent is "". */
interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  /** Query and fragment, with their marks. */
  readonly rest: string;
}

function partsOf(url: string): Parts {
  const mark = url.search(/[?#]/), before = mark < 0 ? url : url.slice(0, mark), rest = mark < 0 ? "" : url.slice(mark);
  const colon = before.indexOf(":"), slash = before.indexOf("/");
  const hasScheme = colon > 0 && (slash < 0 || colon < slash);
  const scheme = hasScheme ? before.slice(0, colon) : "", after = hasScheme ? before.slice(colon + 1) : before;
  if (!after.startsWith("//")) return { scheme, host: "", path: after, rest };
  const end = after.indexOf("/", 2);
  return { scheme, host: end < 0 ? after.slice(2) : after.slice(2, end), path: end < 0 ? "" : after.slice(end), rest };
}

/** A page of a proxied server. */
export interface Page {
  /** Host and port of the server. */
  readonly host: string;
  /** The Host header of the client. */
  readonly requestHost: string;
  /** The path of the proxy, below which the server's paths are. */
  readonly prefix: string;
}

/** Returns the URL behind the proxy, of a URL on a page of the server. URLs of other servers and relative ones stay as they are. */
export function proxiedUrl(url: string, { host, requestHost, prefix }: Page): string {
  const parts = partsOf(url);
  const isElsewhere = parts.host !== "" && parts.host !== host && parts.host !== requestHost;
  if (isElsewhere || !parts.path.startsWith("/")) return url;
  const front = parts.host !== "" && parts.host === requestHost ? `${parts.scheme === "" ? "" : `${parts.scheme}:`}//${parts.host}` : "";
  return front + (parts.path.startsWith(prefix) ? parts.path : joinPath(prefix, parts.path)) + parts.rest;
}
