/** Passes the request of a client on to another server, and its reply back. */
import { type ConnectReply, type Forwarded, type HeaderFields, type PeerAccess, PeerError, type PeerResponse } from "../connect.ts";
import { escapePath } from "../net/percent.ts";
import { bytesOfText } from "../net/url/bytes.ts";
import { Unreadable } from "../scalars/unreadable.ts";
import { badRequestError, internalError, StatusError } from "../status-error.ts";
import { announcedTrailers, forwardedFor, offersUpgrade, repliedHeaders, repliedTrailers, withoutHops } from "./headers.ts";
import { withLinks } from "./links/with-links.ts";
import { type Page, proxiedUrl } from "./paths.ts";

/** Where a request goes. */
export interface Destination {
  /** Scheme, host and port, such as `https://10.0.0.1:10250`. */
  readonly origin: string;
  /** The path there, without escapes; "" for the root, to which a browser is redirected first. */
  readonly path: string;
  /** The query of a request that must change the protocol. Other requests keep their query. */
  readonly query?: string;
  /** The credentials. */
  readonly access: PeerAccess;
  /** Whether only requests that change the protocol are passed on. */
  readonly needsUpgrade?: true;
}

/** Makes the reply to a client. Throws a StatusError if there is none. */
export async function passOn(request: Forwarded, to: Destination): Promise<ConnectReply> {
  if (offersUpgrade(request.headers) && request.mayUpgrade) return await upgraded(request, to);
  if (to.needsUpgrade) throw badRequestError("Upgrade request required");
  const path = !to.path.endsWith("/") && request.path.endsWith("/") ? `${to.path}/` : to.path, query = queryOf(request.url);
  if (path === "" && (request.method === "GET" || request.method === "HEAD")) {
    return { status: 301, headers: { location: `${escapePath(request.path)}/${query}` }, body: "" };
  }
  return await plain(request, to, path, query);
}

async function plain(request: Forwarded, to: Destination, path: string, query: string): Promise<ConnectReply> {
  const { origin, access } = to, { method, headers, body, signal, peers } = request, prefix = prefixOf(request.path, path);
  const kept = withoutHops(headers);
  const sent: HeaderFields = {
    ...kept,
    // A body of unknown length is sent in chunks.
    ...(body !== undefined && kept["content-length"] === undefined ? { "transfer-encoding": "chunked" } : {}),
    "x-forwarded-for": forwardedFor(headers, request.remote),
    "x-forwarded-uri": escapePath(prefix + path),
  };
  let response: PeerResponse;
  try {
    response = await peers.ask({ method, url: `${origin}${rooted(path)}${query}`, headers: sent, body, access, signal });
  } catch (error) {
    throw unavailable("error trying to reach service", error);
  }
  const page: Page = { host: hostOf(origin), requestHost: String(headers["host"] ?? ""), prefix: bytesOfText(prefix) };
  const { status, headers: got, body: content, trailers } = response, location = [got["location"] ?? ""].flat()[0];
  const moved = location === "" || location === undefined ? undefined : proxiedUrl(location, page);
  if (moved instanceof Unreadable) {
    await content[Symbol.asyncIterator]().return?.();
    throw internalError(`error trying to parse Location header: ${moved.error}`);
  }
  const shown = { ...repliedHeaders(got), ...(moved === undefined ? {} : { location: moved }), ...announcedTrailers(got) };
  const reply = {
    status,
    headers: shown,
    body: content,
    ...(trailers === undefined ? {} : { trailers: () => repliedTrailers(trailers()) }),
  };
  return moved === undefined ? await withLinks(reply, page, peers) : reply;
}

/** Resolves with a reply to an offer of another protocol. An error of the server is passed on, any other reply but 101 is a mistake. */
async function upgraded(request: Forwarded, to: Destination): Promise<ConnectReply> {
  const { method, headers, signal, peers } = request, { access } = to, url = urlOf(to);
  let response: PeerResponse;
  try {
    response = await peers.ask({
      method,
      url,
      headers: { ...headers, "x-forwarded-for": forwardedFor(headers, request.remote) },
      access,
      signal,
    });
  } catch (error) {
    throw error instanceof PeerError && error.isDial ? unreached("error dialing backend", error) : unreached("", error);
  }
  const { status, channel, body } = response;
  if (channel !== undefined) return { status, headers: response.headers, body, channel };
  if (status >= 400) return { status, headers: withoutHops(response.headers), body };
  await body[Symbol.asyncIterator]().return?.();
  throw new StatusError("Unknown", `invalid upgrade response: status code ${status}`, { code: 500 });
}

/** Returns the error of a server that has no answer, as upstream's proxy has it. */
function unavailable(what: string, error: unknown): unknown {
  if (!(error instanceof PeerError)) return error;
  return new StatusError("ServiceUnavailable", `${what}: ${error.message}`, { cause: error });
}
/** Works like `unavailable`, with code 500 and without a reason. */
export function unreached(what: string, error: unknown): unknown {
  if (!(error instanceof PeerError)) return error;
  return new StatusError("Unknown", what === "" ? error.message : `${what}: ${error.message}`, { code: 500, cause: error });
}

/** Returns the URL of a request that must change the protocol. */
export function urlOf({ origin, path, query = "" }: Destination): string {
  return `${origin}${rooted(path)}${query === "" ? "" : `?${query}`}`;
}

/** Returns a path as in a URL. Admission may have set one without a slash, which would be a part of the host. */
function rooted(path: string): string {
  const escaped = escapePath(path);
  return escaped === "" || escaped.startsWith("/") ? escaped : `/${escaped}`;
}

/** Returns the path of the proxy: that of the request without the path at the server. */
function prefixOf(whole: string, path: string): string {
  return whole.endsWith(path) ? whole.slice(0, whole.length - path.length) : whole;
}

/** Returns the query of a URL, with its mark. */
function queryOf(url: string): string {
  const mark = url.indexOf("?");
  return mark < 0 ? "" : url.slice(mark);
}

function hostOf(origin: string): string {
  return origin.slice(origin.indexOf("//") + 2);
}
