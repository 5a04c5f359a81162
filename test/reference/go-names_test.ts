// In Deno's suite only: it compares data of the sources with recorded facts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, type RecordNode, resolve, type StringNode, type StructNode } from "../../core/schema.ts";
import { plugins } from "../../plugins/mod.ts";

/** Text and record types with their own name upstream, and the fields of these types. Decoding errors contain the name. */
const named: Readonly<Record<string, readonly string[]>> = {
  "map[v1.ResourceName]v1.ClaimResourceStatus": ["PersistentVolumeClaimStatus.allocatedResourceStatuses"],
  "types.UID": ["ObjectMeta.uid", "ObjectReference.uid", "OwnerReference.uid", "Preconditions.uid"],
  "v1.AppArmorProfileType": ["AppArmorProfile.type"],
  "v1.AzureDataDiskCachingMode": ["AzureDiskVolumeSource.cachingMode"],
  "v1.AzureDataDiskKind": ["AzureDiskVolumeSource.kind"],
  "v1.Capability": ["Capabilities.add", "Capabilities.drop"],
  "v1.ConditionStatus": ["Condition.status", "NamespaceCondition.status", "PersistentVolumeClaimCondition.status"],
  "v1.ContainerRestartPolicy": ["Container.restartPolicy", "EphemeralContainerCommon.restartPolicy"],
  "v1.ContainerRestartRuleAction": ["ContainerRestartRule.action"],
  "v1.ContainerRestartRuleOnExitCodesOperator": ["ContainerRestartRuleOnExitCodes.operator"],
  "v1.CoordinatedLeaseStrategy": ["LeaseSpec.strategy"],
  "v1.DNSPolicy": ["PodSpec.dnsPolicy"],
  "v1.DeletionPropagation": ["DeleteOptions.propagationPolicy"],
  "v1.FSGroupPolicy": ["CSIDriverSpec.fsGroupPolicy"],
  "v1.FinalizerName": ["NamespaceSpec.finalizers"],
  "v1.HostPathType": ["HostPathVolumeSource.type"],
  "v1.LabelSelectorOperator": ["LabelSelectorRequirement.operator"],
  "v1.ManagedFieldsOperationType": ["ManagedFieldsEntry.operation"],
  "v1.MountPropagationMode": ["VolumeMount.mountPropagation"],
  "v1.NamespaceConditionType": ["NamespaceCondition.type"],
  "v1.NamespacePhase": ["NamespaceStatus.phase"],
  "v1.NodeInclusionPolicy": ["TopologySpreadConstraint.nodeAffinityPolicy", "TopologySpreadConstraint.nodeTaintsPolicy"],
  "v1.NodeSelectorOperator": ["NodeSelectorRequirement.operator"],
  "v1.OSName": ["PodOS.name"],
  "v1.PersistentVolumeAccessMode": [
    "PersistentVolumeClaimSpec.accessModes",
    "PersistentVolumeClaimStatus.accessModes",
    "PersistentVolumeSpec.accessModes",
  ],
  "v1.PersistentVolumeClaimConditionType": ["PersistentVolumeClaimCondition.type"],
  "v1.PersistentVolumeClaimModifyVolumeStatus": ["ModifyVolumeStatus.status"],
  "v1.PersistentVolumeClaimPhase": ["PersistentVolumeClaimStatus.phase"],
  "v1.PersistentVolumeMode": ["PersistentVolumeClaimSpec.volumeMode", "PersistentVolumeSpec.volumeMode"],
  "v1.PersistentVolumePhase": ["PersistentVolumeStatus.phase"],
  "v1.PersistentVolumeReclaimPolicy": ["PersistentVolumeSpec.persistentVolumeReclaimPolicy", "StorageClass.reclaimPolicy"],
  "v1.PodConditionType": ["PodReadinessGate.conditionType"],
  "v1.PodFSGroupChangePolicy": ["PodSecurityContext.fsGroupChangePolicy"],
  "v1.PodSELinuxChangePolicy": ["PodSecurityContext.seLinuxChangePolicy"],
  "v1.PreemptionPolicy": ["PodSpec.preemptionPolicy"],
  "v1.ProcMountType": ["SecurityContext.procMount"],
  "v1.Protocol": ["ContainerPort.protocol"],
  "v1.PullPolicy": ["Container.imagePullPolicy", "EphemeralContainerCommon.imagePullPolicy", "ImageVolumeSource.pullPolicy"],
  "v1.RecursiveReadOnlyMode": ["VolumeMount.recursiveReadOnly"],
  "v1.ResourceList": [
    "PersistentVolumeClaimStatus.allocatedResources",
    "PersistentVolumeClaimStatus.capacity",
    "PersistentVolumeSpec.capacity",
    "PodSpec.overhead",
    "ResourceRequirements.limits",
    "ResourceRequirements.requests",
    "VolumeResourceRequirements.limits",
    "VolumeResourceRequirements.requests",
  ],
  "v1.ResourceName": ["ContainerResizePolicy.resourceName"],
  "v1.ResourceResizeRestartPolicy": ["ContainerResizePolicy.restartPolicy"],
  "v1.RestartPolicy": ["PodSpec.restartPolicy"],
  "v1.SeccompProfileType": ["SeccompProfile.type"],
  "v1.SecretType": ["Secret.type"],
  "v1.Signal": ["Lifecycle.stopSignal"],
  "v1.StorageMedium": ["EmptyDirVolumeSource.medium"],
  "v1.SupplementalGroupsPolicy": ["PodSecurityContext.supplementalGroupsPolicy"],
  "v1.TaintEffect": ["Toleration.effect"],
  "v1.TerminationMessagePolicy": ["Container.terminationMessagePolicy", "EphemeralContainerCommon.terminationMessagePolicy"],
  "v1.TolerationOperator": ["Toleration.operator"],
  "v1.URIScheme": ["HTTPGetAction.scheme"],
  "v1.UnsatisfiableConstraintAction": ["TopologySpreadConstraint.whenUnsatisfiable"],
  "v1.VolumeBindingMode": ["StorageClass.volumeBindingMode"],
  "v1.VolumeLifecycleMode": ["CSIDriverSpec.volumeLifecycleModes"],
};

/** Every struct of a stored kind, by name. */
function structs(): ReadonlyMap<string, StructNode> {
  const found = new Map<string, StructNode>(), seen = new Set<Node>();
  const waiting: Node[] = plugins.flatMap(({ resources = [] }) =>
    resources.flatMap(({ served }) => Object.values(served).map(({ schema }) => schema))
  );
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const node = resolve(at);
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.tag === "list" || node.tag === "record") waiting.push(node.of);
    if (node.tag !== "struct") continue;
    found.set(node.name, node);
    for (const field of Object.values(node.fields)) waiting.push(field.node);
  }
  return found;
}

/** The text or record of a field, or of its list's items. */
function valueOf(node: Node): StringNode | RecordNode | undefined {
  const at = resolve(node);
  if (at.tag === "list") return valueOf(at.of);
  return at.tag === "string" || at.tag === "record" ? at : undefined;
}

test("text and record types with their own name upstream have that name", () => {
  const all = structs(), wrong: string[] = [];
  let looked = 0;
  for (const [name, fields] of Object.entries(named)) {
    for (const path of fields) {
      const [struct = "", key = ""] = path.split(".");
      const field = all.get(struct)?.fields[key];
      if (field === undefined) continue;
      looked++;
      if (valueOf(field.node)?.goName !== name) wrong.push(`${path} is no ${name}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(looked > 60, `only ${looked} of the fields are there`);
});
