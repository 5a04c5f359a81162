/** The API in process: the same steps as a client's request from the path on, without a socket. */
import type { Clock } from "../../core/async.ts";
import { typedApis } from "../../core/typed-api.ts";
import { objectApi } from "../../core/client/object-api.ts";
import { pathOf, writeQuery } from "../../core/client/paths.ts";
import type { ApiRequest, WatchEvent } from "../../core/client/transport.ts";
import type { Api, ApiCollection } from "../../core/api.ts";
import { type GroupVersion, splitGroupVersion } from "../../core/versions.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { spell } from "../../core/names.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { bound } from "../../core/bound.ts";
import type { Endpoint } from "../../kernel/catalog/catalog.ts";
import { never } from "../../kernel/request-context.ts";
import type { Server } from "../../kernel/server.ts";
import { localCall, Patience } from "./local-call.ts";
import { localCreates } from "./local-creates.ts";
import { SharedValues } from "./shared-values.ts";

/** Seconds of the shortest watch in process. The longest takes twice as long (the default of --min-request-timeout). */
export const localWatchSecondsMin = bound(1_800);
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
  /** Begins a request, for a clock that waits for it until the returned function is called. */
  readonly hold?: Clock["hold"];
}

/** An API whose calls are made as `user` and authorized like those of any client. */
export function localApi(server: Server, user: UserInfo, options: LocalOptions = {}): Api {
  const { manager = user.name, follows = () => () => {}, reader = user, patientMs = 0, patientWhile = never, clock, hold } = options;
  const caller = { user, reader, manager, patience: new Patience(patientMs, patientWhile) };
  const call = (request: ApiRequest) => held(hold, localCall(server, caller, request, sharedValues));
  /** The apiVersion and kind of the objects of a resource; the kind is "" if it is not served. */
  const typeOf = (version: GroupVersion, resource: string) => {
    const apiVersion = spell(server.catalog.names, version);
    const { group, version: own } = splitGroupVersion(apiVersion);
    return { apiVersion, kind: server.catalog.endpoint(group, own, resource)?.kind ?? "" };
  };
  const objects = objectApi({
    names: () => server.catalog.names,
    fieldManager: manager,
    async ask(request) {
      const answer = await call(request);
      if ("value" in answer) return answer.value;
      throw new Error(`${request.url} is a watch`);
    },
    async watch(request) {
      const answer = await call(request);
      if ("frames" in answer) return eventsOf(answer.frames);
      throw new Error(`${request.url} is no watch`);
    },
    typeOf,
    itemsOf: ({ items }) => items,
    follows(version, resource) {
      const { group, version: own } = splitGroupVersion(spell(server.catalog.names, version));
      return follows(`*${own}.${server.catalog.endpoint(group, own, resource)?.kind ?? resource}`);
    },
    following: { watchSecondsMin: localWatchSecondsMin, retries: () => false },
  }, clock);
  const api: Api = {
    ...objects,
    of: typedApis(() => api),
    createEach(version, resource, namespace, values) {
      const url = pathOf(server.catalog.names, version, resource, namespace) + writeQuery(manager, {});
      return held(hold, localCreates(server, caller, url, values) ?? objects.createEach(version, resource, namespace, values));
    },
    collections: (verb) => [...ownCollections(server.catalog, verb), ...server.others?.collections(verb) ?? []],
    unknownVersions: () => server.others?.unknown() ?? [],
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

/** The answer of a request, for which the clock is held. */
async function held<T>(hold: Clock["hold"], answer: Promise<T>): Promise<T> {
  const release = hold?.();
  try {
    return await answer;
  } finally {
    release?.();
  }
}

/** By catalog and verb: controllers ask after each change of the catalog, and start hooks once. */
const collectionsOf = new WeakMap<Server["catalog"], Map<string, readonly ApiCollection[]>>();
function ownCollections(catalog: Server["catalog"], verb: string): readonly ApiCollection[] {
  const known = collectionsOf.get(catalog) ?? new Map<string, readonly ApiCollection[]>();
  collectionsOf.set(catalog, known);
  const found = known.get(verb) ?? findCollections(catalog, verb);
  known.set(verb, found);
  return found;
}
function findCollections({ groups }: Server["catalog"], verb: string): readonly ApiCollection[] {
  return groups.flatMap(({ versions }) => {
    // Each resource in the first version that has it: the preferred version of a group may lack it.
    const found = new Map<string, Endpoint>();
    for (const { endpoints } of versions) for (const each of endpoints) if (!found.has(each.plural)) found.set(each.plural, each);
    return [...found.values()].filter(({ verbs }) => (verbs as readonly string[]).includes(verb))
      .map(({ apiVersion, plural, kind, namespaced }) => ({ groupVersion: apiVersion, resource: plural, kind, namespaced }));
  });
}

const sharedValues = new SharedValues();

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
