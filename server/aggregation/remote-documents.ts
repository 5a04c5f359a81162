/**
 * What other servers say about their group versions: aggregated discovery, the list of OpenAPI v3 documents, and the OpenAPI v2 document. They are
 * fetched after each change of what is registered and once a minute, never by the request of a client. A server that hangs or answers nonsense
 * has versions that are `Stale`, and no other server is affected.
 */
import { bound } from "../../core/bound.ts";
import type { ApiCollection } from "../../core/api.ts";
import type { GroupVersion } from "../../core/versions.ts";
import type { RegisteredVersion } from "../../core/delegate.ts";
import { isObject, type Json } from "../../core/json.ts";
import { sameValue } from "../../core/derive/same-value.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { systemGroups, type UserInfo } from "../../core/user-info.ts";
import { noWorkMeter } from "../../core/work.ts";
import { WorkQueue } from "../../core/work-queue.ts";
import type { RemoteVersion } from "../../kernel/catalog/catalog.ts";
import { askDocument, type AskNeeds, type DocumentRequest, type RemoteDocument } from "./ask-document.ts";
import { aggregatedResources, documentIn, listedResources, type RemoteResource } from "./remote-discovery.ts";

/** Milliseconds that a server may take for its discovery and for its OpenAPI documents (kube-apiserver's values). */
const discoveryMs = 5_000, openapiMs = 60_000;
/** Milliseconds after which documents are fetched again; the pauses after failures grow to this as well. */
const againMs = 60_000, firstPauseMs = 500;
/** Servers that are asked for discovery, and for OpenAPI, at the same time. Those that hang leave room for others. */
const remoteFetchesMax = bound(32);
/** Milliseconds for which readiness waits for the first discovery: a server may take its time twice, for both of its forms. */
export const firstDiscoveryMs = bound(2 * discoveryMs);

const discoveryUser: UserInfo = Object.freeze({ name: "system:kube-aggregator", groups: [systemGroups.masters] });
const openapiUser: UserInfo = Object.freeze({ name: "system:aggregator", groups: [] });

interface Discovery {
  readonly etag: string;
  readonly text: string;
  readonly resources: ReadonlyMap<string, readonly RemoteResource[]>;
}
/** What is known of one server. */
interface Known {
  readonly versions: readonly RegisteredVersion[];
  readonly discovery?: Discovery | undefined;
  readonly isFresh: boolean;
  /** The hashes of v3 documents, by `group/version`. */
  readonly hashes: ReadonlyMap<string, string>;
  /** Whether there is an index of v3 documents; undefined until the server was asked. */
  readonly hasV3?: boolean;
  readonly v2?: Spec | undefined;
  /** The last v2 document, also while the server does not answer. */
  readonly lastV2?: Spec | undefined;
}
interface Spec {
  readonly etag: string;
  readonly text: string;
}
const nothing: Pick<Known, "isFresh" | "hashes"> = Object.freeze({ isFresh: false, hashes: new Map() });

export interface RemoteDocumentsNeeds extends AskNeeds {
  readonly logError: (sentence: string, error?: unknown) => void;
  /** Called after each change of what is known. */
  readonly changed?: () => void;
}
/** The reason is in the condition of the registration. */
class Unavailable extends Error {}

export class RemoteDocuments {
  readonly #needs: RemoteDocumentsNeeds;
  /** Discovery has a queue of its own: OpenAPI documents may take long. */
  readonly #queues: Readonly<Record<"discovery" | "openapi", WorkQueue>>;
  /** Servers that were asked for discovery. */
  readonly #asked = new Set<string>();
  #wake = (): void => {};
  readonly #servers = new Map<string, Known>();
  /** Increases with each change of what is known. */
  #state = 0;

  constructor(needs: RemoteDocumentsNeeds) {
    this.#needs = needs;
    const queue = () =>
      new WorkQueue({
        context: { work: noWorkMeter, logError: (sentence, error) => error instanceof Unavailable || needs.logError(sentence, error) },
        clock: { ...needs.clock, elapsed: needs.clock.now },
        signal: needs.signal,
        workers: remoteFetchesMax,
        retry: { firstMs: firstPauseMs, maxMs: againMs },
        work: (key) => this.#fetch(key),
      });
    this.#queues = { discovery: queue(), openapi: queue() };
  }

  get state(): number {
    return this.#state;
  }
  /** Takes the registered versions, and fetches the documents of their servers. */
  follow(registered: readonly RegisteredVersion[]): void {
    const byServer = Map.groupBy(registered.filter(({ isRemote }) => isRemote), ({ server }) => server);
    for (const server of this.#servers.keys()) {
      if (byServer.has(server)) continue;
      this.#servers.delete(server);
      this.#asked.delete(server);
    }
    for (const [server, versions] of byServer) {
      const known = this.#servers.get(server);
      this.#servers.set(server, { ...known ?? nothing, versions });
      if (known !== undefined && sameValue(known.versions, versions)) continue;
      for (const kind of Object.keys(finders)) this.#queueOf(kind).add(`${kind} ${server}`);
    }
    this.#changed();
  }
  /**
   * Resolves when each server that is known now was asked for its discovery once, whatever it answered, as kube-apiserver's readiness waits. One that hangs is
   * waited for until its time is over, and all of them for at most `firstDiscoveryMs`.
   */
  async askedOnce(): Promise<void> {
    const waiting = [...this.#servers.keys()],
      isOver = () => waiting.every((server) => this.#asked.has(server) || !this.#servers.has(server));
    if (isOver()) return;
    const { promise, resolve } = Promise.withResolvers<void>(), cancel = this.#needs.clock.after(firstDiscoveryMs, resolve);
    this.#wake = () => {
      if (isOver()) resolve();
    };
    await promise;
    this.#wake = () => {};
    cancel();
  }
  /** Returns what aggregated discovery shows of a version. As upstream, the resources of a server that does not answer are not shown. */
  described({ server, group, version }: RegisteredVersion): RemoteVersion {
    const { isFresh, discovery } = this.#servers.get(server) ?? { ...nothing, discovery: undefined };
    if (!isFresh) return { freshness: "Stale", resources: [] };
    return { freshness: "Current", resources: discovery?.resources.get(`${group}/${version}`) ?? [] };
  }
  /** Returns the group versions of servers that do not answer, such as `metrics.k8s.io/v1beta1`. */
  unknown(): readonly GroupVersion[] {
    const stale = [...this.#servers.values()].filter(({ isFresh }) => !isFresh);
    return stale.flatMap(({ versions }) => versions.map(groupVersionOf)).toSorted();
  }
  /**
   * Returns the collections that support a verb, each in the version of its group with the highest priority. Those of a server that no longer answers
   * stay: its objects are still there.
   */
  collections(verb: string): readonly ApiCollection[] {
    const all = [...this.#servers.values()].flatMap(({ versions, discovery }) => versions.map((version) => ({ version, discovery })));
    const found = new Map<string, ApiCollection & { readonly verbs: readonly string[] }>();
    for (const { version, discovery } of all.toSorted((a, b) => b.version.versionPriority - a.version.versionPriority)) {
      for (const { resource, responseKind, scope, verbs } of discovery?.resources.get(`${version.group}/${version.version}`) ?? []) {
        const name = `${version.group}/${resource}`, namespaced = scope === "Namespaced";
        if (found.has(name)) continue;
        found.set(name, {
          ...{ groupVersion: groupVersionOf(version), resource, kind: responseKind?.kind ?? "", namespaced, verbs },
          isRemote: true,
        });
      }
    }
    return [...found.values()].filter(({ verbs }) => verbs.includes(verb)).map(({ verbs: _verbs, ...collection }) => collection);
  }
  /** Returns the hashes of the v3 documents by `group/version`, and by group for the document of the group itself. */
  hashes(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#servers.values()].flatMap(({ versions, hashes }) =>
        [...new Set(versions.flatMap(({ group, version }) => [group, `${group}/${version}`]))].flatMap((name) => {
          const hash = hashes.get(name);
          return hash === undefined ? [] : [[name, hash] as const];
        })
      ),
    );
  }
  /** Returns the v2 documents, with the versions for which each is used. */
  specs(): readonly { readonly versions: readonly RegisteredVersion[]; readonly text: string; readonly etag: string }[] {
    return [...this.#servers.values()].flatMap(({ versions, v2 }) => v2 === undefined ? [] : [{ versions, ...v2 }]);
  }
  /** Returns the v2 documents of servers without v3 documents, with the versions for which each is used. */
  legacySpecs(): readonly { readonly versions: readonly RegisteredVersion[]; readonly text: string }[] {
    return [...this.#servers.values()].flatMap(({ versions, hasV3, lastV2 }) =>
      hasV3 === false && lastV2 !== undefined ? [{ versions, text: lastV2.text }] : []
    );
  }
  /** Whether the v3 document of a version is made of its server's v2 document. */
  isLegacy({ server }: RegisteredVersion): boolean {
    const known = this.#servers.get(server);
    return known?.hasV3 === false && known.lastV2 !== undefined;
  }

  /** Rejects if there is no document, so that the queue tries it again. */
  async #fetch(key: string): Promise<void> {
    const [kind = "", server = ""] = key.split(" ", 2), known = this.#servers.get(server), { find, lost } = finders[kind]!; // of `follow`
    if (known === undefined) return;
    this.#queueOf(kind).addAfter(key, againMs);
    try {
      this.#set(server, await find(this.#needs, known));
    } catch (error) {
      this.#set(server, lost);
      if (this.#needs.signal.aborted) return;
      throw error instanceof Unavailable ? error : new Error(`${kind} of ${server}: ${reasonOf(error)}`);
    } finally {
      if (kind === "discovery" && this.#servers.has(server)) this.#asked.add(server);
      this.#wake();
    }
  }
  #queueOf(kind: string): WorkQueue {
    return this.#queues[kind === "discovery" ? "discovery" : "openapi"];
  }
  #set(server: string, found: Partial<Known>): void {
    const known = this.#servers.get(server);
    if (known === undefined || Object.entries(found).every(([name, value]) => known[name as keyof Known] === value)) return;
    this.#servers.set(server, { ...known, ...found });
    this.#changed();
  }
  #changed(): void {
    this.#state++;
    this.#wake();
    this.#needs.changed?.();
  }
}

function groupVersionOf({ group, version }: RegisteredVersion): GroupVersion {
  return group === "" ? version : `${group}/${version}`;
}

interface Finder {
  /** Asks the server, and resolves with what has changed. */
  find(needs: AskNeeds, known: Known): Promise<Partial<Known>>;
  /** What is no longer known when the server does not answer. */
  readonly lost: Partial<Known>;
}
const finders: Readonly<Record<string, Finder>> = Object.freeze<Record<string, Finder>>({
  discovery: { find: findDiscovery, lost: { isFresh: false } },
  v3: { find: findHashes, lost: {} },
  v2: { find: findSpec, lost: { v2: undefined } },
});

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

async function findDiscovery(needs: AskNeeds, { versions, discovery }: Known): Promise<Partial<Known>> {
  const request = { accept: `${aggregated},application/json`, user: discoveryUser, milliseconds: discoveryMs };
  const reply = await askOne(needs, versions, { ...request, path: "/apis", etag: discovery?.etag ?? "" });
  if (reply.status === 304 && discovery !== undefined) return { isFresh: true };
  if (reply.status === 200 && reply.type.includes("as=APIGroupDiscoveryList")) {
    if (reply.text === discovery?.text) return { isFresh: true };
    return { isFresh: true, discovery: { etag: reply.etag, text: reply.text, resources: aggregatedResources(reply.text) } };
  }
  // The server has no aggregated discovery.
  const lists = await Promise.all(versions.map(async (version) => {
    const path = version.group === "" ? `/api/${version.version}` : `/apis/${version.group}/${version.version}`;
    const { status, text } = await askDocument(needs, version, { ...request, accept: "application/json", path, etag: "" });
    if (status !== 200) throw new Error(`${path} has the status ${status}`);
    return { name: `${version.group}/${version.version}`, text };
  }));
  const text = lists.map((each) => each.text).join("\n");
  if (text === discovery?.text) return { isFresh: true };
  const resources = new Map(lists.map((each) => [each.name, listedResources(each.text)]));
  return { isFresh: true, discovery: { etag: "", text, resources } };
}

async function findHashes(needs: AskNeeds, { versions, hashes }: Known): Promise<Partial<Known>> {
  const request = { path: "/openapi/v3", accept: "application/json", etag: "", user: openapiUser, milliseconds: openapiMs };
  const { status, text } = await askOne(needs, versions, request);
  if (status !== 200 && status !== 404) throw new Error(`/openapi/v3 has the status ${status}`);
  const found = new Map(status === 404 ? [] : hashesIn(documentIn(text)));
  const isSame = found.size === hashes.size && [...found].every(([name, hash]) => hashes.get(name) === hash);
  return { hasV3: status === 200, ...(isSame ? {} : { hashes: found }) };
}

/** The hashes in an index of v3, whose URLs are `/openapi/v3/apis/GROUP/VERSION?hash=HASH`, or the same without a version. */
function hashesIn(index: Json): readonly (readonly [string, string])[] {
  const paths = isObject(index) && isObject(index["paths"]) ? index["paths"] : {};
  return Object.entries(paths).flatMap(([name, entry]) => {
    const url = isObject(entry) ? entry["serverRelativeURL"] : undefined, [, group, version, ...more] = name.split("/");
    if (typeof url !== "string" || !name.startsWith("apis/") || group === undefined || more.length > 0) return [];
    const mark = url.indexOf("?");
    return [[
      version === undefined ? group : `${group}/${version}`,
      new URLSearchParams(mark < 0 ? "" : url.slice(mark)).get("hash") ?? "",
    ]];
  });
}

async function findSpec(needs: AskNeeds, { versions, v2 }: Known): Promise<Partial<Known>> {
  const request = { path: "/openapi/v2", accept: "application/json", etag: v2?.etag ?? "", user: openapiUser, milliseconds: openapiMs };
  const { status, text, etag } = await askOne(needs, versions, request);
  if (status === 304 && v2 !== undefined) return {};
  if (status === 404) return { v2: undefined, lastV2: undefined };
  if (status !== 200) throw new Error(`/openapi/v2 has the status ${status}`);
  if (text === v2?.text) return {};
  const next = { etag, text };
  return { v2: next, lastV2: next };
}

/** Asks through one of the versions: some may not be available. */
async function askOne(needs: AskNeeds, versions: readonly RegisteredVersion[], request: DocumentRequest): Promise<RemoteDocument> {
  for (const version of versions) {
    const reply = await askDocument(needs, version, request);
    if (reply.status !== 503) return reply;
  }
  throw new Unavailable("the server is not available");
}
