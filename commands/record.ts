/** `thole record`: a proxy in front of a cluster, which writes a recording for tests. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { reasonOf } from "../core/reason-of.ts";
import { readCommandFlags } from "../server/config/command-flags.ts";
import { UsageError } from "../server/config/commands.ts";
import { openCluster } from "./record/cluster.ts";
import { type FilePlace, givePlaceUp, keepRecording, reservePlace } from "./record/kept-recording.ts";
import { openProxy, type Proxy } from "./record/proxy.ts";

const say = (line: string): void => console.error(`thole: ${line}`);

interface Options {
  readonly to: string;
  readonly from: string;
  readonly context: string | undefined;
  readonly port: number;
}

/**
 * Resolves after a signal: with 0 when the recording is written, with 1 if it is elsewhere, or if the signal came before the start. Rejects for wrong
 * flags, and for a cluster that cannot be used.
 */
export async function run(args: readonly string[]): Promise<number> {
  const options = optionsOf(args), signals = new Signals();
  try {
    const place = await reservePlace(options.to);
    return await recorded(options, place, signals);
  } finally {
    signals.close();
  }
}

async function recorded(options: Options, place: FilePlace, signals: Signals): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "thole-record-")), kubeconfig = join(folder, "kubeconfig");
  try {
    const proxy = await opened(options, place, kubeconfig, signals.first);
    if (proxy === undefined) return 1;
    console.log(`Thole records on ${proxy.url}\nexport KUBECONFIG=${kubeconfig}`);
    await signals.next();
    await proxy.close().catch((error: unknown) => say(reasonOf(error)));
    return await kept(proxy, place, signals);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function optionsOf(args: readonly string[]): Options {
  const values = readCommandFlags({ name: "record", args }), flag = (name: string) => values.get(name)?.[0];
  const to = flag("to"), from = flag("kubeconfig") ?? process.env.KUBECONFIG, port = Number(flag("port") ?? 0);
  if (to === undefined) throw new UsageError('record: flag "--to" is needed: the file of the recording (thole help record)');
  if (from === undefined || from === "") throw new UsageError('record: flag "--kubeconfig" is needed, or the variable KUBECONFIG');
  if (!(Number.isInteger(port) && port >= 0 && port < 65536)) throw new UsageError(`record: flag "--port": ${flag("port")} is no port`);
  return { to, from, context: flag("context"), port };
}

/** Opens the proxy. Undefined if the signal aborts before. Without a proxy there is nothing to keep. */
async function opened(
  { to, from, context, port }: Options,
  place: FilePlace,
  kubeconfig: string,
  ended: AbortSignal,
): Promise<Proxy | undefined> {
  try {
    const cluster = await openCluster(from, context, ended);
    const proxy = await openProxy(cluster, port, say);
    await writeFile(kubeconfig, proxy.kubeconfig, { mode: 0o600 });
    say(`records requests to ${cluster.address} as ${cluster.user.name}; a signal (Ctrl-C) writes ${to}`);
    return proxy;
  } catch (error) {
    await givePlaceUp(place);
    if (!ended.aborted) throw error;
    say("ended before it recorded anything: there is no recording");
    return undefined;
  }
}

/** Writes what was recorded. While it can be written nowhere it is kept in memory, and each further signal tries again. */
async function kept({ recording }: Proxy, place: FilePlace, signals: Signals): Promise<number> {
  // No folder of its own: that of the kubeconfig is removed.
  const elsewhere = join(tmpdir(), `thole-recording-${process.pid}.yaml`);
  for (;;) {
    const where = await keepRecording(place, elsewhere, () => recording.documents(), say);
    if (where === undefined) {
      say("keeps the recording in memory: make room, and send a signal (Ctrl-C) to write it again");
      await signals.next();
      continue;
    }
    if (where.problem === undefined) {
      say(`${recording.requests().length} requests in ${where.path}`);
      return 0;
    }
    say(`${recording.requests().length} requests are in ${where.path}, because ${place.path} could not be written: ${where.problem}`);
    return 1;
  }
}

/** The signals that ask for the end. None of them ends the process by itself. */
class Signals {
  readonly #first = new AbortController();
  #waiting = 0;
  #wake = (): void => {};

  constructor() {
    for (const name of names) process.on(name, this.#came);
  }

  /** Aborts with the first one. */
  get first(): AbortSignal {
    return this.#first.signal;
  }

  /** Resolves with the next signal: at once if one came since the last call. The process goes on until then, also with nothing else to do. */
  async next(): Promise<void> {
    const alive = setInterval(() => {}, aliveMs);
    if (this.#waiting === 0) await new Promise<void>((resolve) => this.#wake = resolve);
    clearInterval(alive);
    this.#waiting = 0;
  }

  close(): void {
    for (const name of names) process.off(name, this.#came);
  }

  readonly #came = (): void => {
    this.#waiting++;
    this.#first.abort();
    this.#wake();
  };
}
const names = ["SIGINT", "SIGTERM"] as const;
/** Milliseconds between the turns of a process that waits for a signal: any. */
const aliveMs = 60_000;
