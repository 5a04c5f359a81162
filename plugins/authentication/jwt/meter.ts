/** Metrics of issuers and of the file that names them. */
import type { PartContext } from "../../../core/part.ts";
import { authenticationInfo, authenticationReloadedAt, authenticationReloads, jwksFetchedAt, jwksInfo, jwtSeconds } from "../metrics.ts";
import type { JwtMeter } from "./issuer.ts";

/** Upstream's hash of the server's identity; empty for a server without one. */
const apiserver_id_hash = "";

type Needs = Pick<PartContext, "metric" | "crypto">;

/** `sha256:...` of a text, as upstream writes hashes into labels; empty for an empty text. */
function labelHash({ crypto }: Needs, text: string): string {
  return text === "" ? "" : `sha256:${crypto.sha256(text)}`;
}

interface Shown {
  /** Hash of the keys that were fetched last. */
  hash?: string;
  /** Times of the last fetches, in seconds since the epoch. */
  readonly at: Map<"success" | "failure", number>;
}

/** `now`: milliseconds since the epoch. */
export function jwtMeter(needs: Needs, now: () => number): JwtMeter {
  const info = needs.metric(jwksInfo), fetchedAt = needs.metric(jwksFetchedAt), duration = needs.metric(jwtSeconds);
  /** The current samples by the hash of an issuer: a gauge can only be reset as a whole. */
  const shown = new Map<string, Shown>();
  const show = () => {
    info.reset();
    fetchedAt.reset();
    for (const [jwt_issuer_hash, { hash, at }] of shown) {
      if (hash !== undefined) info.with({ apiserver_id_hash, hash, jwt_issuer_hash }).set(1);
      for (const [result, seconds] of at) fetchedAt.with({ apiserver_id_hash, jwt_issuer_hash, result }).set(seconds);
    }
  };
  return {
    verified: (issuer, result, seconds) => duration.with({ jwt_issuer_hash: labelHash(needs, issuer), result }).observe(seconds),
    keysFetched(issuer, keySet) {
      const key = labelHash(needs, issuer), known: Shown = shown.get(key) ?? { at: new Map() };
      if (keySet !== undefined) known.hash = labelHash(needs, keySet);
      known.at.set(keySet === undefined ? "failure" : "success", now() / 1000);
      shown.set(key, known);
      show();
    },
    removed(issuer) {
      shown.delete(labelHash(needs, issuer));
      show();
    },
  };
}

/** Metrics of reloads of the file. */
export interface ReloadMeter {
  reloaded(status: "success" | "failure"): void;
  /** The text of the active configuration. */
  inForce(text: string): void;
}

/** `now`: milliseconds since the epoch. */
export function reloadMeter(needs: Needs, now: () => number): ReloadMeter {
  const reloads = needs.metric(authenticationReloads), reloadedAt = needs.metric(authenticationReloadedAt);
  const info = needs.metric(authenticationInfo);
  return {
    reloaded(status) {
      reloads.with({ apiserver_id_hash, status }).add();
      reloadedAt.with({ apiserver_id_hash, status }).set(now() / 1000);
    },
    inForce(text) {
      info.reset();
      info.with({ apiserver_id_hash, hash: labelHash(needs, text) }).set(1);
    },
  };
}
