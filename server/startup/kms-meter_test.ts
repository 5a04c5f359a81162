import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry } from "../../metrics/mod.ts";
import { encryptionMetrics } from "../metrics/encryption-metrics.ts";
import type { KernelRecord } from "../metrics/metrics.ts";
import { kmsMeter } from "./kms-meter.ts";

test("kmsMeter() records each metric, with hashes of the names of keys", async () => {
  const registry = createRegistry(encryptionMetrics);
  const meter = kmsMeter("vault", registry.record as unknown as KernelRecord, () => 5_000);
  meter.called("/v2.KeyManagementService/Status", "OK", 0.0003);
  meter.used("to_storage", "secret-name");
  meter.used("to_storage", "secret-name");
  meter.used("from_storage", "secret-name");
  meter.missed();
  meter.status("secret-name");
  meter.invalidKeyId("too_long");
  meter.cached(3);
  const text = await registry.text(), all = text.split("\n");
  assert.doesNotMatch(text, /secret-name/);
  for (
    const [name, value] of [
      ["apiserver_envelope_encryption_kms_operations_latency_seconds", "_count{grpc_status_code"],
      ["apiserver_envelope_encryption_key_id_hash_total", '{apiserver_id_hash="",key_id_hash="sha256:'],
      ["apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds", '{apiserver_id_hash="",key_id_hash="sha256:'],
      ["apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds", '{apiserver_id_hash="",key_id_hash="sha256:'],
      ["apiserver_envelope_encryption_invalid_key_id_from_status_total", '{error="too_long",provider_name="vault"} 1'],
      ["apiserver_envelope_encryption_dek_source_cache_size", '{provider_name="vault"} 3'],
      ["apiserver_storage_envelope_transformation_cache_misses_total", " 1"],
    ] as const
  ) assert.ok(all.some((line) => line.startsWith(name + value)), `${name}\n${text}`);
  assert.ok(all.some((line) => line.endsWith('transformation_type="to_storage"} 2')));
});
