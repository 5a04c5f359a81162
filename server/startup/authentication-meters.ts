/** Metrics of the authentication of tokens. */
import { createHash } from "node:crypto";
import type { JwtMeter, TokenCacheMeter } from "../../kernel/access/authentication/mod.ts";
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

interface Shown {
  /** Hash of the keys that were fetched last. */
  hash?: string;
  /** Times of the last fetches, in seconds since the epoch. */
  readonly at: Map<"success" | "failure", number>;
}

/** `now`: milliseconds since the epoch. */
export function jwtMeter(record: KernelRecord, now: () => number): JwtMeter {
  /** The current samples by the hash of an issuer: a gauge can only be reset as a whole. */
  const shown = new Map<string, Shown>();
  const show = () => {
    record.jwksInfo.reset();
    record.jwksFetchedAt.reset();
    for (const [jwt_issuer_hash, { hash, at }] of shown) {
      if (hash !== undefined) record.jwksInfo.with({ apiserver_id_hash, hash, jwt_issuer_hash }).set(1);
      for (const [result, seconds] of at) record.jwksFetchedAt.with({ apiserver_id_hash, jwt_issuer_hash, result }).set(seconds);
    }
  };
  return {
    verified: (issuer, result, seconds) => record.jwtSeconds.with({ jwt_issuer_hash: labelHash(issuer), result }).observe(seconds),
    keysFetched(issuer, keySet) {
      const key = labelHash(issuer), known: Shown = shown.get(key) ?? { at: new Map() };
      if (keySet !== undefined) known.hash = labelHash(keySet);
      known.at.set(keySet === undefined ? "failure" : "success", now() / 1000);
      shown.set(key, known);
      show();
    },
    removed(issuer) {
      shown.delete(labelHash(issuer));
      show();
    },
  };
}

/** Metrics of reloads of a configuration file. */
export interface ReloadMeter {
  reloaded(status: "success" | "failure"): void;
  /** The text of the active configuration. */
  inForce(text: string): void;
}

/** `now`: milliseconds since the epoch. */
export function authenticationReloadMeter(record: KernelRecord, now: () => number): ReloadMeter {
  return reloadMeter(record.authenticationReloads, record.authenticationReloadedAt, record.authenticationInfo, now);
}
/** `now`: milliseconds since the epoch. */
export function authorizationReloadMeter(record: KernelRecord, now: () => number): ReloadMeter {
  return reloadMeter(record.authorizationReloads, record.authorizationReloadedAt, record.authorizationInfo, now);
}

function reloadMeter(
  reloads: KernelRecord["authenticationReloads"],
  reloadedAt: KernelRecord["authenticationReloadedAt"],
  info: KernelRecord["authenticationInfo"],
  now: () => number,
): ReloadMeter {
  return {
    reloaded(status) {
      reloads.with({ apiserver_id_hash, status }).add();
      reloadedAt.with({ apiserver_id_hash, status }).set(now() / 1000);
    },
    inForce(text) {
      info.reset();
      info.with({ apiserver_id_hash, hash: labelHash(text) }).set(1);
    },
  };
}
