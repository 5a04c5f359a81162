/** Redirects of remote servers. */
import type { RemoteAccess } from "./remote-access.ts";
import { bound } from "../../core/bound.ts";

/** Redirects of one request within the origin of a remote server (Go's http.Client). */
const remoteRedirectsMax = bound(10);

/** Codes that keep method and body, and codes after which a client may send a GET. */
const kept: ReadonlySet<number> = new Set([307, 308]), changed: ReadonlySet<number> = new Set([301, 302, 303]);

/**
 * Returns the address to which an answer redirects, if the client follows it there: only within the origin of the first address, so that
 * neither the content of a request nor credentials reach another server, and a server cannot make this one ask a third. A POST is not
 * followed by a GET.
 */
export function redirectOf(
  { status, location, method }: { readonly status: number; readonly location: string | undefined; readonly method: string },
  from: URL,
  { server, host }: Pick<RemoteAccess, "server" | "host">,
): URL | undefined {
  if (location === undefined || !(kept.has(status) || method === "GET" && changed.has(status))) return undefined;
  // The server knows itself by the name in the Host header, if that differs from its address.
  const named = new URL(`${from.protocol}//${host ?? from.host}${from.pathname}${from.search}`), to = URL.parse(location, named);
  if (to === null || to.origin !== named.origin || to.username !== "" || to.password !== "") return undefined;
  return new URL(`${server.origin}${to.pathname}${to.search}`);
}

/** Throws for one redirect too many. */
export function checkRedirects(followed: number): void {
  if (followed >= remoteRedirectsMax) throw new Error(`stopped after ${remoteRedirectsMax} redirects`);
}
