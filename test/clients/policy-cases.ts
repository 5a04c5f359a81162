/** Objects that the policies of docs/policies/ accept and reject. Each is created in a dry run unless its case says otherwise. */

/** A command of kubectl with its input. `{...}` is an object for `create --dry-run=server -f -`. */
export interface Attempt {
  /** Words after `kubectl`. Default: `create --dry-run=server -f -`. */
  readonly words?: string;
  readonly input?: object;
}
export interface PolicyCase {
  /** Objects that must exist. */
  readonly prepare?: readonly object[];
  /** Commands that must succeed, in order. */
  readonly accepts: readonly Attempt[];
  /** Commands that must fail, with the message of the policy. */
  readonly rejects: readonly (Attempt & { readonly message: string })[];
  /** Commands that must succeed with a warning. */
  readonly warns?: readonly (Attempt & { readonly message: string })[];
}

const meta = (name: string, more: object = {}) => ({ name, ...more });
const configMap = (name: string, metadata: object = {}, data: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: meta(name, metadata),
  data,
});
const namespace = (name: string, labels: object = {}) => ({ apiVersion: "v1", kind: "Namespace", metadata: meta(name, { labels }) });
const template = (container: object, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "PodTemplate",
  metadata: meta("shop", { namespace: "default" }),
  template: { spec: { containers: [{ name: "shop", image: "registry.example.com/shop:1.2", ...container }], ...spec } },
});
const claim = (space: string, storage: string, storageClassName = "fast") => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: meta("data", { namespace: space }),
  spec: { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage } } },
});
const rbac = "rbac.authorization.k8s.io";
const role = (verbs: readonly string[], resources: readonly string[]) => ({
  apiVersion: `${rbac}/v1`,
  kind: "Role",
  metadata: meta("reader", { namespace: "default" }),
  rules: [{ apiGroups: [""], resources, verbs }],
});
const definition = (group: string, categories: readonly string[]) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: meta(`shops.${group}`),
  spec: {
    group,
    names: { plural: "shops", singular: "shop", kind: "Shop", listKind: "ShopList", categories },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

const appointers = [
  {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    metadata: meta("appointers"),
    rules: [
      { apiGroups: [rbac], resources: ["clusterrolebindings"], verbs: ["create", "get"] },
      { apiGroups: [rbac], resources: ["clusterroles"], verbs: ["bind"] },
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: meta("appointers"),
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "appointers" },
    subjects: [{ apiGroup: rbac, kind: "User", name: "alice" }],
  },
];

/** By the name of the policy and of its file. */
export const policyCases: Readonly<Record<string, PolicyCase>> = {
  "required-labels": {
    prepare: [namespace("shop", { team: "shop" })],
    accepts: [
      { input: configMap("a", { namespace: "shop", labels: { app: "shop", owner: "ann" } }) },
      { input: configMap("a", { namespace: "default" }) },
    ],
    rejects: [{ input: configMap("a", { namespace: "shop", labels: { owner: "ann" } }), message: "labels are missing: app" }],
  },
  "allowed-registries": {
    prepare: [configMap("registries", { namespace: "default" }, { registries: "registry.example.com, mirror.example.com/public" })],
    accepts: [{ input: template({}) }, { input: template({ image: "mirror.example.com/public/redis:7" }) }],
    rejects: [
      { input: template({ image: "redis:7" }), message: "images from other registries: redis:7" },
      {
        input: template({}, { initContainers: [{ name: "init", image: "registry.example.com.evil.org/x:1" }] }),
        message: "images from other registries: registry.example.com.evil.org/x:1",
      },
    ],
  },
  "fixed-image-versions": {
    accepts: [{ input: template({}) }, { input: template({ image: `registry.example.com:5000/shop@sha256:${"ab".repeat(32)}` }) }],
    rejects: [
      { input: template({ image: "registry.example.com:5000/shop" }), message: "every image needs a tag or a digest" },
      { input: template({ image: "registry.example.com/shop:latest" }), message: "the tag latest is not allowed" },
    ],
  },
  "no-privileges": {
    accepts: [{ input: template({ securityContext: { privileged: false } }) }],
    rejects: [
      { input: template({ securityContext: { privileged: true } }), message: "privileged containers are not allowed" },
      { input: template({}, { hostNetwork: true }), message: "the namespaces of the host are not allowed" },
    ],
  },
  "memory-limits": {
    accepts: [{ input: template({ resources: { limits: { memory: "2048Mi" } } }) }],
    rejects: [
      { input: template({ resources: { limits: { cpu: "1" } } }), message: "every container needs a limit of memory" },
      { input: template({ resources: { limits: { memory: "3G" } } }), message: "a container may have at most 2Gi of memory" },
    ],
  },
  "no-wildcard-rights": {
    accepts: [{ input: role(["get", "list"], ["configmaps"]) }],
    rejects: [
      { input: role(["*"], ["configmaps"]), message: "a rule may not have all verbs" },
      { input: role(["get"], ["*"]), message: "a rule may not have all resources" },
    ],
  },
  "cluster-admin": {
    prepare: appointers,
    accepts: [
      { words: "create clusterrolebinding some --clusterrole=cluster-admin --user=bob --dry-run=server" },
      { words: "create clusterrolebinding some --clusterrole=view --user=bob --dry-run=server --as=alice" },
    ],
    rejects: [{
      words: "create clusterrolebinding some --clusterrole=cluster-admin --user=bob --dry-run=server --as=alice",
      message: "alice may not appoint cluster administrators",
    }],
  },
  "storage-classes": {
    prepare: [
      namespace("narrow"),
      configMap("classes", { namespace: "narrow", labels: { policy: "storage-classes" } }, { fast: "", slow: "" }),
    ],
    accepts: [{ input: claim("narrow", "1Gi", "slow") }, { input: claim("default", "1Gi", "any") }],
    rejects: [{ input: claim("narrow", "1Gi", "any"), message: "the storage class must be one of: fast, slow" }],
  },
  "claim-sizes": {
    prepare: [namespace("small", { "claim-size-max": "10Gi" })],
    accepts: [{ input: claim("small", "10Gi") }, { input: claim("default", "1Ti") }],
    rejects: [{ input: claim("small", "10241Mi"), message: "a claim in the namespace small may have at most 10Gi" }],
  },
  "kept-owner": {
    prepare: [configMap("owned", { namespace: "default", labels: { owner: "ann" } }), configMap("free", { namespace: "default" })],
    accepts: [
      { words: "label configmap owned app=shop -n default" },
      { words: "label configmap free owner=bob -n default" },
    ],
    rejects: [
      { words: "label configmap owned owner=bob --overwrite -n default", message: "the owner of owned stays ann" },
      { words: "label configmap owned owner- -n default", message: "the owner of owned stays ann" },
    ],
  },
  "protected-namespaces": {
    prepare: [namespace("precious", { protected: "true" }), namespace("cheap")],
    accepts: [{ words: "delete namespace cheap --dry-run=server" }],
    rejects: [{ words: "delete namespace precious --dry-run=server", message: "remove the label protected of precious first" }],
  },
  "definition-groups": {
    accepts: [{ input: definition("sales.example.com", ["all"]) }],
    rejects: [
      { input: definition("sales.example.org", ["all"]), message: "the group sales.example.org is not below example.com" },
      { input: definition("sales.example.com", []), message: "the definition has no category" },
    ],
  },
  "plain-tokens": {
    prepare: [{ apiVersion: "v1", kind: "ServiceAccount", metadata: meta("robot", { namespace: "default" }) }],
    accepts: [{ words: "create secret generic shop --from-literal=a=b -n default --dry-run=server" }],
    rejects: [],
    warns: [{
      input: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: meta("robot", { namespace: "default", annotations: { "kubernetes.io/service-account.name": "robot" } }),
        type: "kubernetes.io/service-account-token",
      },
      message: "tokens in Secrets do not expire; use kubectl create token",
    }],
  },
};
