/** Metrics of KMS plugins, with upstream's names. Names of keys are hashed; keys are in none. */
import { defineMetric } from "../../metrics/mod.ts";

/** Names of keys by plugin that have series of their own. */
const keyNamesMax = 100;

export const encryptionMetrics = Object.freeze({
  kmsSeconds: defineMetric({
    name: "apiserver_envelope_encryption_kms_operations_latency_seconds",
    type: "histogram",
    help: "Duration of calls of a KMS plugin in seconds, by method and gRPC status.",
    labels: ["grpc_status_code", "method_name", "provider_name"],
    buckets: Array.from({ length: 20 }, (_, power) => 0.0001 * 2 ** power),
    stability: "ALPHA",
  }),
  kmsKeyUses: defineMetric({
    name: "apiserver_envelope_encryption_key_id_hash_total",
    type: "counter",
    help: "Values that were encrypted (to_storage) or decrypted (from_storage), by the hash of the name of the plugin's key.",
    labels: ["apiserver_id_hash", "key_id_hash", "provider_name", "transformation_type"],
    seriesMax: keyNamesMax,
    stability: "ALPHA",
  }),
  kmsKeyUsedAt: defineMetric({
    name: "apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds",
    type: "gauge",
    combined: "max",
    help: "Time of the last use of a key of a KMS plugin, in seconds since 1970.",
    labels: ["apiserver_id_hash", "key_id_hash", "provider_name", "transformation_type"],
    seriesMax: keyNamesMax,
    stability: "ALPHA",
  }),
  kmsKeyStatusAt: defineMetric({
    name: "apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds",
    type: "gauge",
    combined: "max",
    help: "Time at which the plugin's Status last named a key, in seconds since 1970.",
    labels: ["apiserver_id_hash", "key_id_hash", "provider_name"],
    seriesMax: keyNamesMax,
    stability: "ALPHA",
  }),
  kmsInvalidKeyNames: defineMetric({
    name: "apiserver_envelope_encryption_invalid_key_id_from_status_total",
    type: "counter",
    help: "Times that the plugin's Status named a key in an invalid way: empty or too_long.",
    labels: ["error", "provider_name"],
    stability: "ALPHA",
  }),
  kmsKeysKept: defineMetric({
    name: "apiserver_envelope_encryption_dek_source_cache_size",
    type: "gauge",
    help: "Decrypted data keys in the cache: about as many calls of the plugin as a restart makes.",
    labels: ["provider_name"],
    stability: "ALPHA",
  }),
  kmsCacheMisses: defineMetric({
    name: "apiserver_storage_envelope_transformation_cache_misses_total",
    type: "counter",
    help: "Values whose data key was not in the cache and had to be decrypted by a KMS plugin.",
    labels: [],
    stability: "ALPHA",
  }),
});
