/** A watch that lives as long as the soak, resumed after each break, with a check of each event. */
import { type Client, documents } from "../../test/https.ts";
import { pause, type Tally } from "./client.ts";

export interface LongWatch {
  /** The names of objects with their resourceVersions. */
  readonly known: ReadonlyMap<string, string>;
  readonly done: Promise<void>;
}

/** Lists once, and then follows the changes. A second list would be a fault: nothing is compacted that fast. */
export function startLongWatch(
  { client, path, name, tally, signal, pauseMs = 500 }: {
    readonly client: Client;
    readonly path: string;
    readonly name: string;
    readonly tally: Tally;
    readonly signal: AbortSignal;
    /** Between two watches. */
    readonly pauseMs?: number;
  },
): LongWatch {
  const known = new Map<string, string>();
  let reached: number | undefined;

  async function list(): Promise<number> {
    const { status, text } = await client.ask(path, { signal });
    if (status !== 200) throw new Error(`a list was answered with ${status}`);
    const { items, metadata } = JSON.parse(text);
    known.clear();
    for (const { metadata } of items) known.set(metadata.name, metadata.resourceVersion);
    return Number(metadata.resourceVersion);
  }

  function take(type: string, { metadata: { name: of, resourceVersion } }: any): void {
    const revision = Number(resourceVersion), last = reached ?? 0;
    tally.count(type === "BOOKMARK" ? "bookmarks" : "events");
    if (type === "BOOKMARK" ? revision < last : revision <= last) {
      tally.fault(`${name}: ${type} ${of} at ${revision} after ${last}`);
    }
    if (type !== "BOOKMARK" && (type === "ADDED") === known.has(of)) {
      tally.fault(`${name}: ${type} ${of}, known at ${known.get(of)}`);
    }
    reached = revision;
    if (type === "DELETED") known.delete(of);
    else if (type !== "BOOKMARK") known.set(of, resourceVersion);
  }

  async function follow(): Promise<void> {
    reached ??= await list();
    const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=86400&resourceVersion=${reached}`;
    const { status, chunks } = await client.stream(`${path}?${query}`, { signal });
    if (status !== 200) throw new Error(`a watch was answered with ${status}`);
    tally.count("watches");
    for await (const { type, object } of documents(chunks)) {
      if (type === "ERROR") {
        tally.fault(`${name}: an error after ${reached}: ${JSON.stringify(object)}`);
        reached = undefined;
        return;
      }
      take(type, object);
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await follow().catch((error) => signal.aborted || tally.failed(name, error));
      await pause(pauseMs, signal);
    }
  }
  return { known, done: run() };
}
