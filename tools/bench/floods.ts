/** Floods of frames of HTTP/2 and websockets, each against a separate server: the delay of another client meanwhile, and the server's memory. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientRuntime, type Runtime, startChild } from "./children.ts";
import type { Flooded, FloodOrder } from "./flood-client.ts";
import { beside, turnOf } from "./hostile.ts";
import type { Load, Loaded } from "./load.ts";
import { cpuMs, forgetPeak, memoryMiB } from "./process.ts";
import { startServer } from "./server.ts";

export const floodNames = Object.freeze([
  ...["rapid reset", "MadeYouReset", "CONTINUATION", "SETTINGS", "PING", "empty DATA", "PRIORITY", "unknown frames", "WINDOW_UPDATE"],
  ...["large SETTINGS", "unread HEAD", "unread PING"],
  ...["websocket frames", "websocket fragments", "websocket pings", "unread websocket pings", "unread websocket watches"],
  ...["zero windows", "HPACK bomb", "900 cookies", "900 cookies, open", "slow bodies", "filled bodies"],
]);

export interface FloodRow {
  readonly name: string;
  readonly connections: number;
  readonly flooded: Flooded;
  readonly seconds: number;
  /** Of the server, in milliseconds for each second. */
  readonly cpuMsPerSecond: number;
  /** Of the longest turn of its event loop, in milliseconds. */
  readonly turnCpuMs: number;
  /** The longest wait of another client for /livez before and beside the flood, in milliseconds. */
  readonly quietMs: number;
  readonly waitMs: number;
  /** Before, and the peak. */
  readonly memoryMiB: readonly [number, number];
}

const token = "bench";
const quietSeconds = 0.5;

export async function measureFlood(
  { name, connections, seconds, runtime }: {
    readonly name: string;
    readonly connections: number;
    readonly seconds: number;
    readonly runtime: Runtime;
  },
): Promise<FloodRow> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const children: { stop(): Promise<void> }[] = [];
  try {
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const turnsFile = join(folder, "turns");
    const server = await startServer(runtime, [`--data-dir=${folder}/data`, `--token-auth-file=${folder}/tokens.csv`], turnsFile);
    children.push(server);
    const probe = startChild(clientRuntime(), "load.ts"), client = startChild(clientRuntime(), "flood-client.ts");
    children.push(probe, client);
    const { port, pid } = server;
    const load: Load = {
      ...{ kind: "get", port, ca: join(folder, "data", "pki", "ca.crt"), token, path: "/livez" },
      ...{ clients: 1, objects: 1, seconds: quietSeconds, run: "" },
    };
    const order: FloodOrder = { flood: name, port, token, connections, seconds };
    await probe.ask<Loaded>(load); // Until its code, and the server's for it, is compiled.
    await client.ask<Flooded>({ ...order, connections: 1, seconds: quietSeconds });
    const quiet = await probe.ask<Loaded>(load);
    const before = memoryMiB(pid).now, cpuBefore = cpuMs(pid);
    forgetPeak(pid);
    await turnOf(pid, turnsFile);
    const { result, seconds: took, waited } = await beside(probe, load, () => client.ask<Flooded>(order));
    return {
      ...{ name, connections, flooded: result, seconds: took, quietMs: quiet.longest, waitMs: waited },
      turnCpuMs: await turnOf(pid, turnsFile),
      cpuMsPerSecond: (cpuMs(pid) - cpuBefore) / took,
      memoryMiB: [before, memoryMiB(pid).peak],
    };
  } finally {
    for (const child of children.toReversed()) await child.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

export function floodLine(
  { name, connections, flooded, seconds, cpuMsPerSecond, turnCpuMs, quietMs, waitMs, memoryMiB }: FloodRow,
): string {
  const { units, bytes, ended } = flooded, [before, peak] = memoryMiB;
  return `| ${name} | ${connections} | ${Math.round(units / seconds)} | ${(bytes / seconds / 2 ** 20).toFixed(1)} | ${ended} | ${
    cpuMsPerSecond.toFixed(0)
  } | ${turnCpuMs.toFixed(0)} | ${quietMs.toFixed(0)} / ${waitMs.toFixed(0)} | ${before.toFixed(0)} / ${peak.toFixed(0)} |`;
}

export const floodHead =
  "| flood | connections | units per s | MiB per s | ended connections | CPU ms per s | longest turn, ms of CPU | wait of another client, before / beside, ms | MiB before / peak |\n|---|---|---|---|---|---|---|---|---|";
