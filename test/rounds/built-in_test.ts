// No kind of the built-in families loses data: in any encoding, in the store, or between its versions.
// In Deno's suite only: folds of schemas use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { seedOfRun } from "../../core/derive/test-random.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { requestFor } from "../../plugins/certificates/test-context.ts";
import { plugins } from "../../plugins/mod.ts";
import { issueCertificate } from "../../protocols/x509/certificate.ts";
import { checkRoundTrips } from "../../testing.ts";
import { merged } from "../validation/rule.ts";
import { tables } from "../validation/tables.ts";

const seed = seedOfRun();
const time = "2024-01-02T03:04:05.000001Z";
const matchConstraints = { resourceRules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }] };
const webhook = {
  name: "a.example.com",
  clientConfig: { url: "https://webhook.example.com/a" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const ofEvent = { action: "Started", reason: "Ready", type: "Normal", eventTime: time, reportingInstance: "one" };
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } };
const endingTemplate = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } };

const trustBundle = issueCertificate({ usage: "ca", commonName: "root", notBefore: 0, notAfter: 4_000_000_000_000 }).cert;

/** Valid objects of kinds that have no table of rules, or a smaller one there. */
const valid: Readonly<Record<string, JsonObject>> = {
  "v1 Event": { ...ofEvent, involvedObject: { namespace: "default", kind: "Thing" }, reportingComponent: "example.com/thing" },
  "events.k8s.io/v1 Event": { ...ofEvent, regarding: { namespace: "default", kind: "Thing" }, reportingController: "example.com/thing" },
  "v1 PodTemplate": { template },
  ...Object.fromEntries(["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"].map((kind) => [
    `apps/v1 ${kind}`,
    { spec: { selector: { matchLabels: { a: "b" } }, template } },
  ])),
  "apps/v1 ControllerRevision": { revision: 1, data: { a: 1 } },
  "v1 ReplicationController": { spec: { template } },
  ...Object.fromEntries(["v1", "v2"].map((version) => [
    `autoscaling/${version} HorizontalPodAutoscaler`,
    { spec: { scaleTargetRef: { kind: "Deployment", name: "a", apiVersion: "apps/v1" }, maxReplicas: 3 } },
  ])),
  "batch/v1 Job": { spec: { template: endingTemplate } },
  "batch/v1 CronJob": { spec: { schedule: "@daily", jobTemplate: { spec: { template: endingTemplate } } } },
  "v1 Pod": { spec: { containers: [{ name: "a", image: "a" }] } },
  "v1 Service": { spec: { ports: [{ port: 80 }] } },
  "discovery.k8s.io/v1 EndpointSlice": { addressType: "IPv4", endpoints: [], ports: [] },
  ...Object.fromEntries(["v1", "v1beta1"].flatMap((version) => [
    [`networking.k8s.io/${version} IPAddress`, { spec: { parentRef: { resource: "services", namespace: "default", name: "a" } } }],
    [`networking.k8s.io/${version} ServiceCIDR`, { spec: { cidrs: ["198.51.100.0/24"] } }],
  ])),
  "networking.k8s.io/v1 Ingress": { spec: { defaultBackend: { service: { name: "a", port: { number: 80 } } } } },
  "networking.k8s.io/v1 IngressClass": { spec: { controller: "example.com/a" } },
  "networking.k8s.io/v1 NetworkPolicy": { spec: { podSelector: {} } },
  "node.k8s.io/v1 RuntimeClass": { handler: "a" },
  "certificates.k8s.io/v1 CertificateSigningRequest": {
    spec: { request: requestFor("dev"), signerName: "example.com/a", usages: ["any"] },
  },
  ...Object.fromEntries(["v1", "v1beta2", "v1beta1"].map((version) => [
    `resource.k8s.io/${version} ResourceSlice`,
    { spec: { driver: "a", pool: { name: "a", generation: 1, resourceSliceCount: 1 }, nodeName: "a" } },
  ])),
  "resource.k8s.io/v1alpha3 DeviceTaintRule": { spec: { taint: { key: "a", effect: "None" } } },
  ...Object.fromEntries(["v1alpha1", "v1beta1"].map((version) => [
    `certificates.k8s.io/${version} ClusterTrustBundle`,
    { spec: { trustBundle } },
  ])),
  "storage.k8s.io/v1 CSIStorageCapacity": { storageClassName: "a" },
  "storage.k8s.io/v1beta1 VolumeAttributesClass": { driverName: "a.example.com", parameters: { a: "" } },
  "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy": { spec: { matchConstraints, validations: [{ expression: "true" }] } },
  "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding": { spec: { policyName: "a", validationActions: ["Deny"] } },
  "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration": { webhooks: [webhook] },
  "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration": { webhooks: [webhook] },
  ...Object.fromEntries(["v1alpha1", "v1beta1"].flatMap((version) => [
    [`admissionregistration.k8s.io/${version} MutatingAdmissionPolicy`, {
      spec: {
        matchConstraints,
        reinvocationPolicy: "Never",
        mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
      },
    }],
    [`admissionregistration.k8s.io/${version} MutatingAdmissionPolicyBinding`, { spec: { policyName: "a" } }],
  ])),
};
const ofTables = new Map(tables.map(({ path, valid }) => {
  const [api, ...words] = path.split("/").slice(1);
  return [`${api === "api" ? words[0] : words.slice(0, 2).join("/")} ${words.at(-1)}`, valid as JsonObject];
}));

/** The plural of kinds in tables. */
function pluralOf(kind: string): string {
  return /[sx]$/.test(kind) ? `${kind.toLowerCase()}es` : kind.toLowerCase().replace(/y$/, "ie") + "s";
}

let taken = 0;
/** The valid object with one generated member: most objects with many are invalid. */
function withOneGenerated(base: JsonObject, { metadata, kind, apiVersion, ...generated }: JsonObject): JsonObject {
  const members = Object.entries(generated).flatMap(([key, value]): JsonObject[] =>
    isObject(value) ? Object.entries(value).map(([inner, each]) => ({ [key]: { [inner]: each } })) : [{ [key]: value }]
  );
  const change = members[taken++ % members.length] ?? {};
  return { ...merged(base, change) as JsonObject, kind: kind!, apiVersion: apiVersion!, metadata: metadata! };
}

/** Members that are not generated: v1alpha1 accepts more names of resources than v1beta1; hardly a generated definition is valid. */
const fixedMembers: Readonly<Record<string, readonly string[]>> = {
  StorageVersionMigration: ["spec"],
  CustomResourceDefinition: ["spec", "status"],
};
/** Names that their kinds demand. */
const namedBy: Readonly<Record<string, string>> = { CustomResourceDefinition: "things.example.com", IPAddress: "192.0.2.1" };
const definition = {
  spec: {
    group: "example.com",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    scope: "Cluster",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

function adjust(object: any, { kind, apiVersion }: { kind: string; apiVersion: string }): object | undefined {
  // Write-only: it becomes data.
  if (kind === "Secret") delete object.stringData;
  // An empty list of requests is in conflict with itself, as upstream: the stored form has null.
  const claim = kind === "ResourceClaim" ? object.spec : kind === "ResourceClaimTemplate" ? object.spec?.spec : undefined;
  if (claim?.devices?.requests?.length === 0) delete claim.devices.requests;
  // Version 1 does not tell absent values of metrics from zeros, and without any metric there is a default.
  if (kind === "HorizontalPodAutoscaler") {
    if (apiVersion === "autoscaling/v1") delete object.status?.currentCPUUtilizationPercentage;
    else delete object.status?.currentMetrics;
    const target = { type: "Utilization", averageUtilization: 50 }, metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
    object.spec = { ...object.spec, ...(apiVersion === "autoscaling/v1" ? { targetCPUUtilizationPercentage: 50 } : { metrics }) };
  }
  // Protobuf does not tell an empty list from an absent one, which has a default. No valid object has one.
  for (const rules of [object.spec?.behavior?.scaleUp, object.spec?.behavior?.scaleDown]) {
    if (rules?.policies?.length === 0) delete rules.policies;
  }
  // `false` is invalid, and v1beta1 does not tell it from an absent value.
  if (kind === "ResourceSlice" && object.spec?.allNodes === false) delete object.spec.allNodes;
  // Protobuf does not tell an empty map from an absent one, which takes the capacity as default.
  if (kind === "Node" && object.status?.allocatable !== undefined && Object.keys(object.status.allocatable).length === 0) {
    delete object.status.allocatable;
  }
  // v1alpha1 fills what both versions demand.
  if (kind === "MutatingAdmissionPolicyBinding" && object.spec?.paramRef) object.spec.paramRef.parameterNotFoundAction ??= "Deny";
  // v1beta1 cannot tell an empty exact request, which is invalid, from an absent one.
  const { devices } = object.spec?.spec ?? object.spec ?? {};
  for (const { exactly } of kind.startsWith("ResourceClaim") ? devices?.requests ?? [] : []) if (exactly) exactly.deviceClassName ||= "a";
  // A device of v1beta1 always has `basic`.
  if (kind === "ResourceSlice" && apiVersion.endsWith("/v1beta1")) { for (const device of object.spec?.devices ?? []) device.basic ??= {}; }
  // Nor the zero values of these fields, which are invalid, too.
  if (kind === "ResourceSlice") { for (const key of ["nodeName", "allNodes"]) if (!object.spec?.[key]) delete object.spec?.[key]; }
  if (object.metadata.name?.startsWith("round-trip-") !== true) return object;
  const base = kind === "CustomResourceDefinition" ? definition : valid[`${apiVersion} ${kind}`] ??
    ofTables.get(`${apiVersion} ${pluralOf(kind)}`) ?? {};
  const generated = Object.entries(object).filter(([key]) => fixedMembers[kind]?.includes(key) !== true);
  const made = withOneGenerated(base, Object.fromEntries(generated) as JsonObject);
  return kind in namedBy ? { ...made, metadata: { ...made["metadata"] as JsonObject, name: namedBy[kind] } } : made;
}

for (const plugin of plugins) {
  const stored = (plugin.resources ?? []).filter(({ handleCreate, strategy }) =>
    handleCreate === undefined && strategy?.without?.includes("create") !== true
  );
  if (stored.length === 0) continue;
  test(`nothing of ${stored.map(({ kind }) => kind).join(", ")} is lost (seed ${seed})`, async () => {
    // No controller makes the accounts that this step looks for.
    const settings = { "disable-admission-plugins": ["ServiceAccount"] };
    const report = await checkRoundTrips(plugin, { seed, objects: 40, adjust, settings });
    assert.ok(report.converted >= 40 * stored.length && report.stored >= 4 * stored.length, JSON.stringify(report));
    console.log(`${plugin.name}: ${report.converted} converted, ${report.stored} stored`);
  });
}
