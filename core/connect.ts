/** Subresources that connect a client with another server: logs of a container, commands in it, ports, and proxies. */
import { OptionError, optionsOfQuery, type QueryValues } from "./derive/query-options.ts";
import type { RequestHookContext } from "./hook-context.ts";
import type { StructNode, Typed } from "./schema.ts";
import type { Channel, HeaderFields, Peers } from "./peers.ts";
import { badRequestError } from "./status-error.ts";
import type { GroupVersion } from "./versions.ts";

export {
  type Channel,
  type Coding,
  type HeaderFields,
  type PeerAccess,
  PeerError,
  type PeerRequest,
  type PeerResponse,
  type Peers,
} from "./peers.ts";

/** The request of a client that is passed on. */
export interface Forwarded {
  /** The method, as the client has written it. */
  readonly method: string;
  /** Path and query, as the client has written them. */
  readonly url: string;
  /** The path without escapes. */
  readonly path: string;
  /** The headers, without credentials. */
  readonly headers: HeaderFields;
  /** The content; undefined if there is none. */
  readonly body: AsyncIterable<Uint8Array> | undefined;
  /** Whether the connection of the client can change its protocol. */
  readonly mayUpgrade: boolean;
  /** Host and port of the client. */
  readonly remote: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Reaches other servers. */
  readonly peers: Peers;
}

/** The request of a client at a subresource that connects. */
export interface ConnectRequest<Options = any> extends Forwarded {
  /** The options in the query. */
  readonly options: Options;
  /** The namespace in the path; "" for a cluster-wide resource. */
  readonly namespace: string;
  /** The name in the path. It may have further parts, such as `https:web:443`. */
  readonly name: string;
  /** The part of the path below the subresource, with its slashes; "" if there is none. */
  readonly rest: string;
  /** Throws 403 unless the user also has the right to this verb on the same path. */
  authorize(verb: string): Promise<void>;
}

/** The reply to a client. */
export interface ConnectReply {
  /** The status code. */
  readonly status: number;
  /** The headers. Default: none. */
  readonly headers?: HeaderFields;
  /** The content. With a channel: the bytes that arrive there. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Returns the trailers, which follow the content. It is called at its end. */
  readonly trailers?: () => HeaderFields;
  /** With status 101: receives what the client sends. */
  readonly channel?: Pick<Channel, "send" | "close">;
  /** With status 101, for a client that offers a websocket: each chunk is a message, `lines` as text and `whole` as bytes. Chunks of text must end at a newline or have none. */
  readonly messages?: "lines" | "whole";
}

/** A subresource whose requests are passed on to another server, and whose replies are not objects. They may last for any time. */
export interface SubresourceConnect<Options = any> {
  /** The kind of the options in the query. Admission sees it as the object of a CONNECT. */
  readonly options: { readonly groupVersion: GroupVersion; readonly schema: Typed<Options, StructNode> };
  /** The methods that the path has. */
  readonly methods: readonly string[];
  /** Whether paths below the subresource belong to it. */
  readonly hasPath?: true;
  /** Whether requests read something of the object, such as its log: there is then no admission, and discovery shows the kind of the object. */
  readonly isRead?: true;
  /** Makes the reply. A StatusError that it throws is the response. */
  open(request: ConnectRequest<Options>, context: RequestHookContext): Promise<ConnectReply>;
}

/** The verbs of the API by method, for discovery. HEAD and OPTIONS have none. */
const verbOf: Readonly<Record<string, "create" | "delete" | "get" | "patch" | "update">> = Object.freeze({
  POST: "create",
  DELETE: "delete",
  GET: "get",
  PATCH: "patch",
  PUT: "update",
});

/** Returns the verbs that discovery shows, in alphabetical order. */
export function verbsOfConnect(
  { methods }: Pick<SubresourceConnect, "methods">,
): readonly ("create" | "delete" | "get" | "patch" | "update")[] {
  return methods.flatMap((method) => verbOf[method] ?? []).sort();
}

/** Headers with the identity of the client, which other servers must not see. */
const credentials: ReadonlySet<string> = new Set(["authorization", "x-remote-user", "x-remote-uid", "x-remote-group"]);
const credentialPrefixes = Object.freeze(["impersonate-", "x-remote-extra-"]);
/** How a websocket's subprotocol begins that has the token of a browser, which cannot send headers. */
export const tokenProtocol = "base64url.bearer.authorization.";

/** Names of headers, and beginnings of names, in lower case. */
export interface HeaderNames {
  /** Whole names. */
  readonly names: readonly string[];
  /** Beginnings of names. */
  readonly prefixes: readonly string[];
}
const noNames: HeaderNames = Object.freeze({ names: [], prefixes: [] });

/** Returns the headers without the credentials of the client. `further` names more headers that say who a user is. */
export function withoutCredentials(headers: HeaderFields, { names, prefixes }: HeaderNames = noNames): HeaderFields {
  const all = [...credentialPrefixes, ...prefixes];
  const kept = Object.entries(headers).filter(([name]) =>
    !credentials.has(name) && !names.includes(name) && !all.some((prefix) => name.startsWith(prefix))
  );
  return Object.fromEntries(kept.flatMap(([name, value]): [string, typeof value][] => {
    if (name !== "sec-websocket-protocol" || value === undefined) return [[name, value]];
    const protocols = [value].flat().flatMap((line) => line.split(",")).map((word) => word.trim()).filter((word) =>
      !word.startsWith(tokenProtocol)
    );
    return protocols.length === 0 ? [] : [[name, protocols.join(", ")]];
  }));
}

/** Returns the options of a request, with their kind. A field `path` has the part of the path below the subresource. Throws 400 for an option that cannot be read. */
export function optionsOfConnect(
  { schema, kind, apiVersion }: { readonly schema: StructNode; readonly kind: string; readonly apiVersion: string },
  query: QueryValues,
  rest: string,
): object {
  try {
    return { kind, apiVersion, ...optionsOfQuery(schema, query), ...(Object.hasOwn(schema.fields, "path") ? { path: rest } : {}) };
  } catch (error) {
    throw error instanceof OptionError ? badRequestError(error.message) : error;
  }
}

/** Returns the part of a path below a subresource, of which `parts` are the segments. A slash at the end of the whole path is kept. */
export function restOf(parts: readonly string[], path: string): string {
  const joined = parts.join("/"), begun = joined === "" || joined.startsWith("/") ? joined : `/${joined}`;
  return path.endsWith("/") && !begun.endsWith("/") ? `${begun}/` : begun;
}
