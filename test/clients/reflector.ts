/**
 * An informer as client-go's reflector with streaming lists: one watch with the initial events, a bookmark, and then changes. It resumes
 * after every break from the last resourceVersion, and starts again only on 410.
 */
import { type Client, documents } from "../https.ts";

export interface ReflectorOptions {
  /** Of the collection, without a query. */
  readonly path: string;
  /** The current server; may throw if there is none. */
  readonly client: () => Client;
  readonly signal: AbortSignal;
}

export interface Reflector {
  /** Names with the resourceVersions of their objects. */
  readonly known: ReadonlyMap<string, string>;
  /** Number of initial lists, of resumed watches, and of 410 responses. */
  readonly counts: { lists: number; resumes: number; expired: number };
  /** Ends with the signal. */
  readonly done: Promise<void>;
}

const pauseMs = 50;
const endOfInitial = "k8s.io/initial-events-end";

export function startReflector({ path, client, signal }: ReflectorOptions): Reflector {
  const counts = { lists: 0, resumes: 0, expired: 0 };
  const known = new Map<string, string>();
  /** Undefined if it must start again. */
  let reached: string | undefined;

  function take(into: Map<string, string>, type: string, { metadata: { name, resourceVersion } }: any): void {
    if (type === "DELETED") into.delete(name);
    else if (type !== "BOOKMARK") into.set(name, resourceVersion);
  }
  function expired(): void {
    counts.expired++;
    reached = undefined;
  }

  async function follow(): Promise<void> {
    const from = reached === undefined ? "sendInitialEvents=true&resourceVersionMatch=NotOlderThan" : `resourceVersion=${reached}`;
    const { status, chunks } = await client().stream(`${path}?watch=1&allowWatchBookmarks=true&${from}`, { signal });
    if (status === 410) return expired();
    if (status !== 200) throw new Error(`the watch was answered with ${status}`);
    const initial = reached === undefined ? new Map<string, string>() : undefined;
    if (initial === undefined) counts.resumes++;
    for await (const { type, object } of documents(chunks)) {
      if (type === "ERROR") {
        if (object.code === 410) expired();
        return;
      }
      // An incomplete initial state is discarded, and read again.
      const starting = initial !== undefined && reached === undefined;
      take(starting ? initial : known, type, object);
      if (starting && object.metadata.annotations?.[endOfInitial] !== "true") continue;
      if (starting) {
        known.clear();
        for (const [name, version] of initial) known.set(name, version);
        counts.lists++;
      }
      reached = object.metadata.resourceVersion;
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await follow().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return { known, counts, done: run() };
}
