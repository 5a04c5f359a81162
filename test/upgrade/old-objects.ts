/** Valid objects of the API versions that releases have removed, generated: each kind of the table, with explicit nulls as some programs write them. */
import type { Json } from "../../core/json.ts";

type Next = () => number;
type Value = Record<string, Json>;

export const chance = (next: Next, part = 0.5): boolean => next() < part;
export const pick = <T>(next: Next, items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
/** Optional fields: each is set, null or absent. */
export const some = (next: Next, fields: Value): Value =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const way = next();
      return way < 0.5 ? [[name, value]] : way < 0.7 ? [[name, null]] : [];
    }),
  );

const labels = { app: "shop" };
const selector = { matchLabels: labels };
const podSpec = { containers: [{ name: "main", image: "shop:1" }] };
const namespaced = (next: Next): Value => ({
  metadata: { name: "old", ...some(next, { namespace: "default", labels, annotations: { a: "b" } }) },
});
const named = (next: Next): Value => ({ metadata: { name: "old", ...some(next, { labels, annotations: { a: "b" } }) } });

function workload(next: Next, groupVersion: string, spec: Value): Value {
  // apps/v1beta2 does not fill the selector.
  const optional = groupVersion === "apps/v1beta2" ? { selector, ...some(next, {}) } : some(next, { selector });
  return { ...namespaced(next), spec: { ...spec, ...optional, template: { metadata: { labels }, spec: podSpec } } };
}

function autoscaler(next: Next, groupVersion: string): Value {
  const reference = { apiVersion: pick(next, ["apps/v1", "extensions/v1beta1"]), kind: "Deployment", name: "shop" };
  const isOld = groupVersion === "autoscaling/v2beta1";
  const metric = (): Value =>
    pick(next, [
      () => ({
        type: "Resource",
        resource: {
          name: "cpu",
          ...isOld
            ? { targetAverageUtilization: 50, ...some(next, { target: null }) }
            : { target: { type: "Utilization", averageUtilization: 50 } },
        },
      }),
      () => ({
        type: "Pods",
        pods: isOld
          ? { metricName: "hits", targetAverageValue: "10", ...some(next, { selector, metric: null, target: null }) }
          : { metric: { name: "hits", ...some(next, { selector }) }, target: { type: "AverageValue", averageValue: "10" } },
      }),
      () => ({
        type: "Object",
        object: isOld
          ? {
            metricName: "hits",
            target: reference,
            targetValue: "10",
            ...some(next, { averageValue: "5", selector, describedObject: null }),
          }
          : { metric: { name: "hits" }, describedObject: reference, target: { type: "Value", value: "10" } },
      }),
      () => ({
        type: "External",
        external: isOld
          ? { metricName: "queue", targetValue: "10", ...some(next, { metricSelector: selector, metric: null }) }
          : { metric: { name: "queue" }, target: { type: "Value", value: "10" } },
      }),
    ])();
  return {
    ...namespaced(next),
    spec: {
      scaleTargetRef: reference,
      maxReplicas: 5,
      ...some(next, { minReplicas: 1 }),
      ...some(next, { metrics: [metric(), metric()] }),
    },
  };
}

function priorityLevel(next: Next, groupVersion: string): Value {
  const shares = /v1beta[12]$/.test(groupVersion) ? "assuredConcurrencyShares" : "nominalConcurrencyShares";
  const limited = {
    [shares]: pick(next, [0, 5]),
    limitResponse: pick(next, [{ type: "Reject" }, { type: "Queue", queuing: { queues: 8, handSize: 2, queueLengthLimit: 10 } }]),
    ...some(next, { lendablePercent: null }),
    ...shares === "assuredConcurrencyShares" ? some(next, { nominalConcurrencyShares: null }) : {},
  };
  const kept = groupVersion.endsWith("/v1beta3")
    ? some(next, { annotations: { "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": "" } })
    : {};
  return { metadata: { name: "old", ...kept }, spec: { type: "Limited", limited } };
}

const flowSchema = (next: Next): Value => ({
  ...named(next),
  spec: {
    priorityLevelConfiguration: { name: "global-default" },
    ...some(next, { matchingPrecedence: 500, distinguisherMethod: { type: "ByUser" } }),
    ...some(next, {
      rules: [{
        subjects: [{ kind: "Group", group: { name: "system:authenticated" } }],
        resourceRules: [{ verbs: ["get"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }],
      }],
    }),
  },
});

function event(next: Next): Value {
  const time = "2024-01-02T03:04:05Z", isNew = chance(next);
  const often = (fields: Value): Value => chance(next, 0.9) ? fields : some(next, fields);
  return {
    metadata: { name: "old.1", namespace: "default" },
    ...isNew
      ? often({ eventTime: "2024-01-02T03:04:05.000006Z", reportingController: "example.org/shop", reportingInstance: "shop-1" })
      : some(next, { eventTime: null, reportingController: null, reportingInstance: null }),
    ...isNew ? some(next, { deprecatedSource: { component: "example.org/old", host: "node-1" }, deprecatedLastTimestamp: time }) : often({
      deprecatedSource: { component: "example.org/old", host: "node-1" },
      deprecatedFirstTimestamp: time,
      deprecatedLastTimestamp: time,
    }),
    ...often({ action: "Open", reason: "Opened", type: "Normal" }),
    ...some(next, { deprecatedCount: pick(next, [1, 3]), note: "It is open.", series: null }),
    regarding: { kind: "Pod", namespace: "default", name: "shop" },
  };
}

function endpointSlice(next: Next): Value {
  const topology = some(next, { "kubernetes.io/hostname": "node-1", "topology.kubernetes.io/zone": "zone-1", "example.org/rack": "r" });
  for (const [key, value] of Object.entries(topology)) if (value === null) delete topology[key]; // Values of a map are texts.
  return {
    ...namespaced(next),
    addressType: "IPv4",
    endpoints: [{
      addresses: ["10.0.0.1"],
      ...some(next, { nodeName: null, zone: null, hostname: "shop", conditions: { ready: true } }),
      ...some(next, { topology }),
    }],
    ...some(next, { ports: [{ name: "http", protocol: "TCP", port: 80 }] }),
  };
}

/** A certificate request with an Ed25519 key, of which nobody has the private part. */
const validRequest =
  "MIGNMEECAQAwDjEMMAoGA1UECgwDZGV2MCowBQYDK2VwAyEA1gIOr2b3oMXf9FhnTzUyOk6cEE5eMfh2e7/EioPMFG6gADAFBgMrZXADQQC7PDjRgK3F" +
  "D3BzSaxfAZ8Z0ESLqSEJOEe+4tw8sK16VXufUOwNVJCOJeebxlGxliwclWAHQgmzgMKQ69mgURIP";

function signingRequest(next: Next): Value {
  return {
    metadata: { name: "old" },
    spec: {
      request: btoa(`-----BEGIN CERTIFICATE REQUEST-----\n${validRequest}\n-----END CERTIFICATE REQUEST-----\n`),
      ...chance(next, 0.8) ? { signerName: "example.org/signer" } : some(next, { signerName: "kubernetes.io/legacy-unknown" }),
      ...some(next, { usages: ["client auth", "digital signature"] }),
    },
    ...some(next, {
      status: {
        conditions: [{ type: "Approved", reason: "Ok", ...some(next, { status: "True" }) }],
        ...some(next, { certificate: btoa("none") }),
      },
    }),
  };
}

function ingress(next: Next): Value {
  const backend = (): Value => ({ serviceName: "web", servicePort: pick(next, [80, "http"]), ...some(next, { service: null }) });
  const path = (): Value => ({ backend: backend(), path: "/", ...some(next, { pathType: "Prefix" }) });
  return {
    ...namespaced(next),
    spec: {
      rules: [{ http: { paths: [path(), path()] }, ...some(next, { host: "shop.example.org" }) }],
      ...some(next, { backend: backend(), tls: [{ hosts: ["shop.example.org"], secretName: "cert" }], ingressClassName: "nginx" }),
      ...some(next, { defaultBackend: null }),
    },
  };
}

const schema = (next: Next, depth: number): Value => {
  const type = depth === 0 ? pick(next, ["string", "integer", "boolean"]) : pick(next, ["object", "object", "array", "string"]);
  const inner: Value = type === "array"
    ? { items: schema(next, depth - 1) }
    : type !== "object"
    ? {}
    : chance(next, 0.2)
    ? { additionalProperties: schema(next, depth - 1) }
    : { properties: { one: schema(next, depth - 1), ...chance(next) ? { two: schema(next, depth - 1) } : {} } };
  return {
    ...chance(next, 0.97) ? { type } : {},
    ...some(next, { description: "text: with a colon" }),
    ...inner,
    // Rules that only a structural schema has.
    ...chance(next, 0.04) ? { uniqueItems: true } : {},
    ...chance(next, 0.04) ? { anyOf: [{ type: "string" }] } : {},
    ...chance(next, 0.04) ? { $ref: "#/definitions/x" } : {},
  };
};

function definition(next: Next): Value {
  const columns = [{ name: "Size", type: "integer", JSONPath: ".spec.size" }];
  const root = (): Value => ({ openAPIV3Schema: { ...some(next, { type: "object" }), properties: { spec: schema(next, 3) } } });
  const own = chance(next), names = ["v1", "v1beta1", "v1alpha1"].slice(0, 1 + Math.floor(next() * 3));
  const fields = (): Value => some(next, { schema: root(), additionalPrinterColumns: columns, subresources: { status: {} } });
  const versions = names.map((name, index): Json => ({
    name,
    served: true,
    storage: index === 0,
    ...own ? fields() : some(next, { schema: null, subresources: null, additionalPrinterColumns: null }),
  }));
  return {
    metadata: { name: "widgets.example.org" },
    spec: {
      group: "example.org",
      names: { kind: "Widget", plural: "widgets" },
      ...some(next, { scope: "Cluster", preserveUnknownFields: chance(next) }),
      ...own || chance(next) ? { ...some(next, { version: "v1" }), versions } : { version: "v1", ...some(next, { versions: null }) },
      ...own ? {} : some(next, { validation: root(), additionalPrinterColumns: columns, subresources: { status: {} } }),
      ...chance(next, 0.3)
        ? {
          conversion: {
            strategy: "Webhook",
            webhookClientConfig: { service: { namespace: "default", name: "c" } },
            ...some(next, { conversionReviewVersions: ["v1"], webhook: null }),
          },
        }
        : some(next, { conversion: { strategy: "None" } }),
    },
  };
}

function webhooks(next: Next): Value {
  const webhook = (name: string): Value => ({
    name,
    clientConfig: { url: "https://example.org/check" },
    ...chance(next, 0.9) ? { sideEffects: pick(next, ["None", "NoneOnDryRun"]) } : some(next, { sideEffects: "Unknown" }),
    ...some(next, {
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      timeoutSeconds: 5,
      admissionReviewVersions: ["v1"],
      rules: [{ apiGroups: ["*"], apiVersions: ["v1beta1"], operations: ["CREATE"], resources: ["*"] }],
    }),
  });
  return { metadata: { name: "checks" }, webhooks: [webhook("a.example.org"), ...chance(next) ? [webhook("b.example.org")] : []] };
}

const cronJob = (next: Next): Value => ({
  ...namespaced(next),
  spec: {
    schedule: "1 2 * * *",
    jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
    ...some(next, { suspend: true, concurrencyPolicy: "Forbid", startingDeadlineSeconds: 30 }),
  },
});

const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
const roleRef = (kind: string): Value => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: "reader" });
const subjects = [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }];
const resourceAttributes = { verb: "get", resource: "pods", namespace: "default" };

/** By kind. The version and the kind are added. */
const generators: Readonly<Record<string, (next: Next, groupVersion: string) => Value>> = {
  FlowSchema: flowSchema,
  PriorityLevelConfiguration: priorityLevel,
  CSIStorageCapacity: (next) => ({
    ...namespaced(next),
    storageClassName: "fast",
    ...some(next, { nodeTopology: selector, capacity: "1Gi" }),
  }),
  HorizontalPodAutoscaler: autoscaler,
  CronJob: cronJob,
  EndpointSlice: endpointSlice,
  Event: event,
  PodDisruptionBudget: (next) => ({
    ...namespaced(next),
    spec: { minAvailable: 1, ...some(next, { selector: pick<Value>(next, [selector, {}, { matchLabels: {}, matchExpressions: [] }]) }) },
  }),
  PodSecurityPolicy: (next) => ({
    ...named(next),
    spec: {
      seLinux: { rule: "RunAsAny" },
      runAsUser: { rule: "RunAsAny" },
      supplementalGroups: { rule: "RunAsAny" },
      fsGroup: { rule: "RunAsAny" },
    },
  }),
  PodPreset: (next) => ({ ...namespaced(next), spec: { selector } }),
  AuditSink: (next) => ({
    ...named(next),
    spec: { policy: { level: "Metadata" }, webhook: { clientConfig: { url: "https://example.org" } } },
  }),
  RuntimeClass: (next) => ({ ...named(next), handler: "runc", ...some(next, { overhead: { podFixed: { cpu: "1" } } }) }),
  MutatingWebhookConfiguration: webhooks,
  ValidatingWebhookConfiguration: webhooks,
  CustomResourceDefinition: definition,
  APIService: () => ({
    metadata: { name: "v1.example.org" },
    spec: {
      group: "example.org",
      version: "v1",
      groupPriorityMinimum: 100,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: "default", name: "api" },
    },
  }),
  TokenReview: (next) => ({ spec: { token: "abc", ...some(next, { audiences: ["a"] }) } }),
  LocalSubjectAccessReview: (next) => ({
    metadata: { namespace: "default" },
    spec: { resourceAttributes, user: "jane", ...some(next, { group: ["a"], groups: null }) },
  }),
  SelfSubjectAccessReview: () => ({ spec: { resourceAttributes } }),
  SubjectAccessReview: (next) => ({ spec: { resourceAttributes, user: "jane", ...some(next, { group: ["a"], groups: null, uid: "u" }) } }),
  SelfSubjectRulesReview: () => ({ spec: { namespace: "default" } }),
  CertificateSigningRequest: signingRequest,
  Lease: (next) => ({
    ...namespaced(next),
    ...some(next, { spec: { holderIdentity: "a", leaseDurationSeconds: 10, ...some(next, { renewTime: "2024-01-02T03:04:05.000000Z" }) } }),
  }),
  Ingress: ingress,
  IngressClass: (next) => ({
    ...named(next),
    spec: { controller: "example.org/ingress", ...some(next, { parameters: { kind: "P", name: "p" } }) },
  }),
  ClusterRole: (next) => ({ ...named(next), rules, ...some(next, { aggregationRule: null }) }),
  ClusterRoleBinding: (next) => ({ ...named(next), roleRef: roleRef("ClusterRole"), ...some(next, { subjects }) }),
  Role: (next) => ({ ...namespaced(next), rules }),
  RoleBinding: (next) => ({ ...namespaced(next), roleRef: roleRef("Role"), ...some(next, { subjects }) }),
  PriorityClass: (next) => ({ ...named(next), value: 10, ...some(next, { description: "d", globalDefault: false }) }),
  CSIDriver: (next) => ({
    ...named(next),
    ...some(next, { spec: some(next, { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ["Ephemeral"] }) }),
  }),
  CSINode: (next) => ({
    ...named(next),
    spec: { drivers: [{ name: "a.example.org", nodeID: "n", ...some(next, { topologyKeys: ["zone"], allocatable: { count: 3 } }) }] },
  }),
  StorageClass: (next) => ({
    ...named(next),
    provisioner: "example.org/disk",
    ...some(next, { parameters: { a: "b" }, reclaimPolicy: "Retain", mountOptions: ["ro"], volumeBindingMode: "WaitForFirstConsumer" }),
  }),
  VolumeAttachment: (next) => ({
    ...named(next),
    spec: { attacher: "disk.example.org", nodeName: "node-1", source: { persistentVolumeName: "v" } },
  }),
  NetworkPolicy: (next) => ({
    ...namespaced(next),
    spec: { podSelector: selector, ...some(next, { ingress: [{ from: [{ podSelector: selector }] }], policyTypes: ["Ingress"] }) },
  }),
  DaemonSet: (next, groupVersion) =>
    workload(next, groupVersion, some(next, { updateStrategy: { type: "RollingUpdate" }, templateGeneration: 1 })),
  Deployment: (next, groupVersion) =>
    workload(
      next,
      groupVersion,
      some(next, { replicas: 2, strategy: { type: pick(next, ["Recreate", "RollingUpdate"]) }, progressDeadlineSeconds: 700 }),
    ),
  StatefulSet: (next, groupVersion) =>
    workload(next, groupVersion, { serviceName: "shop", ...some(next, { updateStrategy: { type: "OnDelete" } }) }),
  ReplicaSet: (next, groupVersion) => workload(next, groupVersion, some(next, { replicas: 2 })),
};

/** A valid object of a version that was removed. */
export function oldObject(next: Next, groupVersion: string, kind: string): Json {
  const make = generators[kind];
  if (make === undefined) throw new Error(`no generator for ${kind}`);
  return { apiVersion: groupVersion, kind, ...make(next, groupVersion) };
}
