/** The roles of programs beside the server: a scheduler, kubelets, proxies, a controller manager, approvers of certificates. */
import { all, core, type DefaultBinding, type DefaultRole, events, namedRule, read, readWrite, rule } from "./policy-rules.ts";
import type { PolicyRule } from "./schema.ts";

/** A role in one namespace, and its binding. */
export interface NamespacedRole {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** The name of the binding. Default: that of the role. */
  readonly binding?: string;
  readonly users?: readonly string[];
  /** Names of service accounts in the namespace kube-system. */
  readonly accounts?: readonly string[];
}

const manager = "system:kube-controller-manager", scheduler = "system:kube-scheduler";

export const componentRoles: readonly DefaultRole[] = [
  {
    name: "system:certificates.{domain}:certificatesigningrequests:nodeclient",
    rules: [
      rule(["create"], "certificates.{domain}", "certificatesigningrequests/nodeclient"),
    ],
  },
  {
    name: "system:certificates.{domain}:certificatesigningrequests:selfnodeclient",
    rules: [
      rule(["create"], "certificates.{domain}", "certificatesigningrequests/selfnodeclient"),
    ],
  },
  {
    name: "system:certificates.{domain}:kube-apiserver-client-approver",
    rules: [
      namedRule(["approve"], "certificates.{domain}", "signers", "{platform}.io/kube-apiserver-client"),
    ],
  },
  {
    name: "system:certificates.{domain}:kube-apiserver-client-kubelet-approver",
    rules: [
      namedRule(["approve"], "certificates.{domain}", "signers", "{platform}.io/kube-apiserver-client-kubelet"),
    ],
  },
  {
    name: "system:certificates.{domain}:kubelet-serving-approver",
    rules: [
      namedRule(["approve"], "certificates.{domain}", "signers", "{platform}.io/kubelet-serving"),
    ],
  },
  {
    name: "system:certificates.{domain}:legacy-unknown-approver",
    rules: [
      namedRule(["approve"], "certificates.{domain}", "signers", "{platform}.io/legacy-unknown"),
    ],
  },
  {
    name: "system:heapster",
    rules: [
      rule(read, core, "events", "namespaces", "nodes", "pods"),
      rule(read, "extensions", "deployments"),
    ],
  },
  {
    name: "system:kube-aggregator",
    rules: [
      rule(read, core, "endpoints", "services"),
    ],
  },
  {
    name: "system:kube-dns",
    rules: [
      rule(["list", "watch"], core, "endpoints", "services"),
    ],
  },
  {
    name: "system:kube-scheduler",
    rules: [
      events,
      rule(["create"], "coordination.{domain}", "leases"),
      namedRule([...read, "update"], "coordination.{domain}", "leases", "kube-scheduler"),
      rule(readWrite, "coordination.{domain}", "leasecandidates"),
      rule(read, core, "nodes"),
      rule([...read, "delete"], core, "pods"),
      rule(["create"], core, "bindings", "pods/binding"),
      rule(["patch", "update"], core, "pods/status"),
      rule(read, core, "replicationcontrollers", "services"),
      rule(read, ["apps", "extensions"], "replicasets"),
      rule(read, "apps", "statefulsets"),
      rule(read, "policy", "poddisruptionbudgets"),
      rule(read, core, "persistentvolumeclaims", "persistentvolumes"),
      rule(["create"], "authentication.{domain}", "tokenreviews"),
      rule(["create"], "authorization.{domain}", "subjectaccessreviews"),
      rule(read, "storage.{domain}", "csinodes"),
      rule(read, "storage.{domain}", "volumeattachments"),
      rule(read, core, "namespaces"),
      rule(read, "storage.{domain}", "csidrivers"),
      rule(read, "storage.{domain}", "csistoragecapacities"),
      rule(read, "resource.{domain}", "deviceclasses"),
      rule([...read, "patch", "update"], "resource.{domain}", "resourceclaims"),
      rule([...read, "patch", "update"], "resource.{domain}", "resourceclaims/status"),
      rule(["update"], core, "pods/finalizers"),
      rule(read, "resource.{domain}", "resourceslices"),
    ],
  },
  {
    name: "system:kubelet-api-admin",
    rules: [
      rule(read, core, "nodes"),
      rule(["proxy"], core, "nodes"),
      rule(all, core, "nodes/log", "nodes/metrics", "nodes/proxy", "nodes/stats"),
      rule(all, core, "nodes/configz", "nodes/healthz", "nodes/pods"),
    ],
  },
  {
    name: "system:node",
    rules: [
      rule(["create"], "authentication.{domain}", "tokenreviews"),
      rule(["create"], "authorization.{domain}", "localsubjectaccessreviews", "subjectaccessreviews"),
      rule(read, core, "services"),
      rule([...read, "create"], core, "nodes"),
      rule(["patch", "update"], core, "nodes/status"),
      rule(["patch", "update"], core, "nodes"),
      events,
      rule(read, core, "pods"),
      rule(["create", "delete"], core, "pods"),
      rule(["patch", "update"], core, "pods/status"),
      rule(["create"], core, "pods/eviction"),
      rule(read, core, "configmaps", "secrets"),
      rule(["get"], core, "persistentvolumeclaims", "persistentvolumes"),
      rule(["get"], core, "endpoints"),
      rule([...read, "create"], "certificates.{domain}", "certificatesigningrequests"),
      rule(["create", "delete", "get", "patch", "update"], "coordination.{domain}", "leases"),
      rule(["get"], "storage.{domain}", "volumeattachments"),
      rule(["create"], core, "serviceaccounts/token"),
      rule(["get", "patch", "update"], core, "persistentvolumeclaims/status"),
      rule(read, "storage.{domain}", "csidrivers"),
      rule(["create", "delete", "get", "patch", "update"], "storage.{domain}", "csinodes"),
      rule(read, "node.{domain}", "runtimeclasses"),
      rule(["get"], "resource.{domain}", "resourceclaims"),
      rule(["deletecollection"], "resource.{domain}", "resourceslices"),
      rule(["get"], core, "serviceaccounts"),
    ],
  },
  {
    name: "system:node-bootstrapper",
    rules: [
      rule([...read, "create"], "certificates.{domain}", "certificatesigningrequests"),
    ],
  },
  {
    name: "system:node-problem-detector",
    rules: [
      rule(["get"], core, "nodes"),
      rule(["patch"], core, "nodes/status"),
      events,
    ],
  },
  {
    name: "system:node-proxier",
    rules: [
      rule(["list", "watch"], core, "endpoints", "services"),
      rule(read, core, "nodes"),
      events,
      rule(["list", "watch"], "networking.{domain}", "servicecidrs"),
      rule(["list", "watch"], "discovery.{domain}", "endpointslices"),
    ],
  },
  {
    name: "system:volume-scheduler",
    rules: [
      rule([...read, "patch", "update"], core, "persistentvolumes"),
      rule(read, "storage.{domain}", "storageclasses"),
      rule([...read, "patch", "update"], core, "persistentvolumeclaims"),
    ],
  },
];

export const componentBindings: readonly DefaultBinding[] = [
  { name: "system:kube-dns", role: "system:kube-dns", accounts: ["kube-dns"] },
  { name: scheduler, role: scheduler, users: [scheduler] },
  // Kubelets get their rights from the authorizer Node.
  { name: "system:node", role: "system:node" },
  { name: "system:node-proxier", role: "system:node-proxier", users: ["system:kube-proxy"] },
  { name: "system:volume-scheduler", role: "system:volume-scheduler", users: [scheduler] },
];

const lock = [
  rule([...read, "create", "update"], "coordination.{domain}", "leases"),
  rule([...read, "create", "update"], "coordination.{domain}", "leasecandidates"),
];

export const namespacedRoles: readonly NamespacedRole[] = [
  {
    namespace: "kube-public",
    name: "system:controller:bootstrap-signer",
    rules: [rule(read, core, "configmaps"), namedRule(["update"], core, "configmaps", "cluster-info"), events],
    accounts: ["bootstrap-signer"],
  },
  {
    namespace: "kube-system",
    name: "extension-apiserver-authentication-reader",
    binding: "system::extension-apiserver-authentication-reader",
    rules: [namedRule(read, core, "configmaps", "extension-apiserver-authentication")],
    users: [manager, scheduler],
  },
  {
    namespace: "kube-system",
    name: "system::leader-locking-kube-controller-manager",
    rules: lock,
    users: [manager],
    accounts: ["kube-controller-manager", "leader-election-controller"],
  },
  {
    namespace: "kube-system",
    name: "system::leader-locking-kube-scheduler",
    rules: lock,
    users: [scheduler],
    accounts: ["kube-scheduler"],
  },
  {
    namespace: "kube-system",
    name: "system:controller:bootstrap-signer",
    rules: [rule(read, core, "secrets")],
    accounts: ["bootstrap-signer"],
  },
  {
    namespace: "kube-system",
    name: "system:controller:cloud-provider",
    rules: [rule([...read, "create"], core, "configmaps")],
    accounts: ["cloud-provider"],
  },
  {
    namespace: "kube-system",
    name: "system:controller:token-cleaner",
    rules: [rule([...read, "delete"], core, "secrets"), events],
    accounts: ["token-cleaner"],
  },
];
