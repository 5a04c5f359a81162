/** Metrics of the cache of tokens, and of reloads of the authorization configuration. */
import { createHash } from "node:crypto";
import type { TokenCacheMeter } from "../../kernel/access/authentication/mod.ts";
import type { KernelRecord } from "../metrics/metrics.ts";

/** Upstream's hash of the server's identity; empty for a server without one. */
const apiserver_id_hash = "";

/** `sha256:...` of a text, as upstream writes hashes into labels; empty for an empty text. */
export function labelHash(text: string): string {
  return text === "" ? "" : `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

export function tokenCacheMeter(record: KernelRecord): TokenCacheMeter {
  return {
    answered(status, seconds) {
      record.tokenCacheRequests.with({ status }).add();
      record.tokenCacheSeconds.with({ status }).observe(seconds);
    },
    fetched: (status) => record.tokenCacheFetches.with({ status }).add(),
    active: (status, change) => record.tokenCacheActive.with({ status }).add(change),
  };
}

/** Metrics of reloads of a configuration file. */
export interface ReloadMeter {
  reloaded(status: "success" | "failure"): void;
  /** The text of the active configuration. */
  inForce(text: string): void;
}

/** `now`: milliseconds since the epoch. */
export function authorizationReloadMeter(record: KernelRecord, now: () => number): ReloadMeter {
  const { authorizationReloads, authorizationReloadedAt, authorizationInfo } = record;
  return {
    reloaded(status) {
      authorizationReloads.with({ apiserver_id_hash, status }).add();
      authorizationReloadedAt.with({ apiserver_id_hash, status }).set(now() / 1000);
    },
    inForce(text) {
      authorizationInfo.reset();
      authorizationInfo.with({ apiserver_id_hash, hash: labelHash(text) }).set(1);
    },
  };
}
