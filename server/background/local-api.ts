/** The API in process: the same steps as a client's request from the path on, without a socket. */
import { type Clock, pause, systemClock } from "../../core/async.ts";
import { typedApis } from "../../core/typed-api.ts";
import { applyMediaType } from "../../core/codec/negotiate.ts";
import { goJson } from "../../core/tree/json-text.ts";
import { listed } from "../../core/listed.ts";
import type { AuthorizationDecision } from "../../core/access.ts";
import type { Api, ApiList, ApiPatch, ApiWriteOptions, WatchScope } from "../../core/api.ts";
import { type GroupVersion, splitGroupVersion } from "../../core/versions.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Json, JsonObject } from "../../core/schema.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { StatusError, type StatusReason } from "../../core/status-error.ts";
import { spell } from "../../core/names.ts";
import type { UserInfo } from "../../core/user-info.ts";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { AuditFailure } from "../../kernel/access/audit/mod.ts";
import { dispatch, errorReply } from "../../kernel/handle.ts";
import { FollowedObjects } from "./followed-objects.ts";
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
/** Milliseconds between a watch in process that delivered nothing and the next one. The pause doubles. */
export const localWatchRetryMs = bound(100);
/** Longest pause, in milliseconds, between watches in process that delivered nothing (client-go's reflectors). */
export const localWatchRetryMsMax = bound(30_000);
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
  const { manager = user.name, follows = () => () => {}, reader = user, patientMs = 0, patientWhile = never, clock = systemClock } =
    options;
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
  async function send(
    method: string,
    url: string,
    body: unknown,
    { signal = never, watchScope = "everything", accept = "application/json", contentType = "application/json" }: {
      readonly signal?: AbortSignal;
      readonly watchScope?: WatchScope | undefined;
      readonly accept?: string;
      readonly contentType?: string;
    },
  ): Promise<Reply> {
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
      const reply = await dispatch(call);
      return audit === undefined ? reply : await audit.end(reply);
    } catch (error) {
      const failure = toStatusError(error, info, server.report);
      const reply = errorReply(exchange, failure, server.catalog);
      if (audit === undefined || error instanceof AuditFailure) return reply;
      noteFailure(audit.notes, failure);
      return await (isBug(error) ? audit.panicked(failure.message, reply) : audit.end(reply));
    }
  }
  async function ask(
    method: string,
    url: string,
    body?: unknown,
    media: { readonly accept?: string; readonly contentType?: string; readonly watchScope?: WatchScope } = {},
  ): Promise<any> {
    const reply = await send(method, url, body, media);
    const value = valueOf(await textOf(reply), shared);
    if (reply.status < 400) return value;
    throw new StatusError((value.reason ?? "Unknown") as StatusReason, value.message, {
      code: value.code,
      details: value.details,
      ...(value.metadata?.continue === undefined ? {} : { continue: value.metadata.continue }),
    });
  }
  const pathOf = (groupVersion: GroupVersion, resource: string, namespace: string, name = "", subresource = "") => {
    const spelled = spell(server.catalog.names, groupVersion);
    const parts = [
      spelled.includes("/") ? `apis/${spelled}` : `api/${spelled}`,
      ...(namespace === "" ? [] : ["namespaces", encodeURIComponent(namespace)]),
      resource,
      ...[name, subresource].filter((part) => part !== "").map(encodeURIComponent),
    ];
    return `/${parts.join("/")}`;
  };
  const queryOf = (query: Readonly<Record<string, string>> = {}) => {
    const text = new URLSearchParams(query).toString();
    return text === "" ? "" : `?${text}`;
  };
  /** The query of a write. The manager is explicit, because the user agent would end at the first slash. */
  const writeQuery = (
    { dryRun = false, fieldValidation, fieldManager = manager }: ApiWriteOptions,
    more: Readonly<Record<string, string>> = {},
  ) =>
    queryOf({
      fieldManager,
      ...(dryRun ? { dryRun: "All" } : {}),
      ...(fieldValidation === undefined ? {} : { fieldValidation }),
      ...more,
    });
  /** The apiVersion and kind of an object to be applied; "" if the resource is not served. */
  const typeOf = (version: GroupVersion, resource: string) => {
    const apiVersion = spell(server.catalog.names, version);
    const { group, version: own } = splitGroupVersion(apiVersion);
    return { apiVersion, kind: server.catalog.endpoint(group, own, resource)?.kind ?? "" };
  };
  /** Media type of the metadata of an object, or of a list. */
  const metadataType = (isList: boolean) =>
    `application/json;as=PartialObjectMetadata${isList ? "List" : ""};g=meta.${server.catalog.names.domain};v=v1`;
  const metadataReads = (watchScope: WatchScope): Pick<Api, "list"> => ({
    async list(version, resource, namespace, query) {
      const list = await ask("GET", pathOf(version, resource, namespace) + queryOf(query), undefined, {
        accept: metadataType(true),
        watchScope,
      });
      return { ...list, items: list.items ?? [] }; // An empty list has null.
    },
  });
  const api: Api = {
    of: typedApis(() => api),
    get: (version, resource, namespace, name, { subresource } = {}) => ask("GET", pathOf(version, resource, namespace, name, subresource)),
    async list(version, resource, namespace, query) {
      const list: ApiList = await ask("GET", pathOf(version, resource, namespace) + queryOf(query));
      // On the wire only the list has the type of its items.
      const type = typeOf(version, resource);
      return { ...list, items: list.items.map((item) => ({ ...item, ...type })) };
    },
    create: (version, resource, namespace, object, options = {}) => {
      const { subresource = "", name = "" } = options;
      return ask("POST", pathOf(version, resource, namespace, subresource === "" ? "" : name, subresource) + writeQuery(options), object);
    },
    update: (version, resource, namespace, name, object, options = {}) =>
      ask("PUT", pathOf(version, resource, namespace, name, options.subresource) + writeQuery(options), object),
    patch: (version, resource, namespace, name, patch, options = {}) => {
      const [contentType, body] = documentOf(patch);
      return ask("PATCH", pathOf(version, resource, namespace, name, options.subresource) + writeQuery(options), body, { contentType });
    },
    apply: (version, resource, namespace, name, object, options = {}) => {
      const { subresource, force = true } = options;
      const query = writeQuery(options, force ? { force: "true" } : {});
      // `as`: invalid metadata is rejected as that of any client.
      const { metadata = {} } = object as { readonly metadata?: object };
      const document = { ...typeOf(version, resource), ...object, metadata: { name, ...metadata } };
      return ask("PATCH", pathOf(version, resource, namespace, name, subresource) + query, document, { contentType: applyMediaType });
    },
    delete: (version, resource, namespace, name, options) => ask("DELETE", pathOf(version, resource, namespace, name), options),
    deleteCollection: (version, resource, namespace, query) => ask("DELETE", pathOf(version, resource, namespace) + queryOf(query)),
    watch: (version, resource, namespace, query, signal, watchScope = "everything", synced) =>
      follow(
        watchScope === "everything" ? api : metadataReads(watchScope),
        (url) =>
          send("GET", url, undefined, { signal, watchScope, ...(watchScope === "everything" ? {} : { accept: metadataType(false) }) }),
        pathOf(version, resource, namespace),
        { version, resource, namespace, query },
        { signal, clock },
        () => {
          const { group, version: own } = splitGroupVersion(spell(server.catalog.names, version));
          const synchronized = follows(`*${own}.${server.catalog.endpoint(group, own, resource)?.kind ?? resource}`);
          return () => {
            synchronized();
            synced?.();
          };
        },
      ),
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

/** Media type and body of a patch. */
function documentOf(patch: ApiPatch): readonly [contentType: string, body: unknown] {
  if ("json" in patch) return ["application/json-patch+json", patch.json];
  if ("merge" in patch) return ["application/merge-patch+json", patch.merge];
  return ["application/strategic-merge-patch+json", patch.strategic];
}

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

interface Followed {
  readonly version: GroupVersion;
  readonly resource: string;
  readonly namespace: string;
  readonly query: Readonly<Record<string, string>>;
}
type Change = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject };

/**
 * Lists, then watches from the revision of the list. When a watch ends, the next one starts at the last revision; after an error, at a new
 * list. After a watch without any event or bookmark it waits: `localWatchRetryMs`, doubled for each further such watch in sequence.
 */
async function* follow(
  api: Pick<Api, "list">,
  open: (url: string) => Promise<Reply>,
  path: string,
  { version, resource, namespace, query }: Followed,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
  begins: () => () => void,
): AsyncGenerator<Change> {
  const synchronized = begins();
  const objects = new FollowedObjects();
  let from = "", failures = 0;
  while (!signal.aborted) {
    if (from === "") {
      from = yield* added(api, { version, resource, namespace, query }, objects);
      synchronized();
    }
    // With its own duration, as client-go's reflectors: --min-request-timeout=0 ends watches without a duration at once.
    const timeoutSeconds = String(Math.ceil(localWatchSecondsMin * (1 + Math.random())));
    const search = new URLSearchParams({ ...query, watch: "1", allowWatchBookmarks: "1", resourceVersion: from, timeoutSeconds });
    const reply = await open(`${path}?${search}`);
    failures++;
    if (reply.status !== 200 || typeof reply.body === "string" || reply.body instanceof Uint8Array) from = "";
    else {
      for await (const frame of lines(reply.body)) {
        const { type, object } = plainJson(frame) as any; // a watch event
        if (type === "ERROR") {
          from = "";
          continue;
        }
        from = object.metadata.resourceVersion;
        failures = 0;
        if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") continue;
        objects.changed(type, object);
        yield { type, object };
      }
    }
    if (failures > 0) await pause(Math.min(localWatchRetryMsMax, localWatchRetryMs * 2 ** (failures - 1)), signal, clock);
  }
}

/**
 * The existing objects as changes, and their revision; then the deletion of objects that no longer exist since the previous list. Starts
 * again if the pages expire before all are read.
 */
async function* added(
  api: Pick<Api, "list">,
  { version, resource, namespace, query }: Followed,
  objects: FollowedObjects,
): AsyncGenerator<Change, string> {
  for (;;) {
    const list = listed(api, version, resource, namespace, query);
    objects.beginList();
    try {
      for (let next = await list.next();; next = await list.next()) {
        if (next.done === true) {
          for (const object of objects.endList()) yield { type: "DELETED", object };
          return next.value;
        }
        const replaced = objects.listed(next.value);
        if (replaced !== undefined) yield { type: "DELETED", object: replaced };
        yield { type: "ADDED", object: next.value };
      }
    } catch (error) {
      if (!(error instanceof StatusError && error.reason === "Expired")) throw error;
    }
  }
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
