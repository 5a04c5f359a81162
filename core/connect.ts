/** Subresources that connect a client with another server: logs of a container, commands in it, ports, and proxies. */
import { OptionError, optionsOfQuery, type QueryValues } from "./derive/query-options.ts";
import type { RequestHookContext } from "./hook-context.ts";
import type { StructNode, Typed } from "./schema.ts";
import { badRequestError } from "./status-error.ts";
import type { GroupVersion } from "./versions.ts";

/** Headers by lower-case name. A list is sent as repeated headers. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Bytes in both directions, after both sides have agreed on a protocol. */
export interface Channel {
  /** The bytes that arrive. The other side waits while none are taken. It must be iterated once; the end of the iteration closes the channel. */
  readonly received: AsyncIterable<Uint8Array>;
  /** Sends bytes. The promise, if any, resolves when more may be sent; it never rejects. */
  send(bytes: Uint8Array): Promise<void> | undefined;
  /** Ends both directions. */
  close(): void;
}

/** How another server is reached. Its files are read again for a request that comes ten seconds later or more. */
export interface PeerAccess {
  /** The file with the PEM of the CAs that are trusted. Default: the server's certificate is not verified. */
  readonly caFile?: string;
  /** The file with the certificate that this server shows. Default: none. */
  readonly certFile?: string;
  /** The file with the key of that certificate. */
  readonly keyFile?: string;
}

/** A request to another server. */
export interface PeerRequest {
  /** The method. */
  readonly method: string;
  /** The whole URL: `https://10.0.0.1:10250/pods`. */
  readonly url: string;
  /** The headers, with those of the framing of the body. */
  readonly headers: HeaderFields;
  /** The content, which is read as the other server takes it. Default: none. */
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  /** The credentials. */
  readonly access: PeerAccess;
  /** Ends the request and its response. */
  readonly signal: AbortSignal;
}

/** The response of another server. Its content must be iterated, or the signal of the request be aborted. */
export interface PeerResponse {
  /** The status code. */
  readonly status: number;
  /** The headers, with those of the connection. */
  readonly headers: HeaderFields;
  /** The content. The other server waits while none is taken. */
  readonly body: AsyncIterable<Uint8Array>;
  /** With status 101: the connection in the new protocol. */
  readonly channel?: Channel;
}

/** Why a server could not be reached, or has answered nonsense. The message has the address and no secret. */
export class PeerError extends Error {
  /** Whether no connection could be made. */
  readonly isDial: boolean;
  /** Whether there is none because the server's certificate is not trusted. */
  readonly isTrust: boolean;
  /** Makes the error of a failure. */
  constructor(message: string, { isDial = false, isTrust = false, cause }: { isDial?: boolean; isTrust?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = "PeerError";
    this.isDial = isDial;
    this.isTrust = isTrust;
  }
}

/** Reaches other servers. */
export interface Peers {
  /** Sends a request. Rejects with a PeerError, or with the reason of the signal. */
  ask(request: PeerRequest): Promise<PeerResponse>;
  /** Resolves with the addresses of a name; an address is its own. Rejects with a PeerError if there are none. */
  addressesOf(host: string): Promise<readonly string[]>;
}

/** The request of a client at a subresource that connects. */
export interface ConnectRequest<Options = any> {
  /** The options in the query. */
  readonly options: Options;
  /** The method, as the client has written it. */
  readonly method: string;
  /** Path and query, as the client has written them. */
  readonly url: string;
  /** The path without escapes. */
  readonly path: string;
  /** The namespace in the path; "" for a cluster-wide resource. */
  readonly namespace: string;
  /** The name in the path. It may have further parts, such as `https:web:443`. */
  readonly name: string;
  /** The part of the path below the subresource, with its slashes; "" if there is none. */
  readonly rest: string;
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
  /** With status 101: receives what the client sends. */
  readonly channel?: Pick<Channel, "send" | "close">;
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
const tokenProtocol = "base64url.bearer.authorization.";

/** Returns the headers without the credentials of the client. */
export function withoutCredentials(headers: HeaderFields): HeaderFields {
  const kept = Object.entries(headers).filter(([name]) =>
    !credentials.has(name) && !credentialPrefixes.some((prefix) => name.startsWith(prefix))
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
