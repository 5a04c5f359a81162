/** node:http2 and node:https: long watches, cancelled streams, slow readers, long lists in gzip, new connections. */
import { gunzipSync } from "node:zlib";
import { type Client, httpsClient, type Place } from "../../../test/https.ts";
import { until } from "../../../test/real-server.ts";
import { expect, pause, repeat, type SoakClient, type Tally, type Target } from "../client.ts";
import { startLongWatch } from "../long-watch.ts";
import { longList, namespace } from "../objects.ts";
import { retryingHttp2Client } from "../retrying.ts";

const path = `/api/v1/namespaces/${namespace}/configmaps`;
const writeMs = 2_000, listMs = 15_000, cancelMs = 10_000, slowMs = 60_000, reconnectMs = 30_000;
/** A slow reader pauses that long after each of so many chunks. */
const slowChunks = 30, slowPauseMs = 500;
/** Streams that are opened and cancelled at once. */
const cancelled = 5;

export function nodeClient(protocol: "HTTP/1.1" | "HTTP/2"): SoakClient {
  return {
    name: `node, ${protocol}`,
    missing: () => Promise.resolve("Deno" in globalThis ? "Deno's HTTP/2 client can crash its process" : undefined),
    async run(target, tally, signal) {
      const refused = () => tally.count("refused requests");
      const open = (place: Place) => protocol === "HTTP/2" ? retryingHttp2Client(place, refused) : httpsClient(place);
      const client = open(target), watcher = open(target), idle = open(target);
      const watching = new AbortController();
      const watch = startLongWatch({ client: watcher, path, name: `${protocol} watch`, tally, signal: watching.signal });
      const every = (what: string, pauseMs: number, attempt: (turn: number) => Promise<void>) =>
        repeat({ what: `${protocol} ${what}`, pauseMs, target, tally, signal }, attempt);
      const own = `node-${protocol === "HTTP/2" ? "2" : "1"}`;
      try {
        await idle.ask(path).catch((error) => tally.failed("the idle connection", error));
        await Promise.all([
          every("write", writeMs, (turn) => write(client, `${own}-${turn % 10}`, turn, tally)),
          every("long list", listMs, () => readLongList(client, tally)),
          every("cancelled streams", cancelMs, () => cancelStreams(client, tally)),
          every("slow reader", slowMs, () => readSlowly(open, target, tally, signal)),
          every("new connection", reconnectMs, () => reconnect(open, target, tally)),
        ]);
        await until(async () => {
          const { items } = (await client.ask(path)).json();
          const listed = new Map<string, string>(items.map(({ metadata }: any) => [metadata.name, metadata.resourceVersion]));
          const missing = [...listed].filter(([name, version]) => watch.known.get(name) !== version).map(([name]) => name);
          const more = [...watch.known.keys()].filter((name) => !listed.has(name));
          expect(missing.length + more.length === 0, `the watch lacks ${missing}, and has also ${more}`);
        }).catch((error) => tally.fault(`${protocol} watch: ${error}`));
        tally.count("compared objects", watch.known.size);
      } finally {
        watching.abort();
        await watch.done;
        for (const each of [client, watcher, idle]) each.close();
      }
    },
  };
}

/** Creates or replaces an object, reads it, and in every third turn deletes it. */
async function write(client: Client, name: string, turn: number, tally: Tally): Promise<void> {
  const data = { turn: String(turn) };
  const created = await client.ask(path, { method: "POST", body: { metadata: { name }, data } });
  if (created.status === 409) {
    const replaced = await client.ask(`${path}/${name}`, { method: "PUT", body: { metadata: { name }, data } });
    expect(replaced.status === 200, `PUT was answered with ${replaced.status}`);
  } else expect(created.status === 201, `POST was answered with ${created.status}`);
  const read = await client.ask(`${path}/${name}`);
  if (read.status !== 200 || read.json().data.turn !== data.turn) tally.fault(`read ${read.text} after the write of ${turn}`);
  if (turn % 3 === 0) expect((await client.ask(`${path}/${name}`, { method: "DELETE" })).status === 200, "DELETE failed");
  tally.count("writes");
}

async function readLongList(client: Client, tally: Tally): Promise<void> {
  const { status, headers, bytes } = await client.ask(longList.path, { headers: { "accept-encoding": "gzip" } });
  expect(status === 200, `the list was answered with ${status}`);
  if (headers["content-encoding"] !== "gzip") tally.fault("the list is not compressed");
  const { items } = JSON.parse(new TextDecoder().decode(gunzipSync(bytes)));
  if (items.length !== longList.count) tally.fault(`a list of ${items.length} objects, not ${longList.count}`);
  tally.count("long lists");
}

/** Long lists whose readers leave after the first chunk, and streams that are cancelled before their answers. */
async function cancelStreams(client: Client, tally: Tally): Promise<void> {
  const { status, chunks } = await client.stream(longList.path);
  expect(status === 200, `the list was answered with ${status}`);
  for await (const _ of chunks) break;
  const abort = new AbortController();
  const asked = Array.from({ length: cancelled }, () => client.ask(longList.path, { signal: abort.signal }));
  await pause(1);
  abort.abort();
  await Promise.allSettled(asked);
  tally.count("cancelled streams", 1 + cancelled);
}

async function readSlowly(open: (place: Place) => Client, target: Target, tally: Tally, signal: AbortSignal): Promise<void> {
  const client = open(target);
  try {
    const { status, chunks } = await client.stream(longList.path);
    expect(status === 200, `the list was answered with ${status}`);
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of chunks) {
      parts.push(chunk as Uint8Array<ArrayBuffer>); // Chunks of a socket are never shared memory.
      if (parts.length <= slowChunks) await pause(slowPauseMs, signal);
    }
    const { items } = JSON.parse(await new Blob(parts).text());
    if (items.length !== longList.count) tally.fault(`a slow reader got ${items.length} objects`);
    tally.count("slow readers");
  } catch (error) {
    // Node's client drops what it has received and not read when a connection ends after a GOAWAY, also with its own server.
    if (!(error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE")) throw error;
    tally.count("slow readers cut by their client");
  } finally {
    client.close();
  }
}

async function reconnect(open: (place: Place) => Client, target: Target, tally: Tally): Promise<void> {
  const client = open(target);
  try {
    expect((await client.ask("/readyz")).status === 200, "not ready");
    tally.count("new connections");
  } finally {
    client.close();
  }
}
