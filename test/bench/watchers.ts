/** A program: watches on one collection and writers. Each watch must receive every write once and in order. */
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { type Connection, openConnection } from "./connection.ts";
import { answerLines } from "./children.ts";
import { configMap } from "./objects.ts";
import { percentile } from "./percentile.ts";

export interface Watch {
  readonly port: number;
  readonly ca: string;
  readonly token: string;
  /** Of the collection, without a query. */
  readonly path: string;
  readonly watchers: number;
  readonly writesPerSecond: number;
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
  | { readonly step: "run"; readonly writes: number }
  | { readonly step: "close" };

function program(): (step: Step) => Promise<object> {
  let opened: Awaited<ReturnType<typeof open>> | undefined;
  return async (step) => {
    if (step.step === "open") opened = await open(step.watch);
    else if (step.step === "run") return await opened!.run(step.writes);
    else opened?.close();
    return {};
  };
}

async function open(watch: Watch) {
  const to = { port: watch.port, ca: readFileSync(watch.ca, "utf8") };
  const heads = `Host: localhost\r\nAuthorization: Bearer ${watch.token}\r\nAccept: application/json\r\n`;
  const connections: Connection[] = [];
  const opened = async () => {
    const connection = await openConnection(to);
    connections.push(connection);
    return connection;
  };
  const put = async (connection: Connection, method: string, path: string, body: string) => {
    const answered = await connection.request(
      `${method} ${path} HTTP/1.1\r\n${heads}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    if (answered.status >= 300) throw new Error(`${method} ${path} answered ${answered.status}`);
  };
  const nameOf = (writer: number) => `watched-${writer}-${process.pid}`;
  const writerConnections = await Promise.all(Array.from({ length: writers }, opened));
  await Promise.all(writerConnections.map((connection, writer) => put(connection, "POST", watch.path, configMap(nameOf(writer), "-1"))));
  let listed = "";
  await writerConnections[0]!.request(`GET ${watch.path}?limit=1 HTTP/1.1\r\n${heads}\r\n`, (piece) => listed += piece.toString("latin1"));
  const revision = /"metadata":\{"resourceVersion":"(\d+)"/.exec(listed)?.[1] ?? "";

  const seen: Seen = { delivered: 0, doubled: 0, wanted: 0, latencies: [], done: () => {} };
  for (let at = 0; at < watch.watchers; at += openedAtOnce) {
    await Promise.all(Array.from({ length: Math.min(openedAtOnce, watch.watchers - at) }, async () => {
      const connection = await opened();
      const request = `GET ${watch.path}?watch=true&resourceVersion=${revision}&timeoutSeconds=600 HTTP/1.1\r\n${heads}\r\n`;
      void connection.request(request, watcher(seen)).catch(() => {});
    }));
  }
  const written = Array<number>(writers).fill(0);
  const writer = async (connection: Connection, index: number, start: number, writes: number) => {
    for (let n = index; n < writes; n += writers) {
      const due = start + n * 1000 / watch.writesPerSecond;
      if (due > performance.now()) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      const told = `${index} ${written[index]!++} ${performance.now()}`;
      await put(connection, "PUT", `${watch.path}/${nameOf(index)}`, configMap(nameOf(index), told));
    }
  };
  return {
    async run(writes: number): Promise<Watched> {
      const all = new Promise<void>((resolve) => seen.done = resolve);
      Object.assign(seen, { delivered: 0, doubled: 0, wanted: watch.watchers * writes, latencies: [] });
      const start = performance.now();
      await Promise.all(writerConnections.map((connection, index) => writer(connection, index, start, writes)));
      await Promise.race([all, new Promise<void>((resolve) => setTimeout(resolve, settleMs).unref())]);
      const seconds = (performance.now() - start) / 1000;
      const { delivered, doubled, wanted, latencies } = seen;
      latencies.sort((a, b) => a - b);
      const missing = wanted - delivered;
      return { delivered, missing, doubled, seconds, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
    },
    close: () => connections.forEach((connection) => connection.close()),
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
