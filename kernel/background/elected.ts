/** Controllers run on one server at a time. */
import { spell } from "../../core/names.ts";
import type { Api } from "../../core/api.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import { takeTurns } from "./leader-election.ts";
import { describe, type Log } from "../observe/log.ts";
import type { KernelRecord } from "../observe/metrics.ts";
import { systemClock } from "../../core/async.ts";

/** Where the lease lies that says which server's controllers run, and what it is called. */
const namespace = "kube-system", name = "thole-controllers";

const sayAgainMs = 60_000, secondFailureMs = 60_000;

export interface ElectionNeeds {
  readonly api: Api;
  /** Of this server among all. */
  readonly identity: string;
  readonly isLeader: KernelRecord["isLeader"];
}

interface Surroundings {
  readonly log: Log;
  /** Settled once the namespace of the lease is there. */
  readonly bootstrapped: Promise<void>;
  /** Told when it is another server's turn. */
  readonly resting: () => void;
}

/** Runs at once on the embedded store or without leader election; else while this server is the leader. */
export async function whenElected(
  { config, catalog }: ActiveConfig,
  { api, log, bootstrapped, identity, isLeader, resting }: ElectionNeeds & Surroundings,
  run: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (!config["leader-elect"] || config["etcd-servers"].length === 0) return await run(signal);
  const { group, version } = splitGroupVersion(spell(catalog.names, "coordination.{domain}/v1"));
  if (catalog.endpoint(group, version, "leases") === undefined) {
    log.error("controllers run on every server: no plugin serves the leases by which one of them is elected");
    return await run(signal);
  }
  await bootstrapped.catch(() => {});
  let failedAt = -Infinity, saidAt = -Infinity;
  // One failure alone does no harm, and what keeps the store away is reported by the store itself, before this. After that, every few
  // seconds while it lasts: one line a minute is enough.
  const failed = (error: unknown) => {
    const now = performance.now();
    const isSecond = now - failedAt < secondFailureMs;
    failedAt = now;
    if (!isSecond || now - saidAt < sayAgainMs) return;
    saidAt = now;
    log.error("the lease of the controllers cannot be kept", describe(error));
  };
  const leads = isLeader.with({ name });
  leads.set(0);
  await takeTurns({
    api,
    namespace,
    name,
    identity,
    leaseMs: config["leader-elect-lease-duration"],
    renewDeadlineMs: config["leader-elect-renew-deadline"],
    retryMs: config["leader-elect-retry-period"],
    clock: systemClock,
    elapsed: () => performance.now(),
    random: Math.random,
    lead: run,
    notify(news) {
      if (news === "resting") return resting();
      if (typeof news === "object") return failed(news.failed);
      saidAt = -Infinity;
      leads.set(news === "leading" ? 1 : 0);
      log.info(news === "leading" ? "controllers run here" : "controllers run here no more", { lease: `${namespace}/${name}`, identity });
    },
  }, signal);
}
