import type { JsonObject } from "../../core/json.ts";

/** Objects of a kind whose recorded conversations have none that stand alone, or whose members must have a part of the name. */
export interface OwnBases {
  /** The part of the name that differs, and its counterpart in a further object. `${nth}` is the number of the walk. */
  readonly token: string;
  readonly other: string;
  /** Objects of this kind act on other requests: only the first of a walk is stored. */
  readonly isDry: boolean;
  readonly objects: readonly JsonObject[];
}

const name = "compared-${nth}", another = "another-${nth}";
const ofAwayKind = {
  apiGroups: ["away.example.com"],
  apiVersions: ["v1"],
  operations: ["CREATE"],
  resources: ["things"],
  scope: "Namespaced",
};

/** Bases by the name of the resource. */
export const ownBases: Readonly<Record<string, OwnBases>> = {
  apiservices: {
    token: "v${nth}alpha1.",
    other: "v1${nth}alpha2.",
    isDry: true,
    objects: [{
      metadata: { name: "v${nth}alpha1.compare.example.com" },
      spec: {
        group: "compare.example.com",
        version: "v${nth}alpha1",
        service: { namespace: "${ns}", name: "away" },
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        insecureSkipTLSVerify: true,
      },
    }],
  },
  limitranges: plain(false, [
    { spec: { limits: [{ type: "Container", max: { cpu: "2" }, default: { cpu: "1" }, defaultRequest: { cpu: "500m" } }] } },
    {
      spec: {
        limits: [{ type: "PersistentVolumeClaim", min: { storage: "1Gi" } }, { type: "Pod", maxLimitRequestRatio: { memory: "2" } }],
      },
    },
  ]),
  resourcequotas: plain(true, [
    { spec: { hard: { "count/leases.coordination.k8s.io": "100", pods: "7" }, scopes: ["BestEffort"] } },
    {
      spec: {
        hard: { "requests.cpu": "4" },
        scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] },
      },
    },
  ]),
  workloads: plain(false, [
    { spec: { podGroups: [{ name: "workers", policy: { gang: { minCount: 2 } } }, { name: "other", policy: { basic: {} } }] } },
    {
      spec: {
        controllerRef: { apiGroup: "batch", kind: "Job", name: "away" },
        podGroups: [{ name: "workers", policy: { gang: { minCount: 1 } } }],
      },
    },
  ]),
  controllerrevisions: plain(false, [{ revision: 1, data: { spec: { template: {} } } }]),
  ipaddresses: {
    token: "203.0.113.${nth}",
    other: "198.51.100.${nth}",
    isDry: false,
    objects: [{
      metadata: { name: "203.0.113.${nth}" },
      spec: { parentRef: { resource: "services", namespace: "${ns}", name: "away" } },
    }],
  },
  clusterrolebindings: plain(false, [{
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "away" },
    subjects: [{ kind: "User", name: "nobody" }, { kind: "ServiceAccount", name: "away", namespace: "${ns}" }],
  }]),
  rolebindings: plain(false, [{
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "away" },
    subjects: [{ kind: "Group", name: "nobodies" }],
  }]),
  mutatingwebhookconfigurations: plain(true, [webhooks({ reinvocationPolicy: "IfNeeded" })]),
  validatingwebhookconfigurations: plain(true, [webhooks({})]),
  validatingadmissionpolicies: plain(true, [{
    spec: {
      failurePolicy: "Ignore",
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConstraints: { resourceRules: [ofAwayKind] },
      matchConditions: [{ name: "named", expression: "has(object.metadata.name)" }],
      variables: [{ name: "size", expression: "size(object.metadata.name)" }],
      validations: [{ expression: "variables.size < 50", messageExpression: "'too long'", reason: "Invalid" }],
      auditAnnotations: [{ key: "size", valueExpression: "string(variables.size)" }],
    },
  }]),
  validatingadmissionpolicybindings: plain(true, [{
    spec: {
      policyName: "away",
      validationActions: ["Warn", "Audit"],
      paramRef: { name: "away", namespace: "${ns}", parameterNotFoundAction: "Allow" },
      matchResources: { resourceRules: [ofAwayKind] },
    },
  }]),
  customresourcedefinitions: {
    token: "things${nth}",
    other: "others${nth}",
    isDry: true,
    objects: [{
      metadata: { name: "things${nth}.compare.example.com" },
      spec: {
        group: "compare.example.com",
        scope: "Namespaced",
        names: { plural: "things${nth}", singular: "thing${nth}", kind: "Thing${nth}", shortNames: ["th${nth}"] },
        versions: [{
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
          additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.replicas" }],
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    replicas: { type: "integer", minimum: 0, default: 1 },
                    words: { type: "array", items: { type: "string" } },
                  },
                  "x-kubernetes-validations": [{ rule: "self.replicas < 10", message: "too many" }],
                },
                status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              },
            },
          },
        }],
      },
    }],
  },
  flowschemas: plain(true, [{
    spec: {
      matchingPrecedence: 9000,
      priorityLevelConfiguration: { name: "global-default" },
      distinguisherMethod: { type: "ByUser" },
      rules: [{
        subjects: [{ kind: "User", user: { name: "nobody" } }],
        resourceRules: [{ verbs: ["get"], apiGroups: ["away.example.com"], resources: ["things"], clusterScope: true }],
        nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/away"] }],
      }],
    },
  }]),
  prioritylevelconfigurations: plain(true, [
    {
      spec: {
        type: "Limited",
        limited: {
          nominalConcurrencyShares: 1,
          limitResponse: { type: "Queue", queuing: { queues: 8, handSize: 4, queueLengthLimit: 5 } },
        },
      },
    },
    { spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 10 } } },
  ]),
};

/** Objects whose name nothing else has. */
function plain(isDry: boolean, objects: readonly JsonObject[]): OwnBases {
  return { token: name, other: another, isDry, objects: objects.map((object) => ({ ...object, metadata: { name } })) };
}

/** A configuration with one webhook, which concerns a kind that is not there. */
function webhooks(more: JsonObject): JsonObject {
  return {
    webhooks: [{
      name: "away.example.com",
      clientConfig: { url: "https://away.example.com/check" },
      rules: [ofAwayKind],
      failurePolicy: "Ignore",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      matchConditions: [{ name: "named", expression: "has(object.metadata.name)" }],
      ...more,
    }],
  };
}
