/** The API in process: the same steps as a client's request from the path on, without a socket. */
import { type Clock, pause } from "../../core/async.ts";
import { typedApis } from "../../core/typed-api.ts";
import { objectApi } from "../../core/client/object-api.ts";
import { statusErrorOf } from "../../core/client/status-error-of.ts";
import type { ApiRequest, WatchEvent } from "../../core/client/transport.ts";
import { goJson } from "../../core/tree/json-text.ts";
import type { AuthorizationDecision } from "../../core/access.ts";
import type { Api } from "../../core/api.ts";
import { type GroupVersion, splitGroupVersion } from "../../core/versions.ts";
import type { Json, JsonObject } from "../../core/schema.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { StatusError } from "../../core/status-error.ts";
import { spell } from "../../core/names.ts";
import type { UserInfo } from "../../core/user-info.ts";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { AuditFailure } from "../../kernel/access/audit/mod.ts";
import { errorReply, replies } from "../../kernel/handle.ts";
import { dispatch } from "../../kernel/pipeline/dispatch.ts";
import { type Endpoint } from "../../kernel/catalog/catalog.ts";
import { type RequestInfo, requestInfo } from "../../kernel/request/request-info.ts";
import { route } from "../../kernel/request/route.ts";
import type { Server } from "../../kernel/server.ts";
import { noteFailure } from "../../kernel/respond/audited.ts";
import { isBug, toStatusError } from "../../kernel/respond/failure.ts";
import { Warnings } from "../../kernel/request/warnings.ts";
import { SharedValues } from "./shared-values.ts";
import { bound } from "../../core/bound.ts";

/** Seconds of the shortest watch in process. The longest takes twice as long (the default of --min-request-timeout). */
export const localWatchSecondsMin = bound(1_800);
/** Milliseconds between two attempts of a controller that waits for its rights. */
const localAuthorizationRetryMs = bound(20);

/** Options of an API in process. */
export interface LocalOptions {
  /** User agent of its requests, and the owner of the fields that it writes. Default: the user's name. */
  readonly manager?: string;
  /** Called at the start of each watch with the Go type of its kind. The returned function is called after the delivery of each list. */
  readonly follows?: (kind: string) => () => void;
  /** The user of its GET requests. Default: `user`. */
  readonly reader?: UserInfo;
  /**
   * Milliseconds from now during which a forbidden call is retried before it fails: the roles of a first start are written while
   * controllers start. Default 0.
   */
  readonly patientMs?: number;
  /** Ends the retries of forbidden calls when it aborts. */
  readonly patientWhile?: AbortSignal;
  /** Clock of the delays between failed watches. Default: the system's. */
  readonly clock?: Clock;
}

/** An API whose calls are made as `user` and authorized like those of any client. */
export function localApi(server: Server, user: UserInfo, options: LocalOptions = {}): Api {
  const { manager = user.name, follows = () => () => {}, reader = user, patientMs = 0, patientWhile = never, clock } = options;
  const shared = sharedValuesOf(server);
  /** End of the retries (performance.now()). The first allowed call ends them: all rights of a user are written at the same time. */
  let patientUntil = performance.now() + patientMs;
  /** Rejects with 403 if the caller is not authorized. */
  async function authorize(caller: UserInfo, info: RequestInfo, decided: DecisionSink): Promise<void> {
    for (;;) {
      try {
        await server.authorize(caller, info, decided);
        if (caller === user) patientUntil = 0;
        return;
      } catch (error) {
        const isRefused = error instanceof StatusError && error.reason === "Forbidden";
        if (!isRefused || patientWhile.aborted || performance.now() >= patientUntil) throw error;
        await pause(localAuthorizationRetryMs, patientWhile);
      }
    }
  }
  async function send(request: ApiRequest): Promise<Reply> {
    const { method, url, body, signal = never, watchScope = "everything", accept = "application/json" } = request;
    const { contentType = "application/json" } = request;
    const bytes = body === undefined ? new Uint8Array() : new TextEncoder().encode(goJson(body as Json));
    const exchange: Exchange = {
      method,
      url,
      headers: { accept, "content-type": contentType, "user-agent": manager },
      body: () => Promise.resolve(bytes),
      peer: undefined,
      remote: "local",
      protocol: "HTTP/1.1",
      watchScope,
      signal,
    };
    const info = requestInfo(method, url)!; // Our own URLs are well-formed.
    server.countOwnRequest(method, info);
    const caller = method === "GET" ? reader : user;
    const audit = server.audit?.begin(exchange, info, caller, crypto.randomUUID(), server.audit.now());
    try {
      await audit?.received();
      await authorize(caller, info, audit?.decided);
      const { catalog } = server;
      const { group, version, resource } = info;
      const where = route(info, method, catalog, catalog.endpoint(group, version, resource) ?? catalog.unserved(group, version, resource));
      const call = { exchange, info, where, user: caller, audit: audit?.notes, catalog, server, warnings: new Warnings(), step() {} };
      const reply = await dispatch(call, replies);
      return audit === undefined ? reply : await audit.end(reply);
    } catch (error) {
      const failure = toStatusError(error, info, server.report);
      const reply = errorReply(exchange, failure, server.catalog);
      if (audit === undefined || error instanceof AuditFailure) return reply;
      noteFailure(audit.notes, failure);
      return await (isBug(error) ? audit.panicked(failure.message, reply) : audit.end(reply));
    }
  }
  const errorOf = async (reply: Reply) => statusErrorOf(valueOf(await textOf(reply), shared));
  async function ask(request: ApiRequest): Promise<any> {
    const reply = await send(request);
    if (reply.status >= 400) throw await errorOf(reply);
    return valueOf(await textOf(reply), shared);
  }
  /** The apiVersion and kind of the objects of a resource; the kind is "" if it is not served. */
  const typeOf = (version: GroupVersion, resource: string) => {
    const apiVersion = spell(server.catalog.names, version);
    const { group, version: own } = splitGroupVersion(apiVersion);
    return { apiVersion, kind: server.catalog.endpoint(group, own, resource)?.kind ?? "" };
  };
  const objects = objectApi({
    names: () => server.catalog.names,
    fieldManager: manager,
    ask,
    async watch(request) {
      const reply = await send(request);
      if (reply.status !== 200 || typeof reply.body === "string" || reply.body instanceof Uint8Array) throw await errorOf(reply);
      return eventsOf(reply.body);
    },
    typeOf,
    // On the wire only the list has the type of its items.
    itemsOf({ items }, version, resource) {
      const type = typeOf(version, resource);
      return items.map((item) => ({ ...item, ...type }));
    },
    follows(version, resource) {
      const { group, version: own } = splitGroupVersion(spell(server.catalog.names, version));
      return follows(`*${own}.${server.catalog.endpoint(group, own, resource)?.kind ?? resource}`);
    },
    following: { watchSecondsMin: localWatchSecondsMin, retries: () => false },
  }, clock);
  const api: Api = {
    ...objects,
    of: typedApis(() => api),
    collections: (verb) =>
      server.catalog.groups.flatMap(({ versions }) => {
        // Each resource in the first version that has it: the preferred version of a group may lack it.
        const found = new Map<string, Endpoint>();
        for (const { endpoints } of versions) for (const each of endpoints) if (!found.has(each.plural)) found.set(each.plural, each);
        return [...found.values()].filter(({ verbs }) => (verbs as readonly string[]).includes(verb))
          .map(({ apiVersion, plural, kind, namespaced }) => ({ groupVersion: apiVersion, resource: plural, kind, namespaced }));
      }),
    async *followCollections(verb, signal) {
      while (!signal.aborted) {
        const changed = server.catalogChanged(signal);
        yield api.collections(verb);
        await changed;
      }
    },
  };
  return api;
}

const never = new AbortController().signal;
/** Receives the authorizer's decision for the audit event. */
type DecisionSink = ((decision: AuthorizationDecision) => void) | undefined;

async function textOf(reply: Reply): Promise<string> {
  if (typeof reply.body === "string") return reply.body;
  const decoder = new TextDecoder();
  if (reply.body instanceof Uint8Array) return decoder.decode(reply.body);
  let text = "";
  for await (const chunk of reply.body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** By server, for all APIs in its process. */
const sharedValues = new WeakMap<Server, SharedValues>();
function sharedValuesOf(server: Server): SharedValues {
  const known = sharedValues.get(server) ?? new SharedValues();
  sharedValues.set(server, known);
  return known;
}

/**
 * The value of a JSON text of this server. The caller's type describes it. The items of a list are shared apart from its metadata, which
 * differ from one reader to the next.
 */
function valueOf(text: string, shared: SharedValues): any {
  const at = text.indexOf(itemsMember);
  if (at < 0 || at > listHeadLengthMax || !text.startsWith('{"kind":"')) return plainJson(text);
  const items = text.slice(at + itemsMember.length - 1, text.lastIndexOf("}"));
  const list = plainJson(`${text.slice(0, at)}${itemsMember}]}`) as JsonObject; // a list
  return { ...list, items: shared.of(items) };
}
const itemsMember = '"items":[';
/** Length of the longest head of a list: names of kind and version, and metadata with a token for the next page. */
const listHeadLengthMax = 4_096;

/** The events of a watch. */
async function* eventsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent> {
  for await (const line of lines(pieces)) yield plainJson(line) as any; // a watch event
}

/** The lines of a text in pieces. */
async function* lines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of pieces) {
    const parts = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
