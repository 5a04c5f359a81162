/** Headers on their way through a proxy (RFC 9110, section 7.6.1; Go's ReverseProxy). */
import type { HeaderFields } from "../connect.ts";

/** Headers that are about one connection. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Headers that permit pages of other sites to read a reply: a proxied server does not decide about the server in front of it. */
const crossOrigin: ReadonlySet<string> = new Set([
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
]);

/** Returns the words of a header with a list, in lower case. */
export function wordsOf(value: HeaderFields[string]): readonly string[] {
  return [value ?? []].flat().flatMap((line) => line.split(",")).map((word) => word.trim().toLowerCase()).filter((word) => word !== "");
}

/** Whether the client offers another protocol. */
export function offersUpgrade(headers: HeaderFields): boolean {
  return headers["upgrade"] !== undefined && wordsOf(headers["connection"]).includes("upgrade");
}

/** Returns the headers without those of the connection. It cannot name those that say where a request goes and where it ends. */
export function withoutHops(headers: HeaderFields): HeaderFields {
  const named = new Set(wordsOf(headers["connection"]).filter((name) => name !== "content-length" && name !== "host"));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name)));
}

/** Returns the headers of a reply for the client. */
export function repliedHeaders(headers: HeaderFields): HeaderFields {
  return Object.fromEntries(Object.entries(withoutHops(headers)).filter(([name]) => !crossOrigin.has(name)));
}

/** Headers that change what a message or its framing means: as trailers they would come too late (Go's httpguts). */
const noTrailers: ReadonlySet<string> = new Set([
  ...hopByHop,
  ...["authorization", "cache-control", "content-encoding", "content-length", "content-range", "content-type", "expect", "host"],
  ...["max-forwards", "pragma", "range", "realm", "www-authenticate"],
]);

function mayTrail(name: string): boolean {
  return !name.startsWith("if-") && !noTrailers.has(name);
}

/** Returns the trailers of a reply for the client. */
export function repliedTrailers(trailers: HeaderFields): HeaderFields {
  return Object.fromEntries(Object.entries(trailers).filter(([name]) => mayTrail(name)));
}

/** Returns the header that names the trailers of a reply; none if it has none. */
export function announcedTrailers(headers: HeaderFields): HeaderFields {
  const names = wordsOf(headers["trailer"]).filter(mayTrail);
  return names.length === 0 ? {} : { trailer: names.join(", ") };
}

/** Returns the value of X-Forwarded-For: earlier addresses, and that of the client. `remote`: host and port. */
export function forwardedFor(headers: HeaderFields, remote: string): string {
  const colon = remote.lastIndexOf(":"), host = (colon < 0 ? remote : remote.slice(0, colon)).replace("[", "").replace("]", "");
  return [...[headers["x-forwarded-for"] ?? []].flat(), host].join(", ");
}
