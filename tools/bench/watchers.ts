/** A program: watches on one collection and writers. Each watch must receive every write once and in order. */
import { performance } from "node:perf_hooks";
import process from "node:process";
import { answerLines } from "./children.ts";
import { objectText, updatedPath, type Written } from "./objects.ts";
import { percentiles } from "./percentile.ts";
import { type Sender, type SenderOptions, senders } from "./sender.ts";

export interface Watch extends SenderOptions {
  /** Of the collection, without a query. */
  readonly path: string;
  /** Default: ConfigMaps. */
  readonly written?: Written;
  readonly watchers: number;
  readonly writesPerSecond: number;
  /** Bytes of data of the ConfigMaps; default: 1,000. */
  readonly bytes?: number;
  /** Ask for bookmarks, as client-go does. */
  readonly bookmarks?: boolean;
}

export interface Watched {
  readonly delivered: number;
  /** Numbers that a watcher missed or got out of order. */
  readonly missing: number;
  readonly doubled: number;
  readonly seconds: number;
  /** From just before the write to the arrival of its event, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** Of the writes, in milliseconds, and from the first to the answer of the last in seconds: the generator in Go has them. */
  readonly writeP50?: number;
  readonly writeP99?: number;
  readonly writeSeconds?: number;
}

/** Watches opened concurrently, so that handshakes do not exceed their timeout in a queue. */
const openedAtOnce = 50;
/** Timeout of the last events. */
const settleMs = 20_000;

/** Each with its own object, so that none waits for another. */
const writers = 8;

const mark = Buffer.from('"n":"');

export type Step =
  | { readonly step: "open"; readonly watch: Watch }
  | { readonly step: "run"; readonly writes: number; readonly writesPerSecond?: number }
  | { readonly step: "close" };

function program(): (step: Step) => Promise<object> {
  let opened: Awaited<ReturnType<typeof openWatches>> | undefined;
  return async (step) => {
    if (step.step === "open") opened = await openWatches(step.watch);
    else if (step.step === "run") return await opened!.run(step.writes, step.writesPerSecond);
    else opened?.close();
    return {};
  };
}

async function openWatches(watch: Watch) {
  const open = await senders(watch), { written: kind = "ConfigMap", bytes } = watch, type = "application/json";
  const opened: Sender[] = [];
  const openOne = async () => {
    const sender = await open();
    opened.push(sender);
    return sender;
  };
  const put = async (sender: Sender, method: string, path: string, body: string) => {
    const answered = await sender.send({ method, path, type, body });
    if (answered.status >= 300) throw new Error(`${method} ${path} answered ${answered.status}`);
  };
  const nameOf = (writer: number) => `watched-${writer}-${process.pid}`;
  const writing = await Promise.all(Array.from({ length: writers }, openOne));
  await Promise.all(writing.map((sender, writer) => put(sender, "POST", watch.path, objectText(kind, nameOf(writer), "-1", bytes))));
  let listed = "";
  await writing[0]!.send({ method: "GET", path: `${watch.path}?limit=1`, type, body: "" }, (piece) => listed += piece.toString("latin1"));
  const revision = /"metadata":\{"resourceVersion":"(\d+)"/.exec(listed)?.[1] ?? "";

  const seen: Seen = { delivered: 0, doubled: 0, wanted: 0, latencies: [], done: () => {} };
  for (let at = 0; at < watch.watchers; at += openedAtOnce) {
    await Promise.all(Array.from({ length: Math.min(openedAtOnce, watch.watchers - at) }, async () => {
      const sender = await openOne();
      const path = `${watch.path}?watch=true&resourceVersion=${revision}&timeoutSeconds=1800${
        watch.bookmarks === true ? "&allowWatchBookmarks=true" : ""
      }`;
      void sender.send({ method: "GET", path, type, body: "" }, watcher(seen)).catch(() => {});
    }));
  }
  const written = Array<number>(writers).fill(0);
  const writer = async (sender: Sender, index: number, start: number, writes: number, perSecond: number) => {
    for (let n = index; n < writes; n += writers) {
      const due = start + n * 1000 / perSecond;
      if (due > performance.now()) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      const told = `${index} ${written[index]!++} ${performance.now()}`;
      await put(sender, "PUT", `${watch.path}/${nameOf(index)}${updatedPath(kind)}`, objectText(kind, nameOf(index), told, bytes));
    }
  };
  return {
    async run(writes: number, perSecond = watch.writesPerSecond): Promise<Watched> {
      const all = new Promise<void>((resolve) => seen.done = resolve);
      Object.assign(seen, { delivered: 0, doubled: 0, wanted: watch.watchers * writes, latencies: [] });
      const start = performance.now();
      await Promise.all(writing.map((sender, index) => writer(sender, index, start, writes, perSecond)));
      await Promise.race([all, new Promise<void>((resolve) => setTimeout(resolve, settleMs).unref())]);
      const seconds = (performance.now() - start) / 1000;
      const { delivered, doubled, wanted, latencies } = seen;
      const missing = wanted - delivered;
      return { delivered, missing, doubled, seconds, ...percentiles(latencies) };
    },
    close: () => opened.forEach((sender) => sender.close()),
  };
}

interface Seen {
  delivered: number;
  doubled: number;
  wanted: number;
  latencies: number[];
  done: () => void;
}

/** Reads the events of one watch: finds the number of each without parsing it. */
function watcher(seen: Seen) {
  const next = Array<number>(writers).fill(0);
  let rest: Buffer | undefined;
  return (piece: Buffer) => {
    const text = rest === undefined ? piece : Buffer.concat([rest, piece]);
    rest = undefined;
    let from = 0;
    for (;;) {
      const end = text.indexOf(10, from);
      if (end < 0) break;
      const at = text.indexOf(mark, from);
      if (at >= 0 && at < end) {
        const [writer = "", n = "", sent = ""] = text.toString("latin1", at + mark.length, text.indexOf(34, at + mark.length)).split(" ");
        const who = Number(writer), number = Number(n), wanted = next[who] ?? 0;
        if (number === wanted) {
          next[who] = wanted + 1;
          seen.delivered++;
          seen.latencies.push(performance.now() - Number(sent));
        } else if (number < wanted) seen.doubled++;
        if (seen.delivered === seen.wanted) seen.done();
      }
      from = end + 1;
    }
    if (from < text.length) rest = Buffer.from(text.subarray(from));
  };
}

await answerLines(program());
