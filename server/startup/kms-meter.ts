/** Metrics of one KMS plugin. */
import type { KmsMeterOf } from "../encryption/open-encryption.ts";
import type { KernelRecord } from "../metrics/metrics.ts";
import { labelHash } from "./access-meters.ts";

/** Upstream's hash of the server's identity; empty for a server without one. */
const apiserver_id_hash = "";

/** `now`: milliseconds since 1970. */
export function kmsMeter(provider_name: string, record: KernelRecord, now: () => number): ReturnType<KmsMeterOf> {
  let last = { keyId: "", hash: "" };
  /** Nearly all uses are of one key. */
  const hashOf = (keyId: string): string => {
    if (last.keyId !== keyId) last = { keyId, hash: labelHash(keyId) };
    return last.hash;
  };
  return {
    called: (method_name, grpc_status_code, seconds) =>
      record.kmsSeconds.with({ provider_name, method_name, grpc_status_code }).observe(seconds),
    used(transformation_type, keyId) {
      const labels = { apiserver_id_hash, key_id_hash: hashOf(keyId), provider_name, transformation_type };
      record.kmsKeyUses.with(labels).add();
      record.kmsKeyUsedAt.with(labels).set(now() / 1000);
    },
    missed: () => record.kmsCacheMisses.with({}).add(),
    status: (keyId) => record.kmsKeyStatusAt.with({ apiserver_id_hash, key_id_hash: hashOf(keyId), provider_name }).set(now() / 1000),
    invalidKeyId: (error) => record.kmsInvalidKeyNames.with({ error, provider_name }).add(),
    cached: (keys) => record.kmsKeysKept.with({ provider_name }).set(keys),
  };
}
