/** A server that restarts on its address, gracefully. */
import { once } from "../../core/async.ts";
import { etcdMissing, startEtcd } from "../../test/etcd.ts";
import { freePort } from "../../test/ports.ts";
import { type RealServer, type Runtime, startRealServer } from "../../test/real-server.ts";
import type { Outage } from "./judge.ts";

export type StoreName = "sqlite" | "etcd";

export interface Served {
  current(): RealServer;
  /** Number of the process, from 1. */
  process(): number;
  readonly outages: readonly Outage[];
  /** Output of all processes at the level of errors. */
  errors(): readonly string[];
  restart(): Promise<void>;
  /** May be called again. */
  close(): Promise<void>;
}

/** Requests that began before a restart can fail that long after it. */
const outageMarginMs = 5_000;
/** Chance of a GOAWAY for a request, so that clients see some between restarts too. */
const flags = ["--goaway-chance=0.002"];

export function storeMissing(store: StoreName): string | undefined {
  return store === "etcd" ? etcdMissing() || undefined : undefined;
}

export async function serve(
  { runtime, store, folder, lifeMs }: {
    readonly runtime: Runtime;
    readonly store: StoreName;
    readonly folder: string;
    readonly lifeMs: number;
  },
): Promise<Served> {
  const etcd = store === "etcd" ? await startEtcd() : undefined;
  const args = [`--secure-port=${await freePort()}`, ...flags, ...(etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`])];
  const start = () => startRealServer({ runtime, folder, args, lifeMs });
  const outages: Outage[] = [], errors: string[] = [];
  let current = await start(), process = 1;
  /** Ends with SIGTERM. */
  const end = async () => {
    current.signal("SIGTERM");
    const code = await current.exited;
    if (code !== 0) errors.push(`the server ended with ${code}`);
    errors.push(...current.errors().split("\n").filter((line) => /^E\d{4}/.test(line) || line.includes("panic")));
  };
  return {
    current: () => current,
    process: () => process,
    outages,
    errors: () => errors,
    async restart() {
      const outage: Outage = { from: Date.now(), to: Infinity };
      outages.push(outage);
      await end();
      current = await start();
      process++;
      outage.to = Date.now() + outageMarginMs;
    },
    close: once(async () => {
      await end();
      await etcd?.stop();
    }),
  };
}
