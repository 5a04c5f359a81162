// In Deno's suite only: the table of settings uses nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withDefaults } from "./parse.ts";
import type { PlainSettings } from "./plain-settings.ts";
import { mistakesOfUnusedAudit, settingsWithoutEffect } from "./without-effect.ts";

const warnings = (given: PlainSettings) => settingsWithoutEffect(withDefaults(given)).map(({ text }) => text);

const audit = { "audit-policy-file": "p", "audit-log-path": "l" };
const cases: readonly (readonly [given: PlainSettings, warning: string, needed: PlainSettings])[] = [
  [{ "audit-log-path": "l" }, "--audit-log-path has no effect without --audit-policy-file", { "audit-policy-file": "p" }],
  [
    { "audit-policy-file": "p" },
    "--audit-policy-file has no effect without --audit-log-path or --audit-webhook-config-file",
    { "audit-webhook-config-file": "w" },
  ],
  [{ "audit-log-maxage": 1 }, "--audit-log-maxage has no effect without --audit-log-path", audit],
  [
    { ...audit, "audit-log-path": "-", "audit-log-compress": true },
    "--audit-log-compress has no effect with --audit-log-path=-, the standard output",
    { "audit-log-path": "l" },
  ],
  [{ "audit-log-mode": "batch" }, "--audit-log-mode has no effect without --audit-log-path", audit],
  [
    { ...audit, "audit-log-batch-max-size": 2 },
    "--audit-log-batch-max-size has no effect without --audit-log-mode=batch",
    { "audit-log-mode": "batch" },
  ],
  [
    { ...audit, "audit-log-mode": "batch", "audit-log-batch-throttle-qps": 2, "audit-log-batch-throttle-burst": 1 },
    "--audit-log-batch-throttle-qps has no effect with --audit-log-batch-throttle-enable=false",
    { "audit-log-batch-throttle-enable": true },
  ],
  [
    { ...audit, "audit-log-truncate-max-event-size": 5 },
    "--audit-log-truncate-max-event-size has no effect without --audit-log-truncate-enabled",
    { "audit-log-truncate-enabled": true },
  ],
  [
    { "audit-webhook-initial-backoff": 5 },
    "--audit-webhook-initial-backoff has no effect without --audit-webhook-config-file",
    { "audit-policy-file": "p", "audit-webhook-config-file": "w" },
  ],
  [
    { "authentication-token-webhook-cache-ttl": 5 },
    "--authentication-token-webhook-cache-ttl has no effect without --authentication-token-webhook-config-file",
    { "authentication-token-webhook-config-file": "w" },
  ],
  [
    { "authentication-skip-lookup": true },
    "--authentication-skip-lookup has no effect without --authentication-kubeconfig",
    { "authentication-kubeconfig": "k" },
  ],
  [
    { "authentication-kubeconfig": "k", "authentication-skip-lookup": true, "authentication-tolerate-lookup-failure": true },
    "--authentication-tolerate-lookup-failure has no effect with --authentication-skip-lookup",
    { "authentication-skip-lookup": false },
  ],
  [
    { "authorization-kubeconfig": "k", "authorization-mode": ["RBAC"] },
    "--authorization-kubeconfig has no effect without Cluster in --authorization-mode",
    { "authorization-mode": ["RBAC", "Cluster"] },
  ],
  [
    { "authorization-always-allow-paths": ["/a"] },
    "--authorization-always-allow-paths has no effect without --authorization-kubeconfig",
    { "authorization-kubeconfig": "k" },
  ],
  [
    { "authorization-webhook-version": "v1" },
    "--authorization-webhook-version has no effect without Webhook in --authorization-mode",
    { "authorization-mode": ["Webhook"], "authorization-webhook-config-file": "w" },
  ],
  [
    { "requestheader-username-headers": ["X-Remote-User"] },
    "--requestheader-username-headers has no effect without --requestheader-client-ca-file",
    { "requestheader-client-ca-file": "c" },
  ],
  [
    { "requestheader-client-ca-file": "c" },
    "--requestheader-client-ca-file has no effect without --requestheader-username-headers",
    { "requestheader-username-headers": ["X-Remote-User"] },
  ],
  [
    { "oidc-issuer-url": "https://a", "oidc-client-id": "b", "oidc-groups-prefix": "g:" },
    "--oidc-groups-prefix has no effect without --oidc-groups-claim",
    { "oidc-groups-claim": "groups" },
  ],
  [
    { "service-account-issuer": ["api"], "service-account-jwks-uri": "https://a/jwks" },
    "--service-account-jwks-uri has no effect without an https URL as first --service-account-issuer",
    { "service-account-issuer": ["https://a"] },
  ],
  [
    { "etcd-servers": ["http://a:1"], "etcd-cafile": "c" },
    "--etcd-cafile has no effect without an https:// address in --etcd-servers",
    { "etcd-servers": ["https://a:1"] },
  ],
  [
    { "leader-elect-retry-period": 1000 },
    "--leader-elect-retry-period has no effect without --etcd-servers: the embedded store has one server",
    { "etcd-servers": ["https://a:1"] },
  ],
  [
    { "etcd-servers": ["https://a:1"], "leader-elect": false, "leader-elect-retry-period": 1000 },
    "--leader-elect-retry-period has no effect with --leader-elect=false",
    { "leader-elect": true },
  ],
  [
    { "allow-metric-labels-manifest": "m", "allow-metric-labels": { "a,b": "c" } },
    "--allow-metric-labels-manifest has no effect with --allow-metric-labels",
    { "allow-metric-labels": {} },
  ],
];

test("settingsWithoutEffect() names what a setting needs, and nothing once it has that", () => {
  for (const [given, warning, needed] of cases) {
    assert.ok(warnings(given).includes(warning), `${warning}: ${warnings(given).join("\n")}`);
    assert.deepEqual(warnings({ ...given, ...needed }), [], warning);
  }
});

test("settingsWithoutEffect() has no warning for the defaults, and one for each setting", () => {
  assert.deepEqual(warnings({}), []);
  assert.equal(warnings({ "audit-log-batch-throttle-qps": 2 }).length, 1);
});

test("mistakesOfUnusedAudit() has the modes that do not exist of backends that are off", () => {
  const wrong = { "audit-log-mode": "blockin" };
  assert.deepEqual(mistakesOfUnusedAudit(withDefaults(wrong)), [
    'invalid audit log mode blockin, allowed modes are "batch,blocking,blocking-strict": did you mean "blocking"?',
  ]);
  assert.throws(() => withDefaults({ ...wrong, "audit-log-path": "l" }), /invalid audit log mode blockin/);
  assert.deepEqual(mistakesOfUnusedAudit(withDefaults({})), []);
});
