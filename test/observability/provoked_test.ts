// Every served metric is changed by a scenario: a definition without a scenario fails here.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { authenticationPlugin } from "../../plugins/authentication/mod.ts";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { kernelMetrics } from "../../server/metrics/metrics.ts";
import { served } from "../flags/served.ts";
import { documents, httpsClient } from "../https.ts";
import { until } from "../real-server.ts";

const path = "/api/v1/namespaces/default/configmaps";

/** Metrics that ordinary use changes: writes, reads, a streaming list, health checks and a scrape. */
const byUse = [
  "apiserver_client_certificate_expiration_seconds",
  "apiserver_admission_step_admission_duration_seconds",
  "apiserver_admission_controller_admission_duration_seconds",
  "apiserver_cache_list_fetched_objects_total",
  "apiserver_cache_list_returned_objects_total",
  "apiserver_cache_list_total",
  "apiserver_current_inflight_requests",
  "apiserver_init_events_total",
  "apiserver_request_body_size_bytes",
  "apiserver_request_duration_seconds",
  "apiserver_request_filter_duration_seconds",
  "apiserver_request_sli_duration_seconds",
  "apiserver_request_total",
  "apiserver_resource_objects",
  "apiserver_response_sizes",
  "apiserver_selfrequest_total",
  "apiserver_storage_events_received_total",
  "apiserver_storage_list_evaluated_objects_total",
  "apiserver_storage_list_fetched_objects_total",
  "apiserver_storage_list_returned_objects_total",
  "apiserver_storage_list_total",
  "apiserver_storage_objects",
  "apiserver_storage_size_bytes",
  "apiserver_watch_cache_events_dispatched_total",
  "apiserver_watch_cache_events_received_total",
  "apiserver_watch_cache_resource_version",
  "apiserver_watch_events_sizes",
  "apiserver_watch_events_total",
  "apiserver_watch_list_duration_seconds",
  "authenticated_user_requests",
  "authentication_attempts",
  "authentication_duration_seconds",
  "authorization_attempts_total",
  "authorization_duration_seconds",
  "etcd_request_duration_seconds",
  "etcd_requests_total",
  "kubernetes_build_info",
  "kubernetes_feature_enabled",
  "kubernetes_healthcheck",
  "kubernetes_healthchecks_total",
  "nodejs_external_memory_bytes",
  "nodejs_heap_size_total_bytes",
  "nodejs_heap_size_used_bytes",
  "process_cpu_seconds_total",
  "process_resident_memory_bytes",
  "process_start_time_seconds",
  "registered_metrics_total",
  "version_info",
  "watch_cache_capacity",
  "workqueue_adds_total",
  "workqueue_queue_duration_seconds",
  "workqueue_work_duration_seconds",
];

/** Metrics that need a special situation, and the test that creates it and asserts the value. */
const bySituation: Readonly<Record<string, string>> = {
  "watch_cache_capacity_increase_total": "kernel/cache/metrics_test.ts",
  "watch_cache_capacity_decrease_total": "kernel/cache/metrics_test.ts",
  "apiserver_watch_cache_read_wait_seconds": "kernel/cache/metrics_test.ts",
  "apiserver_watch_cache_initializations_total": "kernel/cache/metrics_test.ts",
  "apiserver_watch_cache_consistent_read_total": "kernel/cache/metrics_test.ts",
  "apiserver_storage_decode_errors_total": "kernel/cache/metrics_test.ts",
  "apiserver_terminated_watchers_total": "kernel/cache/watch-cache_test.ts",
  "apiserver_storage_consistency_checks_total": "kernel/cache/watch-cache_test.ts",
  "authentication_token_cache_request_duration_seconds": "test/flags/tokens.ts",
  "authentication_token_cache_request_total": "test/flags/tokens.ts",
  "authentication_token_cache_fetch_total": "test/flags/tokens.ts",
  "authentication_token_cache_active_fetch_count": "test/flags/tokens.ts",
  "apiserver_authentication_jwt_authenticator_latency_seconds": "test/flags/tokens.ts",
  "apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds": "test/flags/tokens.ts",
  "apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info": "test/flags/tokens.ts",
  "apiserver_authentication_config_controller_automatic_reloads_total": "test/flags/tokens.ts",
  "apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds": "test/flags/tokens.ts",
  "apiserver_authentication_config_controller_last_config_info": "test/flags/tokens.ts",
  "apiserver_config_controller_last_config_info": "test/reload/reload_test.ts",
  "apiserver_config_controller_automatic_reloads_total": "test/reload/reload_test.ts",
  "apiserver_config_controller_automatic_reload_last_timestamp_seconds": "test/reload/reload_test.ts",
  "apiserver_authorization_decisions_total": "test/authorization_test.ts",
  "serviceaccount_legacy_tokens_total": "test/service-accounts_test.ts",
  "serviceaccount_legacy_manual_token_uses_total": "test/service-accounts_test.ts",
  "serviceaccount_legacy_auto_token_uses_total": "test/service-accounts_test.ts",
  "serviceaccount_invalid_legacy_auto_token_uses_total": "test/service-accounts_test.ts",
  "serviceaccount_valid_tokens_total": "test/service-accounts_test.ts",
  "serviceaccount_stale_tokens_total": "test/service-accounts_test.ts",
  "apiserver_validation_declarative_validation_mismatch_total": "test/declared-rules_test.ts",
  "apiserver_validation_declarative_validation_panic_total": "kernel/write/declared-rules_test.ts",
  "apiserver_authorization_match_condition_evaluation_errors_total": "test/flags/authorizing.ts",
  "apiserver_authorization_match_condition_evaluation_seconds": "test/flags/authorizing.ts",
  "apiserver_authorization_match_condition_exclusions_total": "test/flags/authorizing.ts",
  "apiserver_authorization_webhook_evaluations_total": "test/flags/authorizing.ts",
  "apiserver_authorization_webhook_duration_seconds": "test/flags/authorizing.ts",
  "apiserver_authorization_webhook_evaluations_fail_open_total": "test/flags/authorizing.ts",
  "apiserver_authorization_config_controller_automatic_reloads_total": "test/flags/authorizing.ts",
  "apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds": "test/flags/authorizing.ts",
  "apiserver_authorization_config_controller_last_config_info": "test/flags/authorizing.ts",
  "apiserver_audit_event_total": "test/flags/auditing.ts",
  "apiserver_audit_error_total": "test/flags/auditing.ts",
  "apiserver_audit_level_total": "test/flags/auditing.ts",
  "apiserver_audit_requests_rejected_total": "test/flags/auditing.ts",
  "apiserver_request_terminations_total": "test/flags/observing.ts",
  "apiserver_request_aborts_total": "kernel/observe/observe_test.ts",
  "apiserver_longrunning_requests": "kernel/observe/observe_test.ts",
  "apiserver_requested_deprecated_apis": "test/observability/situations_test.ts",
  "apiserver_tls_handshake_errors_total": "test/observability/situations_test.ts",
  "thole_compressed_list_blocks_total": "test/compressed-lists_test.ts",
  "thole_compressed_list_kept_bytes": "test/compressed-lists_test.ts",
  "thole_watch_cache_fill_objects": "kernel/cache/metrics_test.ts",
  "thole_watch_cache_fill_seconds": "kernel/cache/metrics_test.ts",
  "apiserver_envelope_encryption_dek_source_cache_size": "server/startup/kms-meter_test.ts",
  "apiserver_envelope_encryption_invalid_key_id_from_status_total": "server/startup/kms-meter_test.ts",
  "apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds": "server/startup/kms-meter_test.ts",
  "apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds": "server/startup/kms-meter_test.ts",
  "apiserver_envelope_encryption_key_id_hash_total": "server/startup/kms-meter_test.ts",
  "apiserver_envelope_encryption_kms_operations_latency_seconds": "server/startup/kms-meter_test.ts",
  "apiserver_storage_envelope_transformation_cache_misses_total": "server/startup/kms-meter_test.ts",
  "thole_store_trouble": "test/operations/disk-full_test.ts",
  "thole_watch_pending_bytes": "test/slow-watcher_test.ts",
  "thole_workers": "test/workers/workers_test.ts",
  "thole_worker_restarts_total": "test/workers/workers_test.ts",
  "thole_worker_requests_total": "test/workers/workers_test.ts",
  "thole_worker_cpu_seconds_total": "server/workers/group-metrics_test.ts",
  "thole_worker_resident_memory_bytes": "server/workers/group-metrics_test.ts",
  "thole_certificate_not_after_timestamp_seconds": "test/operations/certificate-dates_test.ts",
  "thole_certificate_not_before_timestamp_seconds": "test/operations/certificate-dates_test.ts",
  "hidden_metrics_total": "server/startup/open-metrics_test.ts",
  "nodejs_gc_duration_seconds": "test/observability/situations_test.ts",
  "etcd_bookmark_counts": "kernel/observe/measured-store_test.ts",
  "etcd_request_errors_total": "kernel/observe/measured-store_test.ts",
  "disabled_metrics_total": "test/flags/observing.ts",
  "cardinality_enforcement_unexpected_categorizations_total": "test/flags/observing.ts",
  "leader_election_master_status": "test/flags/electing.ts",
  "nodejs_eventloop_delay_seconds": "server/metrics/process-metrics_test.ts",
  "process_open_fds": "server/metrics/process-metrics_test.ts",
  "process_max_fds": "server/metrics/process-metrics_test.ts",
  "process_virtual_memory_bytes": "server/metrics/process-metrics_test.ts",
  "workqueue_depth": "server/metrics/work-metrics_test.ts",
  "workqueue_retries_total": "server/metrics/work-metrics_test.ts",
  "workqueue_unfinished_work_seconds": "server/metrics/work-metrics_test.ts",
  "workqueue_longest_running_processor_seconds": "server/metrics/work-metrics_test.ts",
};

test("every metric is listed once with its scenario", () => {
  const named = [...byUse, ...Object.keys(bySituation)].sort();
  const all = [...Object.values(kernelMetrics), ...authenticationPlugin.metrics ?? []];
  assert.deepEqual(named, all.map(({ name }) => name).sort());
});

test("ordinary use changes every metric listed for it", () =>
  served([], async ({ client, port, ca, running }) => {
    const merge = { "content-type": "application/merge-patch+json" };
    assert.equal((await client.ask(path, { method: "POST", body: { metadata: { name: "a" } } })).status, 201);
    assert.equal((await client.ask(path, { method: "POST", body: { metadata: { name: "a" } } })).status, 409);
    assert.equal((await client.ask(`${path}/a`, { method: "PATCH", body: { data: { k: "v" } }, headers: merge })).status, 200);
    assert.equal((await client.ask(`${path}/a`)).status, 200);
    assert.equal((await client.ask(`${path}?labelSelector=a`)).status, 200);
    assert.ok((await client.ask(path)).json().items.some(({ metadata }: { metadata: { name: string } }) => metadata.name === "a"));
    await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
    const query = "watch=1&sendInitialEvents=true&allowWatchBookmarks=1&resourceVersionMatch=NotOlderThan&timeoutSeconds=1";
    const watch = await client.stream(`${path}?${query}`);
    let changed = false;
    for await (const { type } of documents(watch.chunks)) {
      if (type !== "BOOKMARK" || changed) continue;
      changed = true;
      assert.equal((await client.ask(`${path}/a`, { method: "DELETE" })).status, 200);
    }
    const event = { metadata: { name: "e" }, involvedObject: { kind: "ConfigMap", namespace: "default", name: "a" } };
    assert.equal((await client.ask("/api/v1/namespaces/default/events", { method: "POST", body: event })).status, 201);
    assert.equal((await client.ask("/api/v1/namespaces/default/events")).json().items.length, 1, "read from the store itself");
    const claim = { metadata: { name: "c" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } };
    assert.equal((await client.ask("/api/v1/namespaces/default/persistentvolumeclaims", { method: "POST", body: claim })).status, 201);
    const byCertificate = httpsClient({ port, ca, identity: running.admin });
    assert.equal((await byCertificate.ask(path)).status, 200);
    byCertificate.close();
    const nameOf = (line: string) => /^[a-z0-9_]+/.exec(line)![0].replace(/_(bucket|sum|count)$/, "");
    // Controllers work concurrently with the requests that cause their work.
    await until(async () => {
      const { text } = await client.ask("/metrics");
      const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
      const moved = new Set(lines.filter((line) => Number(line.split(" ").at(-1)) !== 0).map(nameOf));
      assert.deepEqual(byUse.filter((name) => !moved.has(name)), []);
    });
  }));

test("the test of each special situation names its metrics", async () => {
  const missing: string[] = [];
  for (const [name, file] of Object.entries(bySituation)) {
    const source = await readFile(new URL(`../../${file}`, import.meta.url), "utf8");
    const key = Object.entries(kernelMetrics).find(([, definition]) => definition.name === name)?.[0];
    // Tests of queues and accounts omit their common prefix, those of the cache use the keys of the table.
    const names = [name, name.replace(/^(workqueue|serviceaccount)_/, ""), `"${key}"`];
    if (!names.some((each) => source.includes(each))) missing.push(`${name} in ${file}`);
  }
  assert.deepEqual(missing, []);
});
