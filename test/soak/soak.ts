/** One server with all clients for some time: what the clients saw, and whether the server keeps anything of them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Runtime, until } from "../real-server.ts";
import { expect, newTally, pause, type SoakClient, type Tally, type Target } from "./client.ts";
import { retryingHttp2Client } from "./retrying.ts";
import { createLongList, longList, namespace } from "./objects.ts";
import { connectionsTo, type Sample, sample } from "./samples.ts";
import { serve, type Served, type StoreName } from "./served.ts";

export interface SoakOptions {
  readonly runtime: Runtime;
  readonly store: StoreName;
  readonly minutes: number;
  /** Graceful restarts, at equal distances. */
  readonly restarts: number;
  /** Multiplies all pauses of clients. */
  readonly pace: number;
  readonly clients: readonly SoakClient[];
  readonly print: (line: string) => void;
}

export interface SoakReport {
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** What must not happen: violations, failures outside of restarts, errors of the server, connections and requests that stay. */
  readonly faults: readonly string[];
  /** Failures during restarts, which are expected. */
  readonly duringRestarts: number;
  readonly samples: readonly Sample[];
}

const minuteMs = 60_000;
/** Time for the end of clients, and margin of a server's life. */
const endMsMax = 120_000;

export async function soak({ runtime, store, minutes, restarts, pace, clients, print }: SoakOptions): Promise<SoakReport> {
  const folder = await mkdtemp(join(tmpdir(), "thole-soak-"));
  const served = await serve({ runtime, store, folder, lifeMs: minutes * minuteMs + 10 * minuteMs });
  try {
    const server = served.current();
    const caFile = join(folder, "ca.pem");
    await writeFile(caFile, server.ca);
    const { url, port, ca, token, kubeconfig } = server;
    const target: Target = { url, port, ca, token, kubeconfig, caFile, folder, pace };
    const filler = retryingHttp2Client(target);
    await createLongList(filler);
    filler.close();

    const over = new AbortController(), sampling = new AbortController();
    const tallies = new Map<string, Tally>(clients.map(({ name }) => [name, newTally()]));
    const begun = performance.now(), minute = () => (performance.now() - begun) / minuteMs;
    const samples: Sample[] = [];
    const taking = takeSamples(served, target, { minute, samples, signal: sampling.signal, print });
    const running = Promise.all(clients.map(async (client) => {
      const tally = tallies.get(client.name)!;
      await client.run(target, tally, over.signal).catch((error) => tally.fault(`it ended with ${error}`));
    }));
    for (let at = 1; at <= restarts; at++) {
      await pause(minutes * minuteMs / (restarts + 1));
      print(`minute ${minute().toFixed(1)}: restart`);
      await served.restart();
    }
    await pause(minutes * minuteMs / (restarts + 1));
    over.abort();
    const late = new AbortController();
    await Promise.race([
      running,
      pause(endMsMax, late.signal).then(() => late.signal.aborted || Promise.reject(new Error("a client does not end"))),
    ]);
    late.abort();
    sampling.abort();
    await taking;
    const left = await remains(target).then(() => [], (error) => [String(error)]);
    const final = await lastSample(served, target, minute());
    await served.close();
    return {
      counts: new Map([...tallies].map(([name, { counts }]) => [name, counts])),
      ...judge(tallies, served),
      faults: [...judge(tallies, served).faults, ...served.errors(), ...left],
      samples: [...samples, final],
    };
  } finally {
    if (!await hasExited(served)) await served.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function hasExited(served: Served): Promise<boolean> {
  return Promise.race([served.current().exited.then(() => true), pause(100).then(() => false)]);
}

/** A sample each minute, and at the start. */
async function takeSamples(
  served: Served,
  target: Target,
  { minute, samples, signal, print }: {
    readonly minute: () => number;
    readonly samples: Sample[];
    readonly signal: AbortSignal;
    readonly print: (line: string) => void;
  },
): Promise<void> {
  while (!signal.aborted) {
    await lastSample(served, target, minute()).then((taken) => {
      samples.push(taken);
      const { residentMiB, openFiles, connections, streams } = taken;
      const shown = `${residentMiB.toFixed(0)} MiB, ${openFiles} files, ${connections} connections, ${streams} streams`;
      print(`minute ${taken.minute.toFixed(1)}: ${shown}`);
    }, () => print(`minute ${minute().toFixed(1)}: no sample, the server restarts`));
    await pause(minuteMs * Math.min(1, target.pace), signal);
  }
}

async function lastSample(served: Served, target: Target, minute: number): Promise<Sample> {
  const client = retryingHttp2Client(target), { pid, port } = served.current();
  try {
    const { text } = await client.ask("/metrics");
    return sample({ pid, port, metrics: text, minute, process: served.process() });
  } finally {
    client.close();
  }
}

/** Rejects with what the server keeps of clients that have ended. */
async function remains({ port, ...place }: Target): Promise<void> {
  const client = retryingHttp2Client({ port, ...place });
  try {
    await until(async () => {
      const { text } = await client.ask("/metrics");
      const open = [...text.matchAll(/^apiserver_longrunning_requests\{(.*)\} [1-9]/gm)].map(([, labels]) => labels);
      expect(open.length === 0, `open watches without clients: ${open}`);
      expect(connectionsTo(port) <= 1, `${connectionsTo(port)} connections without clients`);
    });
  } finally {
    client.close();
  }
}

function judge(tallies: ReadonlyMap<string, Tally>, { outages }: Served): Pick<SoakReport, "faults" | "duringRestarts"> {
  const faults: string[] = [];
  let duringRestarts = 0;
  for (const [name, tally] of tallies) {
    faults.push(...tally.faults.map((text) => `${name}: ${text}`));
    for (const { at, text } of tally.failures) {
      if (outages.some(({ from, to }) => at >= from && at <= to)) duringRestarts++;
      else faults.push(`${name}, ${new Date(at).toISOString()}: ${text}`);
    }
    if (tally.counts.size === 0) faults.push(`${name}: it did nothing`);
  }
  return { faults, duringRestarts };
}

export const soakPaths = Object.freeze({ long: longList.path, written: `/api/v1/namespaces/${namespace}/configmaps` });
