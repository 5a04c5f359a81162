/** Kinds of kube-apiserver that no built-in plugin serves. The 404 for a write of one contains the name of the kind. */
import { type Names, spell } from "../../core/names.ts";
import { once } from "../../core/async.ts";
import { StatusError } from "../../core/status-error.ts";
import type { RequestInfo } from "./request-info.ts";

/** `plural:Kind` of kube-apiserver 1.35 by group. A plugin may serve any of them: only paths without an endpoint are looked up. */
const kinds: readonly (readonly [group: string, resources: string])[] = Object.freeze([
  [
    "",
    "bindings:Binding componentstatuses:ComponentStatus endpoints:Endpoints limitranges:LimitRange nodes:Node replicationcontrollers:ReplicationController resourcequotas:ResourceQuota",
  ],
  ["apiregistration.{domain}", "apiservices:APIService"],
  [
    "apps",
    "controllerrevisions:ControllerRevision daemonsets:DaemonSet deployments:Deployment replicasets:ReplicaSet statefulsets:StatefulSet",
  ],
  ["authentication.{domain}", "tokenreviews:TokenReview"],
  ["autoscaling", "horizontalpodautoscalers:HorizontalPodAutoscaler"],
  ["batch", "cronjobs:CronJob jobs:Job"],
  [
    "certificates.{domain}",
    "certificatesigningrequests:CertificateSigningRequest clustertrustbundles:ClusterTrustBundle podcertificaterequests:PodCertificateRequest",
  ],
  [
    "networking.{domain}",
    "ingressclasses:IngressClass ingresses:Ingress ipaddresses:IPAddress networkpolicies:NetworkPolicy servicecidrs:ServiceCIDR",
  ],
  ["policy", "poddisruptionbudgets:PodDisruptionBudget"],
  ["rbac.authorization.{domain}", "clusterrolebindings:ClusterRoleBinding clusterroles:ClusterRole rolebindings:RoleBinding roles:Role"],
  [
    "admissionregistration.{domain}",
    "mutatingadmissionpolicies:MutatingAdmissionPolicy mutatingadmissionpolicybindings:MutatingAdmissionPolicyBinding mutatingwebhookconfigurations:MutatingWebhookConfiguration validatingadmissionpolicies:ValidatingAdmissionPolicy validatingadmissionpolicybindings:ValidatingAdmissionPolicyBinding validatingwebhookconfigurations:ValidatingWebhookConfiguration",
  ],
  ["scheduling.{domain}", "podgroups:PodGroup priorityclasses:PriorityClass workloads:Workload"],
  ["node.{domain}", "runtimeclasses:RuntimeClass"],
  ["discovery.{domain}", "endpointslices:EndpointSlice"],
  [
    "resource.{domain}",
    "deviceclasses:DeviceClass devicetaintrules:DeviceTaintRule resourceclaims:ResourceClaim resourceclaimtemplates:ResourceClaimTemplate resourcepoolstatusrequests:ResourcePoolStatusRequest resourceslices:ResourceSlice",
  ],
  ["flowcontrol.apiserver.{domain}", "flowschemas:FlowSchema prioritylevelconfigurations:PriorityLevelConfiguration"],
  ["internal.apiserver.{domain}", "storageversions:StorageVersion"],
]);

const byGroup = once(() =>
  new Map(kinds.map(([group, resources]) => [
    group,
    new Map(
      resources.split(" ").map((each): readonly [string, string] => {
        const [plural = "", kind = ""] = each.split(":");
        return [plural, kind];
      }),
    ),
  ]))
);

const writes = new Set(["POST", "PUT", "PATCH"]);

/** The 404 for a write of an unserved kind; undefined for other methods, and for resources that kube-apiserver does not have either. */
export function unservedKindError({ group, resource }: RequestInfo, method: string, names: Names): StatusError | undefined {
  if (!writes.has(method)) return undefined;
  const [, known] = [...byGroup()].find(([written]) => spell(names, written) === group) ?? [];
  const kind = known?.get(resource);
  if (kind === undefined) return undefined;
  const full = group === "" ? resource : `${resource}.${group}`;
  return new StatusError("NotFound", `this server does not serve ${kind} (${full}): it leaves that kind of kube-apiserver out`, {
    details: { ...(group === "" ? {} : { group }), kind: resource },
  });
}
