/** Kinds of kube-apiserver that no built-in plugin serves. The 404 for a request for one contains the name of the kind. */
import { clauseNames, type Media } from "../../core/codec/negotiate.ts";
import { parseAccept } from "../../core/codec/accept.ts";
import { spell } from "../../core/names.ts";
import { once } from "../../core/async.ts";
import { StatusError } from "../../core/status-error.ts";
import type { Catalog } from "../catalog/catalog.ts";
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

/**
 * The 404 for a request for a kind that this server leaves out; undefined for a resource that kube-apiserver does not have either, and for
 * another version of a resource that is served.
 */
export function unservedKindError({ group, resource }: RequestInfo, catalog: Catalog): StatusError | undefined {
  const [, known] = [...byGroup()].find(([written]) => spell(catalog.names, written) === group) ?? [];
  const kind = known?.get(resource);
  if (kind === undefined || isServed(catalog, group, resource)) return undefined;
  const full = group === "" ? resource : `${resource}.${group}`;
  return new StatusError("NotFound", `this server does not serve ${kind} (${full}): it leaves that kind of kube-apiserver out`, {
    details: { ...(group === "" ? {} : { group }), kind: resource },
  });
}

/** Whether a group has this resource, in any version. */
function isServed(catalog: Catalog, group: string, resource: string): boolean {
  return catalog.group(group)?.versions.some(({ endpoints }) => endpoints.some(({ plural }) => plural === resource)) ?? false;
}

/** Whether a client can read a Status: it accepts one of the server's encodings, with any parameters. Without an Accept header it does. */
export function acceptsStatus(accept: string, { types }: Media): boolean {
  return accept === "" || parseAccept(accept).some((clause) => types.some((type) => clauseNames(clause, type)));
}
