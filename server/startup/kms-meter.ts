/** Metrics of one KMS plugin. */
import type { KmsMeterOf } from "../encryption/open-encryption.ts";
import type { KernelRecord } from "../metrics/metrics.ts";
import { labelHash } from "./access-meters.ts";

/** Upstream's hash of the server's identity; empty for a server without one. */
const apiserver_id_hash = "";

type Direction = "from_storage" | "to_storage";

/** `now`: milliseconds since 1970. */
export function kmsMeter(provider_name: string, record: KernelRecord, now: () => number): ReturnType<KmsMeterOf> {
  const seriesOf = (transformation_type: Direction, keyId: string) => {
    const labels = { apiserver_id_hash, key_id_hash: labelHash(keyId), provider_name, transformation_type };
    return { keyId, uses: record.kmsKeyUses.with(labels), usedAt: record.kmsKeyUsedAt.with(labels) };
  };
  /** Nearly all uses are of one key. */
  const last: Partial<Record<Direction, ReturnType<typeof seriesOf>>> = {};
  return {
    called: (method_name, grpc_status_code, seconds) =>
      record.kmsSeconds.with({ provider_name, method_name, grpc_status_code }).observe(seconds),
    used(direction, keyId) {
      let series = last[direction];
      if (series?.keyId !== keyId) series = last[direction] = seriesOf(direction, keyId);
      series.uses.add();
      series.usedAt.set(now() / 1000);
    },
    missed: () => record.kmsCacheMisses.with({}).add(),
    status: (keyId) => record.kmsKeyStatusAt.with({ apiserver_id_hash, key_id_hash: labelHash(keyId), provider_name }).set(now() / 1000),
    invalidKeyId: (error) => record.kmsInvalidKeyNames.with({ error, provider_name }).add(),
    cached: (keys) => record.kmsKeysKept.with({ provider_name }).set(keys),
  };
}
