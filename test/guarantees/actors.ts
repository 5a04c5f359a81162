/** The clients of a run. Each records its requests and the observed responses. */
import process from "node:process";
import { type Answer, type Client, documents } from "../https.ts";
import type { Chain, History, Read, WatchEvent, Write } from "./history.ts";

/** Collections of kinds without required fields: writes set an annotation. */
export const configMaps = "/api/v1/namespaces/default/configmaps", leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
export const wantedLabel = "wanted";
const valueAnnotation = "value";
/** Between two writes of a client. A run is as long as the starts of its servers, and each write costs three watchers an event: `npm run test:faults` writes more. */
const pauseMsMax = process.env["THOLE_FAULTS_SECONDS"] === undefined ? 150 : 5;

/** The result of a read. */
export function foundIn({ metadata }: any): NonNullable<Read["found"]> { // A response's JSON; a missing member fails the checkers.
  return { revision: Number(metadata.resourceVersion), value: metadata.annotations?.[valueAnnotation] ?? "" };
}

/** State shared by all clients. */
export interface Stage {
  readonly history: History;
  readonly collection: string;
  /** `apiVersion` and `kind` of the bodies of writes, if they need them. */
  readonly type: object;
  /** One of the servers that currently respond. */
  readonly client: () => Client;
  readonly random: () => number;
  readonly ending: AbortSignal;
}

const now = () => performance.now();
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

let values = 0;
const labels = (random: () => number) => ({ [wantedLabel]: random() < 0.5 ? "yes" : "no" });

/** Puts and deletes objects of some names in sequence, with and without a resourceVersion. */
export async function write({ history, collection, type, client, random, ending }: Stage, keys: readonly string[]): Promise<void> {
  const last = new Map<string, string>();
  while (!ending.aborted) {
    const key = keys[Math.floor(random() * keys.length)]!, value = String(++values), begun = now();
    const seen = last.get(key);
    const deletes = seen !== undefined && random() < 0.15;
    const wish = { name: key, labels: labels(random), annotations: { [valueAnnotation]: value } };
    const metadata = { ...wish, ...(random() < 0.5 && seen !== undefined ? { resourceVersion: seen } : {}) };
    const ask = deletes
      ? { method: "DELETE", path: `${collection}/${key}`, body: { preconditions: { resourceVersion: seen } } }
      : seen === undefined
      ? { method: "POST", path: collection, body: { ...type, metadata: wish } }
      : { method: "PUT", path: `${collection}/${key}`, body: { ...type, metadata } };
    const answer = await client().ask(ask.path, { method: ask.method, body: ask.body }).catch(() => undefined);
    const note = (outcome: Write["outcome"], revision?: number, why?: string) =>
      history.writes.push({
        op: deletes ? "delete" : "put",
        key,
        value,
        begun,
        ended: now(),
        outcome,
        ...(revision === undefined ? {} : { revision }),
        ...(why === undefined ? {} : { why }),
      });
    if (answer === undefined || answer.status >= 500 || answer.status === 429) {
      note("unknown");
      last.delete(key);
      await pause(20);
    } else if (answer.status >= 300) {
      note("refused", undefined, `${ask.method} ${answer.status} ${answer.text}`);
      // 404: it was deleted; 409: another one changed or created it.
      if (answer.status === 404) last.delete(key);
      else await look(`${collection}/${key}`, client, key, last);
    } else if (deletes) {
      note("done");
      last.delete(key);
    } else {
      const { resourceVersion } = answer.json().metadata;
      note("done", Number(resourceVersion));
      last.set(key, resourceVersion);
    }
    await pause(random() * pauseMsMax);
  }
}

async function look(path: string, client: Stage["client"], key: string, last: Map<string, string>): Promise<void> {
  const answer = await client().ask(path).catch(() => undefined);
  if (answer?.status === 200) last.set(key, answer.json().metadata.resourceVersion);
  else if (answer?.status === 404) last.delete(key);
}

/** Whether the response says that the object does not exist; the kind may be disabled. */
export function isMissing({ status, text }: Answer): boolean {
  return status === 404 && /"name":"/.test(text);
}

/** Reads single objects, most recent. */
export async function read({ history, collection, client, random, ending }: Stage, keys: readonly string[]): Promise<void> {
  while (!ending.aborted) {
    const key = keys[Math.floor(random() * keys.length)]!, begun = now();
    const answer = await client().ask(`${collection}/${key}`).catch(() => undefined);
    if (answer?.status === 200) {
      history.reads.push({ key, begun, ended: now(), found: foundIn(answer.json()) });
    } else if (answer !== undefined && isMissing(answer)) history.reads.push({ key, begun, ended: now(), found: undefined });
    await pause(random() * 2 * pauseMsMax);
  }
}

/** Reads from one server an object that was just written through another, at that revision or later. */
export async function readOwn({ history, collection, client, random, ending }: Stage): Promise<void> {
  while (!ending.aborted) {
    await pause(random() * 2 * pauseMsMax);
    const last = history.writes.findLast(({ revision }) => revision !== undefined);
    if (last?.revision === undefined) continue;
    const { key, revision } = last, begun = now();
    const answer = await client().ask(`${collection}/${key}?resourceVersion=${revision}`).catch(() => undefined);
    const note = (found: Read["found"]) => history.reads.push({ key, begun, ended: now(), atLeast: revision, found });
    if (answer !== undefined && isMissing(answer)) note(undefined);
    if (answer?.status !== 200) continue;
    note(foundIn(answer.json()));
  }
}

/** Number of restarts of watchers after compacted history, and the messages in final events. */
export interface Resumed {
  resumes: number;
  relists: number;
  readonly ends: { readonly code: number; readonly message: string }[];
}

/**
 * Lists and watches like an informer: resumes after every break from the last revision, breaks off by itself now and then, and starts a new
 * chain only after a 410.
 */
export async function watch(stage: Stage, watcher: string, filtered: boolean, counts: Resumed): Promise<void> {
  const { history, collection, client, random, ending } = stage;
  const selector = filtered ? `&labelSelector=${wantedLabel}%3Dyes` : "";
  let chain: Chain | undefined, reached = 0, timer: ReturnType<typeof setTimeout> | undefined;
  while (!ending.aborted) {
    const breaking = new AbortController();
    try {
      if (chain === undefined) {
        const list = await client().ask(`${collection}?limit=1`);
        if (list.status !== 200) throw new Error(list.text);
        reached = Number(list.json().metadata.resourceVersion);
        chain = { watcher: `${watcher} ${++counts.relists}`, filtered, start: reached, events: [] };
        history.chains.push(chain);
      }
      counts.resumes++;
      const broken = AbortSignal.any([ending, breaking.signal]);
      const path = `${collection}?watch=1&allowWatchBookmarks=true&resourceVersion=${reached}${selector}`;
      const { status, chunks } = await client().stream(path, { signal: broken });
      // Only now, so that every watch has its time.
      timer = setTimeout(() => breaking.abort(), 300 + Math.floor(random() * 2000));
      if (status === 410) chain = undefined;
      if (status !== 200 || chain === undefined) throw new Error(`a watch was answered with ${status}`);
      const { events } = chain;
      for await (const { type, object } of documents(chunks)) {
        if (type === "ERROR") {
          counts.ends.push(object);
          if (object.code === 410) chain = undefined;
          break;
        }
        const event = eventOf(type, object);
        events.push(event);
        reached = Math.max(reached, event.revision);
      }
    } catch {
      await pause(20);
    } finally {
      clearTimeout(timer);
      breaking.abort(); // The rest of a response would keep its connection.
    }
  }
}

function eventOf(type: WatchEvent["type"], object: any): WatchEvent {
  const { name = "", labels } = object.metadata;
  return { type, key: name, wanted: labels?.[wantedLabel] === "yes", ...foundIn(object) };
}

/** Opens a watch and never reads from it. */
export async function dawdle({ collection, client, ending }: Stage): Promise<void> {
  while (!ending.aborted) {
    try {
      const { chunks } = await client().stream(`${collection}?watch=1&resourceVersion=0`, { signal: ending });
      const reader = chunks[Symbol.asyncIterator]();
      await reader.next();
      await new Promise<void>((resolve) => ending.addEventListener("abort", () => resolve(), { once: true }));
    } catch {
      await pause(50);
    }
  }
}
