/** A valid object with the field, for each field that is dropped while its gate is disabled. */
import { csiDriver } from "../validation/kinds/csi-driver.ts";
import { lease } from "../validation/kinds/lease.ts";
import { persistentVolumeClaim } from "../validation/kinds/persistent-volume-claim.ts";
import { persistentVolume } from "../validation/kinds/persistent-volume.ts";
import { volumeAttachment } from "../validation/kinds/volume-attachment.ts";
import { embeddedVolume } from "../validation/kinds/volume.ts";
import type { Change, KindRules } from "../validation/rule.ts";

export interface FieldCase {
  readonly of: KindRules;
  /** The change from the kind's valid object to one with the field. */
  readonly with: Change;
  /** A change to both objects. */
  readonly both?: Change;
  /** The field cannot be added to a stored object, with any state of the gate. */
  readonly addable?: false;
  /** The field cannot be removed from a stored object, with any state of the gate. */
  readonly removable?: false;
  /** While its gate is disabled, the stored field cannot be removed. */
  readonly sealedOff?: true;
  /** Path of the error for an object without the field, which is required. */
  readonly neededAt?: string;
  /** Path of the error for the field's parent, which no object of the kind may have. */
  readonly neverAt?: string;
}

const driver = (field: Change): FieldCase => ({ of: csiDriver, with: { spec: field } });
const attachment = (status: Change): FieldCase => ({ of: volumeAttachment, with: { status } });
const claim = <C extends Omit<FieldCase, "of">>(rest: C): C & FieldCase => ({ of: persistentVolumeClaim, ...rest });
const pod = (spec: Change, rest: Omit<FieldCase, "of" | "with"> = {}): FieldCase => ({
  of: embeddedVolume,
  with: { template: { spec } },
  ...rest,
});
const projected = (source: Change): Change => ({ volumes: [{ name: "v", projected: { sources: [source] } }] });
const file = { env: [{ name: "A", valueFrom: { fileKeyRef: { volumeName: "v", path: "a", key: "K", optional: false } } }] };
const containers = (rest: Change): Change => ({ containers: [{ name: "c", image: "a", ...rest }] });
const container = { name: "c", image: "a", lifecycle: { stopSignal: "SIGTERM" } };
const onLinux: Change = { template: { spec: { os: { name: "linux" } } } };

const workload = (kind: string, plural: string): KindRules => ({
  kind: `apps/v1/${kind}`,
  path: `/apis/apps/v1/namespaces/default/${plural}`,
  valid: {
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "a" }] } },
    },
  },
  rules: [],
});
const counted = (kind: string, plural: string): FieldCase => ({
  of: workload(kind, plural),
  with: { status: { terminatingReplicas: 1 } },
  both: { status: { replicas: 1 } },
});

/** Fields with a `gate`, by version, kind and path. */
export const fieldCases: Readonly<Record<string, FieldCase>> = {
  "coordination.k8s.io/v1/Lease spec.strategy": { of: lease, with: { spec: { strategy: "OldestEmulationVersion" } } },
  "coordination.k8s.io/v1/Lease spec.preferredHolder": {
    of: lease,
    with: { spec: { strategy: "OldestEmulationVersion", preferredHolder: "b" } },
  },
  "v1/PodTemplate template.spec.volumes[].projected.sources[].clusterTrustBundle": pod(
    projected({ clusterTrustBundle: { name: "a", path: "a" } }),
  ),
  "v1/PodTemplate template.spec.volumes[].projected.sources[].podCertificate": pod(
    projected({ podCertificate: { signerName: "example.com/a", keyType: "ED25519", maxExpirationSeconds: 86_400, keyPath: "k" } }),
  ),
  "v1/PodTemplate template.spec.volumes[].image": pod(
    { volumes: [{ name: "v", image: { reference: "a", pullPolicy: "Always" } }] },
    { neededAt: "template.spec.volumes[0]" },
  ),
  "v1/PodTemplate template.spec.hostnameOverride": pod({ hostnameOverride: "a" }),
  "v1/PodTemplate template.spec.resources": pod({ resources: { requests: { cpu: "1" } } }),
  "v1/PodTemplate template.spec.containers[].env[].valueFrom.fileKeyRef": pod(
    { volumes: [{ name: "v", emptyDir: {} }], ...containers(file) },
    { neededAt: "template.spec.containers[0].env[0].valueFrom" },
  ),
  "v1/PodTemplate template.spec.ephemeralContainers[].env[].valueFrom.fileKeyRef": pod(
    { ephemeralContainers: [{ name: "e", image: "a", ...file }] },
    { neverAt: "template.spec.ephemeralContainers" },
  ),
  "v1/PodTemplate template.spec.initContainers[].env[].valueFrom.fileKeyRef": pod(
    { volumes: [{ name: "v", emptyDir: {} }], initContainers: [{ name: "i", image: "a", ...file }] },
    { neededAt: "template.spec.initContainers[0].env[0].valueFrom" },
  ),
  "v1/PodTemplate template.spec.initContainers[].lifecycle.stopSignal": pod(
    { initContainers: [{ ...container, restartPolicy: "Always" }] },
    { both: onLinux },
  ),
  "v1/PodTemplate template.spec.containers[].lifecycle.stopSignal": pod({ containers: [container] }, { both: onLinux }),
  "v1/PodTemplate template.spec.ephemeralContainers[].lifecycle.stopSignal": pod({ ephemeralContainers: [container] }, {
    both: onLinux,
    neverAt: "template.spec.ephemeralContainers",
  }),
  "v1/PodTemplate template.spec.securityContext.seLinuxChangePolicy": pod({ securityContext: { seLinuxChangePolicy: "Recursive" } }),
  "v1/PodTemplate template.spec.workloadRef": pod({ workloadRef: { name: "a", podGroup: "b" } }),
  "v1/PersistentVolumeClaim status.currentVolumeAttributesClassName": claim({
    with: { status: { currentVolumeAttributesClassName: "a" } },
    both: { status: { phase: "Bound" } },
  }),
  "v1/PersistentVolumeClaim status.modifyVolumeStatus": claim({
    with: { status: { modifyVolumeStatus: { status: "Pending" } } },
    both: { status: { phase: "Bound" } },
  }),
  "storage.k8s.io/v1/CSIDriver spec.seLinuxMount": driver({ seLinuxMount: true }),
  "storage.k8s.io/v1/CSIDriver spec.nodeAllocatableUpdatePeriodSeconds": driver({ nodeAllocatableUpdatePeriodSeconds: 10 }),
  "storage.k8s.io/v1/CSIDriver spec.serviceAccountTokenInSecrets": driver({
    tokenRequests: [{ audience: "a" }],
    serviceAccountTokenInSecrets: true,
  }),
  "apps/v1/Deployment status.terminatingReplicas": counted("Deployment", "deployments"),
  "apps/v1/ReplicaSet status.terminatingReplicas": counted("ReplicaSet", "replicasets"),
  "apps/v1/StatefulSet spec.updateStrategy.rollingUpdate.maxUnavailable": {
    of: workload("StatefulSet", "statefulsets"),
    with: { spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } } } },
    both: { spec: { updateStrategy: { type: "RollingUpdate" } } },
  },
  "storage.k8s.io/v1/VolumeAttachment status.attachError.errorCode": attachment({ attached: false, attachError: { errorCode: 1 } }),
  "storage.k8s.io/v1/VolumeAttachment status.detachError.errorCode": attachment({ attached: false, detachError: { errorCode: 1 } }),
};

/** Fields that the kind's own code drops, because other fields depend on them; with their gates. */
export const ownCases: Readonly<Record<string, FieldCase & { readonly gate: string }>> = {
  "v1/PersistentVolume spec.volumeAttributesClassName": {
    gate: "VolumeAttributesClass",
    of: persistentVolume,
    with: { spec: { volumeAttributesClassName: "a" } },
    both: { spec: { hostPath: null, csi: { driver: "example.com", volumeHandle: "a" } } },
    removable: false,
  },
  "v1/PersistentVolumeClaim spec.volumeAttributesClassName": claim({
    with: { spec: { volumeAttributesClassName: "a" } },
    both: { status: { phase: "Bound" } },
    sealedOff: true,
    gate: "VolumeAttributesClass",
  }),
  "v1/PersistentVolumeClaim spec.dataSourceRef.namespace": claim({
    with: { spec: { dataSourceRef: { kind: "PersistentVolumeClaim", name: "a", namespace: "other" } } },
    addable: false,
    removable: false,
    gate: "CrossNamespaceVolumeDataSource",
  }),
};

const devices = "drops fields unless the stored object uses the feature in any place (plugins/devices/dropped_test.ts)";

/** Gates of plugins that drop no field with a gate of its own, with their purpose. */
export const otherGates: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["AdminAccess", "ConsumableCapacity", "DeviceBindingConditions", "DeviceTaintRules", "DeviceTaints"].map((
      name,
    ) => [`DRA${name}`, devices]),
  ),
  ...Object.fromEntries(["PartitionableDevices", "PrioritizedList", "ResourceClaimDeviceStatus"].map((name) => [`DRA${name}`, devices])),
  APIServerIdentity: "the Lease of the server itself",
  StorageVersionAPI: "objects that the server itself writes",
  StrictIPCIDRValidation: "a rule of addresses in many kinds",
  RelaxedServiceNameValidation: "a rule of the names of services, also in ingresses",
  CRDObservedGenerationTracking: "fields of the status that only controllers of the server write",
  ClusterTrustBundle: "the projection of trust bundles cannot be on without it",
  SELinuxMount: "a rule of PodTemplates: which labels of SELinux volumes may be mounted with",
  MatchLabelKeysInPodTopologySpreadSelectorMerge: "selectors of new pods get requirements from their labels",
  HPAConfigurableTolerance: "tolerances of an autoscaler are dropped together",
  HPAScaleToZero: "a rule of autoscalers: the smallest number of replicas",
  MutablePodResourcesForSuspendedJobs: "a rule of updates of a Job",
  MutableSchedulingDirectivesForSuspendedJobs: "a rule of updates of a Job",
  MutatingAdmissionPolicy: "serves two kinds in an alpha and a beta version",
  MutablePVNodeAffinity: "a rule of updates of a PersistentVolume",
  NodeDeclaredFeatures: "the features that a new node declares; its kubelet writes the others",
  PodTopologyLabelsAdmission: "an admission step: pods get labels of their nodes",
  AuthorizePodWebsocketUpgradeCreatePermission: "a right that an upgrade needs (test/connections/pods_test.ts)",
  PortForwardWebsockets: "a translation of streams (plugins/pods/connections/websocket/streams_test.ts)",
  TranslateStreamCloseWebsocketRequests: "a translation of streams (plugins/pods/connections/websocket/streams_test.ts)",
  PodLogsQuerySplitStreams: "a parameter of logs (test/connections/pods_test.ts)",
  StorageVersionMigrator: "a controller",
  TokenRequestServiceAccountUIDValidation: "a rule of TokenRequests: whether a UID that is sent must be the account's",
};
