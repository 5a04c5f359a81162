/** One server with all clients for some time: what the clients saw, and whether the server keeps anything of them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Runtime, until } from "../../test/real-server.ts";
import { expect, newTally, pause, type SoakClient, type Tally, type Target } from "./client.ts";
import { retryingHttp2Client } from "./retrying.ts";
import { judge } from "./judge.ts";
import { createLongList } from "./objects.ts";
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
/** Time for the end of clients, and for all that a server does besides the soak. */
const endMsMax = 120_000, lifeMarginMs = 600_000;

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { runtime, store, minutes } = options;
  const folder = await mkdtemp(join(tmpdir(), "thole-soak-"));
  const served = await serve({ runtime, store, folder, lifeMs: minutes * minuteMs + lifeMarginMs });
  try {
    const { url, port, ca, token, kubeconfig } = served.current();
    const caFile = join(folder, "ca.pem");
    await writeFile(caFile, ca);
    const target: Target = { url, port, ca, token, kubeconfig, caFile, folder, pace: options.pace };
    await fill(target);
    const { samples, tallies, minute } = await runClients(options, served, target);
    const left = await remains(target).then(() => [], (error) => [String(error)]);
    const final = await takeSample(served, target, minute());
    await served.close();
    const { faults, duringRestarts } = judge(tallies, served.outages);
    return {
      counts: new Map([...tallies].map(([name, { counts }]) => [name, counts])),
      faults: [...faults, ...served.errors(), ...left],
      duringRestarts,
      samples: [...samples, final],
    };
  } finally {
    await served.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(target: Target): Promise<void> {
  const client = retryingHttp2Client(target);
  try {
    await createLongList(client);
  } finally {
    client.close();
  }
}

/** Runs the clients, restarts the server meanwhile, and waits for their ends. Rejects if a client does not end. */
async function runClients({ clients, minutes, restarts, print }: SoakOptions, served: Served, target: Target) {
  const over = new AbortController(), sampling = new AbortController();
  const tallies = new Map<string, Tally>(clients.map(({ name }) => [name, newTally()]));
  const begun = performance.now(), minute = () => (performance.now() - begun) / minuteMs;
  const samples: Sample[] = [];
  const taking = takeSamples(served, target, { minute, samples, signal: sampling.signal, print });
  const running = Promise.all(clients.map(async (client) => {
    const tally = tallies.get(client.name)!;
    await client.run(target, tally, over.signal).catch((error) => tally.fault(`it ended with ${error}`));
  }));
  for (let part = 0; part <= restarts; part++) {
    if (part > 0) {
      print(`minute ${minute().toFixed(1)}: restart`);
      await served.restart();
    }
    await pause(minutes * minuteMs / (restarts + 1));
  }
  over.abort();
  const ended = new AbortController();
  const late = pause(endMsMax, ended.signal).then(() => {
    if (!ended.signal.aborted) throw new Error("a client does not end");
  });
  await Promise.race([running, late]);
  ended.abort();
  sampling.abort();
  await taking;
  return { samples, tallies, minute };
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
    await takeSample(served, target, minute()).then((taken) => {
      samples.push(taken);
      const { residentMiB, openFiles, connections, streams } = taken;
      const shown = `${residentMiB.toFixed(0)} MiB, ${openFiles} files, ${connections} connections, ${streams} streams`;
      print(`minute ${taken.minute.toFixed(1)}: ${shown}`);
    }, () => print(`minute ${minute().toFixed(1)}: no sample, the server restarts`));
    await pause(minuteMs * Math.min(1, target.pace), signal);
  }
}

async function takeSample(served: Served, target: Target, minute: number): Promise<Sample> {
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
