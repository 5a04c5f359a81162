// Rules of the API's conventions on versions and deprecation, on a whole server.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../core/names.ts";
import { removedVersion } from "../core/released/removed.ts";
import { inFolder, type Served, served, statusOf } from "./flags/served.ts";

test("rule groups-and-versions: the core group is at /api/v1, others are at /apis, each with its own versions", () =>
  served(["--runtime-config=storage.k8s.io/v1beta1=true"], async ({ client }) => {
    assert.deepEqual((await client.ask("/api")).json().versions, ["v1"]);
    assert.equal((await client.ask("/api/v1/namespaces/default")).json().apiVersion, "v1");
    const groups: any[] = (await client.ask("/apis")).json().groups;
    const versionsOf = (name: string) => groups.find((group) => group.name === name)?.versions.map(({ version }: any) => version);
    assert.deepEqual(versionsOf("storage.k8s.io"), ["v1", "v1beta1"]);
    assert.deepEqual(versionsOf("coordination.k8s.io"), ["v1"]);
    for (const { name, versions, preferredVersion } of groups) {
      assert.notEqual(name, "");
      assert.ok(versions.some(({ groupVersion }: any) => groupVersion === preferredVersion.groupVersion), name);
      for (const { groupVersion } of versions) {
        const found = (await client.ask(`/apis/${groupVersion}`)).json();
        assert.deepEqual([found.kind, found.groupVersion], ["APIResourceList", groupVersion]);
      }
    }
  }));

test("rule runtime-config: a key without a value is true; a version or one resource of it is enabled or disabled", async () => {
  const classes = "/apis/storage.k8s.io/v1beta1/volumeattributesclasses", leases = "/apis/coordination.k8s.io/v1/leases";
  const statuses = async (setting: string) => {
    const found: number[] = [];
    await served([`--runtime-config=${setting}`], async (server) => {
      for (const path of [classes, leases, "/api/v1/secrets", "/api/v1/configmaps"]) found.push(await statusOf(server, path));
    });
    return found;
  };
  assert.deepEqual(await statuses(""), [404, 200, 200, 200]);
  assert.deepEqual(await statuses("storage.k8s.io/v1beta1"), [200, 200, 200, 200]);
  assert.deepEqual(await statuses("storage.k8s.io/v1beta1=false,coordination.k8s.io/v1=false"), [404, 404, 200, 200]);
  assert.deepEqual(await statuses("storage.k8s.io/v1beta1/volumeattributesclasses,v1/secrets=false"), [200, 200, 404, 200]);
});

test("rule try-a-removal: a version that is disabled is gone from paths and discovery, and its objects stay", () =>
  inFolder(async (folder) => {
    const path = (version: string) => `/apis/storage.k8s.io/${version}/volumeattributesclasses`;
    const body = { metadata: { name: "fast" }, driverName: "disks.example.com", parameters: { speed: "high" } };
    const within = (value: boolean, use: (server: Served) => Promise<void>) =>
      served([`--data-dir=${folder}`, `--runtime-config=storage.k8s.io/v1beta1=${value}`], use);
    await within(true, async ({ client }) => {
      assert.equal((await client.ask(path("v1beta1"), { method: "POST", body })).status, 201);
    });
    await within(false, async (server) => {
      assert.equal(await statusOf(server, path("v1beta1")), 404);
      assert.doesNotMatch((await server.client.ask("/apis/storage.k8s.io")).text, /v1beta1/);
      assert.equal((await server.client.ask(`${path("v1")}/fast`)).json().parameters.speed, "high");
    });
  }));

test("rule deprecated-and-stable: a deprecated beta and its GA version show the same objects, and only the beta warns", () =>
  served(["--runtime-config=storage.k8s.io/v1beta1=true"], async ({ client }) => {
    const path = (version: string) => `/apis/storage.k8s.io/${version}/volumeattributesclasses`;
    const body = { metadata: { name: "fast" }, driverName: "disks.example.com", parameters: { speed: "high" } };
    const made = await client.ask(path("v1beta1"), { method: "POST", body });
    assert.match(String(made.headers["warning"]), /is deprecated in v1\.34\+, unavailable in v1\.37\+; use storage\.k8s\.io\/v1 /);
    const read = await client.ask(`${path("v1")}/fast`);
    assert.equal(read.headers["warning"], undefined);
    const { apiVersion: _beta, ...one } = made.json(), { apiVersion: _ga, ...other } = read.json();
    assert.deepEqual(one, other);
  }));

/** Release, group version, resources and replacement, from the table of removed APIs. */
const removed: readonly (readonly [string, string, string, string])[] = [
  ["1.32", "flowcontrol.{domain}/v1beta3", "flowschemas prioritylevelconfigurations", "flowcontrol.{domain}/v1"],
  ["1.29", "flowcontrol.{domain}/v1beta2", "flowschemas prioritylevelconfigurations", "flowcontrol.{domain}/v1"],
  ["1.27", "storage.{domain}/v1beta1", "csistoragecapacities", "storage.{domain}/v1"],
  ["1.26", "flowcontrol.{domain}/v1beta1", "flowschemas prioritylevelconfigurations", "flowcontrol.{domain}/v1"],
  ["1.26", "autoscaling/v2beta2", "horizontalpodautoscalers", "autoscaling/v2"],
  ["1.25", "batch/v1beta1", "cronjobs", "batch/v1"],
  ["1.25", "discovery.{domain}/v1beta1", "endpointslices", "discovery.{domain}/v1"],
  ["1.25", "events.{domain}/v1beta1", "events", "events.{domain}/v1"],
  ["1.25", "autoscaling/v2beta1", "horizontalpodautoscalers", "autoscaling/v2"],
  ["1.25", "policy/v1beta1", "poddisruptionbudgets", "policy/v1"],
  ["1.25", "policy/v1beta1", "podsecuritypolicies", "pod security admission"],
  ["1.25", "node.{domain}/v1beta1", "runtimeclasses", "node.{domain}/v1"],
  [
    "1.22",
    "admissionregistration.{domain}/v1beta1",
    "mutatingwebhookconfigurations validatingwebhookconfigurations",
    "admissionregistration.{domain}/v1",
  ],
  ["1.22", "apiextensions.{domain}/v1beta1", "customresourcedefinitions", "apiextensions.{domain}/v1"],
  ["1.22", "apiregistration.{domain}/v1beta1", "apiservices", "apiregistration.{domain}/v1"],
  ["1.22", "authentication.{domain}/v1beta1", "tokenreviews", "authentication.{domain}/v1"],
  [
    "1.22",
    "authorization.{domain}/v1beta1",
    "localsubjectaccessreviews selfsubjectaccessreviews subjectaccessreviews selfsubjectrulesreviews",
    "authorization.{domain}/v1",
  ],
  ["1.22", "certificates.{domain}/v1beta1", "certificatesigningrequests", "certificates.{domain}/v1"],
  ["1.22", "coordination.{domain}/v1beta1", "leases", "coordination.{domain}/v1"],
  ["1.22", "extensions/v1beta1", "ingresses", "networking.{domain}/v1"],
  ["1.22", "networking.{domain}/v1beta1", "ingresses ingressclasses", "networking.{domain}/v1"],
  ["1.22", "rbac.authorization.{domain}/v1beta1", "clusterroles clusterrolebindings roles rolebindings", "rbac.authorization.{domain}/v1"],
  ["1.22", "scheduling.{domain}/v1beta1", "priorityclasses", "scheduling.{domain}/v1"],
  ["1.22", "storage.{domain}/v1beta1", "csidrivers csinodes storageclasses volumeattachments", "storage.{domain}/v1"],
  ["1.16", "extensions/v1beta1", "networkpolicies", "networking.{domain}/v1"],
  ["1.16", "extensions/v1beta1", "daemonsets deployments replicasets", "apps/v1"],
  ["1.16", "apps/v1beta2", "daemonsets deployments statefulsets replicasets", "apps/v1"],
  ["1.16", "apps/v1beta1", "deployments statefulsets", "apps/v1"],
];

test("rule removed-apis: each resource of the table of removed APIs has its release and its replacement", () => {
  for (const [release, groupVersion, resources, use] of removed) {
    const spelled = (text: string) => text.replaceAll("{domain}", "k8s.io");
    for (const resource of resources.split(" ")) {
      const key = `${spelled(groupVersion)}/${resource}`;
      assert.equal(removedVersion(key, defaultNames), `"${key}" in --runtime-config was removed in ${release}: use ${spelled(use)}`);
    }
  }
});

test("rule removed-apis: versions that were removed are not served, also if all versions are enabled", () =>
  served(["--runtime-config=api/all=true"], async (server) => {
    const gone = new Set(removed.map(([, groupVersion]) => groupVersion.replaceAll("{domain}", "k8s.io")));
    for (const [, groupVersion, resources] of removed) {
      for (const resource of resources.split(" ")) {
        assert.equal(await statusOf(server, `/apis/${groupVersion.replaceAll("{domain}", "k8s.io")}/${resource}`), 404, resource);
      }
    }
    const groups: any[] = (await server.client.ask("/apis")).json().groups;
    const found = groups.flatMap(({ versions }) => versions.map(({ groupVersion }: any) => groupVersion));
    // Later releases have new kinds in these.
    assert.deepEqual(found.filter((each) => gone.has(each)), [
      "networking.k8s.io/v1beta1",
      "storage.k8s.io/v1beta1",
      "admissionregistration.k8s.io/v1beta1",
      "coordination.k8s.io/v1beta1",
    ]);
  }));

test("rule deprecated-behavior: /healthz, which /livez and /readyz replace, still works", () =>
  served([], async ({ client }) => {
    assert.deepEqual([(await client.ask("/healthz")).text, (await client.ask("/healthz/ping")).text], ["ok", "ok"]);
  }));

test("rule emulated-release, gates-in-metrics: /version and metrics show the emulated release and the stages of its gates", async () => {
  const stateIn = async (emulated: string) => {
    const found: string[] = [];
    await served([`--emulated-version=${emulated}`], async ({ client }) => {
      const { emulationMajor, emulationMinor, minCompatibilityMajor, minCompatibilityMinor } = (await client.ask("/version")).json();
      found.push(`${emulationMajor}.${emulationMinor} ${minCompatibilityMajor}.${minCompatibilityMinor}`);
      const lines = (await client.ask("/metrics")).text.split("\n");
      for (
        const start of [
          "version_info{",
          'kubernetes_feature_enabled{name="WatchList"',
          'kubernetes_feature_enabled{name="ConsistentListFromCache"',
        ]
      ) {
        found.push(...lines.filter((line) => line.startsWith(start)));
      }
      found.push(...lines.filter((line) => line.includes("DetectCacheInconsistency")));
    });
    return found;
  };
  const enabled = (name: string, stage: string, value: number) => `kubernetes_feature_enabled{name="${name}",stage="${stage}"} ${value}`;
  assert.deepEqual(await stateIn("1.33"), [
    "1.33 1.32",
    'version_info{binary="1.35",component="kube",emulation="1.33",min_compat="1.32"} 1',
    enabled("WatchList", "BETA", 0),
    enabled("ConsistentListFromCache", "BETA", 1),
  ]);
  assert.deepEqual(await stateIn("1.35"), [
    "1.35 1.34",
    'version_info{binary="1.35",component="kube",emulation="1.35",min_compat="1.34"} 1',
    enabled("WatchList", "BETA", 1),
    enabled("ConsistentListFromCache", "", 1),
    enabled("DetectCacheInconsistency", "BETA", 1),
  ]);
});

test("rule metric-settings: disabled and hidden metrics are left out and counted, and label values are restricted", () =>
  served(
    ["--disabled-metrics=apiserver_audit_event_total,no_such_metric", "--allow-metric-labels=apiserver_request_total,verb=LIST"],
    async (server) => {
      await statusOf(server, "/api/v1/configmaps");
      await statusOf(server, "/api/v1/namespaces/default");
      const { text } = await server.client.ask("/metrics");
      assert.doesNotMatch(text, /^apiserver_audit_event_total/m);
      assert.match(text, /^disabled_metrics_total 2$/m);
      assert.match(text, /^hidden_metrics_total 0$/m);
      assert.match(text, /^registered_metrics_total\{deprecated_version="",stability_level="STABLE"\} [1-9]/m);
      assert.match(text, /^registered_metrics_total\{deprecated_version="1\.34\.0",stability_level="STABLE"\} 1$/m);
      const verbs = new Set([...text.matchAll(/^apiserver_request_total\{.*verb="([^"]*)"/gm)].map(([, verb]) => verb));
      assert.deepEqual([...verbs].toSorted(), ["LIST", "unexpected"]);
    },
  ));
