/** Leader election: controllers run on one server at a time. */
import { spell } from "../../core/names.ts";
import type { Api } from "../../core/api.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import { takeTurns } from "./leader-election.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import type { KernelRecord } from "../metrics/metrics.ts";
import { type ServerClock, untilAborted } from "../../core/async.ts";

/** Namespace and name of the lease of the leader. */
const namespace = "kube-system", name = "thole-controllers";

const sayAgainMs = 60_000, secondFailureMs = 60_000;

export interface ElectionNeeds {
  readonly api: Api;
  /** Identity of this server; unique among the servers. */
  readonly identity: string;
  readonly isLeader: KernelRecord["isLeader"];
  /** Whether controllers run in this process if there is no election: of the workers of a server, in the first one. Default: true. */
  readonly runsUnelected?: boolean;
}

interface Surroundings {
  readonly log: Log;
  readonly clock: ServerClock;
  /** Settled when the namespace of the lease exists. */
  readonly bootstrapped: Promise<void>;
  /** Called when another server becomes the leader. */
  readonly resting: () => void;
}

/** Runs at once with the embedded store or without leader election; else while this server is the leader. */
export async function whenElected(
  { config, catalog }: ActiveConfig,
  { api, log, clock, bootstrapped, identity, isLeader, runsUnelected = true, resting }: ElectionNeeds & Surroundings,
  run: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const unelected = async () => {
    if (runsUnelected) return await run(signal);
    resting();
    await untilAborted(signal);
  };
  if (!config["leader-elect"] || config["etcd-servers"].length === 0) return await unelected();
  const { group, version } = splitGroupVersion(spell(catalog.names, "coordination.{domain}/v1"));
  if (catalog.endpoint(group, version, "leases") === undefined) {
    log.error("controllers run on every server: leader election needs leases, and no plugin serves them");
    return await unelected();
  }
  await bootstrapped.catch(() => {});
  let failedAt = -Infinity, saidAt = -Infinity;
  // A single failure is harmless, and the store logs its own faults first. Repeated failures are logged at most once a minute.
  const failed = (error: unknown) => {
    const now = clock.elapsed();
    const isSecond = now - failedAt < secondFailureMs;
    failedAt = now;
    if (!isSecond || now - saidAt < sayAgainMs) return;
    saidAt = now;
    log.error("the lease of the controllers cannot be renewed", describe(error));
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
    clock,
    elapsed: clock.elapsed,
    random: Math.random,
    lead: run,
    notify(news) {
      if (news === "resting") return resting();
      if (typeof news === "object") return failed(news.failed);
      saidAt = -Infinity;
      leads.set(news === "leading" ? 1 : 0);
      log.info(news === "leading" ? "controllers run on this server" : "controllers stop on this server", {
        lease: `${namespace}/${name}`,
        identity,
      });
    },
  }, signal);
}
