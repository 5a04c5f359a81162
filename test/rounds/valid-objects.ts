/** Valid objects of every kind that can be created, the smallest of each. */
import { generateKeyPairSync, sign } from "node:crypto";
import type { JsonObject } from "../../core/json.ts";
import { requestFor } from "../../plugins/certificates/test-context.ts";
import { issueCertificate } from "../../protocols/x509/certificate.ts";
import { tables } from "../validation/tables.ts";

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

const podKeys = generateKeyPairSync("ed25519");
const ofPod = {
  signerName: "example.com/a",
  podName: "a",
  podUID: "u",
  serviceAccountName: "a",
  serviceAccountUID: "u",
  nodeName: "a",
  nodeUID: "u",
  pkixPublicKey: podKeys.publicKey.export({ type: "spki", format: "der" }).toString("base64"),
  proofOfPossession: sign(null, Buffer.from("u"), podKeys.privateKey).toString("base64"),
};

/** Names that their kinds demand. */
export const namedBy: Readonly<Record<string, string>> = {
  APIService: "v1.example.com",
  CustomResourceDefinition: "things.example.com",
  IPAddress: "192.0.2.1",
  StorageVersion: "example.com.things",
};

/** Valid objects of kinds that have no table of rules, or a smaller one there. */
const valid: Readonly<Record<string, JsonObject>> = {
  "apiextensions.k8s.io/v1 CustomResourceDefinition": {
    spec: {
      group: "example.com",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      scope: "Cluster",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  },
  "v1 Event": { ...ofEvent, involvedObject: { namespace: "default", kind: "Thing" }, reportingComponent: "example.com/thing" },
  "events.k8s.io/v1 Event": { ...ofEvent, regarding: { namespace: "default", kind: "Thing" }, reportingController: "example.com/thing" },
  "v1 PodTemplate": { template },
  "certificates.k8s.io/v1beta1 PodCertificateRequest": { spec: ofPod },
  ...Object.fromEntries(["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"].map((kind) => [
    `apps/v1 ${kind}`,
    { spec: { selector: { matchLabels: { a: "b" } }, template } },
  ])),
  ...Object.fromEntries(["v1alpha2", "v1beta1"].map((version) => [
    `coordination.k8s.io/${version} LeaseCandidate`,
    { spec: { leaseName: "a", binaryVersion: "1.35.0", strategy: "example.com/a" } },
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
  "flowcontrol.apiserver.k8s.io/v1 FlowSchema": { spec: { priorityLevelConfiguration: { name: "a" } } },
  "flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration": {
    spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } },
  },
  "apiregistration.k8s.io/v1 APIService": {
    spec: {
      group: "example.com",
      version: "v1",
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      service: { namespace: "default", name: "a" },
    },
  },
  "node.k8s.io/v1 RuntimeClass": { handler: "a" },
  "scheduling.k8s.io/v1alpha1 Workload": { spec: { podGroups: [{ name: "a", policy: { gang: { minCount: 1 } } }] } },
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

/**
 * The members of a valid object but for its kind, version and metadata. Empty for kinds that need none.
 *
 * @param apiVersion with the default domain
 */
export function validMembers(apiVersion: string, kind: string): JsonObject {
  return valid[`${apiVersion} ${kind}`] ?? ofTables.get(`${apiVersion} ${pluralOf(kind)}`) ?? {};
}

/** The plural of kinds in tables. */
function pluralOf(kind: string): string {
  return /[sx]$/.test(kind) ? `${kind.toLowerCase()}es` : kind.toLowerCase().replace(/y$/, "ie") + "s";
}
