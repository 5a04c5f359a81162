/** A program: clients that send requests in sequence for a given time, and measure them. For HTTP/2 the one in Go is preferred. */
import { performance } from "node:perf_hooks";
import { answerLines } from "./children.ts";
import { percentiles } from "./percentile.ts";
import { filler, templateOf, type Wanted } from "./requests.ts";
import { type Sender, type SenderOptions, senders } from "./sender.ts";

/** In `path`, `<object>` is replaced by the name of an object. */
export interface Load extends SenderOptions, Wanted {
  /** Requests under way. */
  readonly clients: number;
  readonly objects: number;
  /** Seconds after which it stops. */
  readonly seconds: number;
  /** Number of requests after which it stops, if given. */
  readonly count?: number;
  /** Number of requests that begin in a second; default: as many as the clients can. */
  readonly perSecond?: number;
}

export interface Loaded {
  readonly requests: number;
  readonly failed: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly longest: number;
  readonly bytes: number;
}

async function load(what: Load): Promise<Loaded> {
  const open = await senders(what);
  const clients = await Promise.all(Array.from({ length: what.clients }, open));
  const template = templateOf(what), fill = filler(template, what.objects);
  const latencies: number[] = [];
  let failed = 0, bytes = 0, begun = 0;
  const start = performance.now(), end = start + what.seconds * 1000;
  const run = async (client: Sender) => {
    while (performance.now() < end && begun < (what.count ?? Infinity)) {
      const number = begun++;
      if (what.perSecond !== undefined) await pause(start + number * 1000 / what.perSecond - performance.now());
      const request = { ...template, ...fill(number) };
      const before = performance.now();
      const answered = await client.send(request);
      latencies.push(performance.now() - before);
      bytes += answered.bytes;
      if (answered.status >= 300) failed++;
    }
  };
  await Promise.all(clients.map(run));
  const seconds = (performance.now() - start) / 1000;
  for (const client of clients) client.close();
  return { requests: latencies.length, failed, seconds, ...percentiles(latencies), longest: latencies.at(-1) ?? 0, bytes };
}

function pause(ms: number): Promise<void> | undefined {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;
}

await answerLines(load);
