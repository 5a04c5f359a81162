import {
  ageColumn,
  boolean,
  type Column,
  defineResource,
  duplicate,
  field,
  type FieldError,
  type Infer,
  int64,
  invalid,
  list,
  nameColumn,
  notSupported,
  object,
  type Plugin,
  required,
  type Resource,
  setOf,
  string,
  structsOf,
} from "../../plugin.ts";
import { append, type Gates, metaRulesOf, named, sameValue, validateObjectMetaUpdate } from "../../toolbox.ts";
import { nodeCountGate } from "./gates.ts";

const home = "storage/v1";
const struct = structsOf(home);
const seLinuxGate = "SELinuxMountReadWriteOncePod", secretsGate = "CSIServiceAccountTokenSecrets";

const TokenRequest = struct("TokenRequest", {
  audience: field(1, string, "The intended audience of the token; empty for the API server. Each audience must be unique in the list.", {
    required: true,
  }),
  expirationSeconds: field(
    2,
    int64,
    "Lifetime of the token in seconds, at least 600. Nodes use 3600 if it is absent.",
    {
      pointer: true,
    },
  ),
}, { doc: "A token of the pod's service account that the driver requires." });

const CSIDriverSpec = struct("CSIDriverSpec", {
  attachRequired: field(1, boolean, "Whether a volume must be attached to the node before it is mounted. Default true. Immutable.", {
    pointer: true,
    unpublishedDefault: true,
  }),
  podInfoOnMount: field(2, boolean, "Whether nodes pass information about the pod to the driver on mount. Default false.", {
    pointer: true,
    unpublishedDefault: false,
  }),
  volumeLifecycleModes: field(
    3,
    setOf(named("v1.VolumeLifecycleMode", string)),
    "The kinds of volumes that the driver supports: Persistent (the default), Ephemeral (with the lifecycle of the pod), or both. Immutable.",
    { unpublishedDefault: ["Persistent"] },
  ),
  storageCapacity: field(
    4,
    boolean,
    "Whether the scheduler considers CSIStorageCapacity objects for a pod that needs a new volume. Default false.",
    { pointer: true, unpublishedDefault: false },
  ),
  fsGroupPolicy: field(
    5,
    named("v1.FSGroupPolicy", string),
    "When nodes change ownership and permissions of a volume: always (File), never (None), or only for a volume with a file system type " +
      "and access mode ReadWriteOnce (ReadWriteOnceWithFSType, the default).",
    { pointer: true, unpublishedDefault: "ReadWriteOnceWithFSType" },
  ),
  tokenRequests: field(
    6,
    list(TokenRequest),
    "Tokens of the pod's service account that nodes pass to the driver on mount.",
  ),
  requiresRepublish: field(
    7,
    boolean,
    "Whether nodes call NodePublishVolume periodically, so that the driver can update a mounted volume. Default false.",
    {
      pointer: true,
      unpublishedDefault: false,
    },
  ),
  seLinuxMount: field(8, boolean, "Whether the driver supports mounts with an SELinux context. Default false.", {
    pointer: true,
    unpublishedDefault: false,
    gate: seLinuxGate,
  }),
  nodeAllocatableUpdatePeriodSeconds: field(
    9,
    int64,
    "Interval in seconds, at least 10, at which nodes update the allocatable number of volumes. Absent: no periodic update.",
    { pointer: true, gate: nodeCountGate },
  ),
  serviceAccountTokenInSecrets: field(
    10,
    boolean,
    "Whether the tokens are passed in the secrets of a call instead of the volume attributes, which a driver may log. Requires " +
      "tokenRequests.",
    { pointer: true, gate: secretsGate },
  ),
}, { doc: "The capabilities of a driver and its requirements on nodes." });

const CSIDriver = object("CSIDriver", {
  spec: field(2, CSIDriverSpec, "The capabilities of the driver and its requirements on nodes.", { required: true }),
}, { package: home, doc: "A CSI driver that is deployed in the cluster. The object's name is the driver's name." });
type CSIDriver = Infer<typeof CSIDriver>;

const columns: readonly Column<CSIDriver>[] = [
  nameColumn,
  {
    name: "AttachRequired",
    type: "boolean",
    description: "Whether a volume must be attached to a node before it is mounted.",
    cell: ({ spec }) => spec.attachRequired ?? true,
  },
  {
    name: "PodInfoOnMount",
    type: "boolean",
    description: "Whether the driver receives facts about the pod with each mount.",
    cell: ({ spec }) => spec.podInfoOnMount ?? false,
  },
  {
    name: "StorageCapacity",
    type: "boolean",
    description: "Whether pods are scheduled by the free capacity that the driver reports.",
    cell: ({ spec }) => spec.storageCapacity ?? false,
  },
  {
    name: "TokenRequests",
    type: "string",
    description: "The audiences of the account tokens that the driver receives.",
    cell: ({ spec: { tokenRequests = [] } }) =>
      tokenRequests.length === 0 ? "<unset>" : tokenRequests.map(({ audience }) => audience).join(","),
  },
  {
    name: "RequiresRepublish",
    type: "boolean",
    description: "Whether the driver is called again and again while a volume is mounted.",
    cell: ({ spec }) => spec.requiresRepublish ?? false,
  },
  {
    name: "Modes",
    type: "string",
    description: "The lifecycles that volumes of the driver may have; <none> means Persistent.",
    cell: ({ spec: { volumeLifecycleModes = [] } }) => volumeLifecycleModes.length === 0 ? "<none>" : volumeLifecycleModes.join(","),
  },
  ageColumn,
];

const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifecycleModes = ["Persistent", "Ephemeral"];
const tokenSecondsMin = 10 * 60, tokenSecondsMax = 2 ** 32;
const updateSecondsMin = 10;

function validateSpec({ spec }: CSIDriver, gates: Gates): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { fsGroupPolicy, tokenRequests = [], volumeLifecycleModes = [], nodeAllocatableUpdatePeriodSeconds: seconds } = spec;
  // "attachedRequired" is upstream's spelling of the path.
  if (spec.attachRequired === undefined) errors.push(required("spec.attachedRequired", ""));
  if (spec.podInfoOnMount === undefined) errors.push(required("spec.podInfoOnMount", ""));
  if (spec.storageCapacity === undefined) errors.push(required("spec.storageCapacity", ""));
  if (fsGroupPolicy !== undefined && !groupPolicies.includes(fsGroupPolicy)) {
    errors.push(notSupported("spec.fsGroupPolicy", fsGroupPolicy, groupPolicies));
  }
  append(errors, validateTokenRequests(tokenRequests));
  for (const mode of volumeLifecycleModes) {
    if (!lifecycleModes.includes(mode)) errors.push(notSupported("spec.volumeLifecycleModes", mode, lifecycleModes));
  }
  if (spec.seLinuxMount === undefined && gates(seLinuxGate)) errors.push(required("spec.seLinuxMount", ""));
  if (seconds !== undefined && seconds < updateSecondsMin) {
    errors.push(
      invalid("spec.nodeAllocatableUpdatePeriodSeconds", seconds, `must be greater than or equal to ${updateSecondsMin} seconds`),
    );
  }
  if (spec.serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0) {
    errors.push(
      invalid(
        "spec.serviceAccountTokenInSecrets",
        spec.serviceAccountTokenInSecrets,
        "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
      ),
    );
  }
  return errors;
}

function validateTokenRequests(requests: readonly Infer<typeof TokenRequest>[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  const audiences = new Set<string>();
  for (const [i, { audience, expirationSeconds: seconds }] of requests.entries()) {
    const path = `spec.tokenRequests[${i}]`;
    if (audiences.has(audience)) {
      errors.push(duplicate(`${path}.audience`, audience));
      continue;
    }
    audiences.add(audience);
    if (seconds === undefined) continue;
    if (seconds < tokenSecondsMin) {
      errors.push(invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes"));
    }
    if (seconds > tokenSecondsMax) {
      errors.push(invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds"));
    }
  }
  return errors;
}

function validateImmutable({ spec: next }: CSIDriver, { spec: prior }: CSIDriver): readonly FieldError[] {
  const { attachRequired, volumeLifecycleModes } = next;
  return [
    ...(attachRequired === prior.attachRequired ? [] : [invalid("spec.attachedRequired", attachRequired, "field is immutable")]),
    ...(sameValue(volumeLifecycleModes ?? [], prior.volumeLifecycleModes ?? [])
      ? []
      : [invalid("spec.volumeLifecycleModes", volumeLifecycleModes, "field is immutable")]),
  ];
}

export const csiDrivers: Resource<CSIDriver> = defineResource({
  kind: "CSIDriver",
  scope: "Cluster",
  summary: "A CSI driver that is deployed in the cluster.",
  storedAs: "storage.{domain}/v1",
  storedUnder: "csidrivers",
  served: { "storage.{domain}/v1": { schema: CSIDriver, introduced: "1.18", columns } },
  strategy: { unconditionalUpdate: false, deleteAnswers: "object", coreFinalizers: true, generation: "onUpdate" },
  create: (next, context) => validateSpec(next, context.gates),
  update: (next, prior, context) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(csiDrivers, context.names)),
    ...validateSpec(next, context.gates),
    ...validateImmutable(next, prior),
  ],
  warn({ spec }, prior, { gates }) {
    const { tokenRequests = [] } = spec;
    if (!gates(secretsGate) || tokenRequests.length === 0 || spec.serviceAccountTokenInSecrets !== undefined) return [];
    if (prior !== undefined && sameValue(tokenRequests, prior.spec.tokenRequests ?? [])) return [];
    return [
      "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
    ];
  },
});

export const csiDriverGates: NonNullable<Plugin["featureGates"]> = {
  [seLinuxGate]: [
    { since: "1.25", stage: "Alpha", default: false },
    { since: "1.27", stage: "Beta", default: false },
    { since: "1.28", stage: "Beta", default: true },
  ],
  [secretsGate]: [{ since: "1.35", stage: "Beta", default: true }],
};
