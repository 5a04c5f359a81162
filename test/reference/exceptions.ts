/** Intended differences between the served API and the reference, with reasons. An unused entry fails the test. */
import type { Exceptions } from "./facts.ts";

/** Our names of schemas that have another name in the reference. */
export const sameAs: Readonly<Record<string, string>> = Object.freeze({
  "io.k8s.api.storage.v1beta1.VolumeAttributesClass": "io.k8s.api.storage.v1.VolumeAttributesClass",
  "io.k8s.api.storage.v1beta1.VolumeAttributesClassList": "io.k8s.api.storage.v1.VolumeAttributesClassList",
  "storage.k8s.io/v1beta1/VolumeAttributesClass": "storage.k8s.io/v1/VolumeAttributesClass",
});

const service = "`kubectl cluster-info` requests services, which are not in the reference; none are served";
const pod = "`kubectl describe pvc` requests pods, which are not in the reference; none are served";
const quotas = "the reference has no facts about quotas; recordings and golden files have";
const listOfAlpha = "an accident of v1alpha1: its items have no field `type` to be merged by, and lists are never applied";
const later = "aggregation is not served yet";
const alphaItems = "io.k8s.api.storagemigration.v1alpha1.StorageVersionMigrationList.properties.items";

const schemas: Exceptions = {
  "io.k8s.api.core.v1.Pod": pod,
  "io.k8s.api.core.v1.PodList": pod,
  "io.k8s.api.core.v1.Service": service,
  "io.k8s.api.core.v1.ServiceList": service,
  "io.k8s.api.core.v1.ServiceSpec": service,
  "io.k8s.api.core.v1.ServicePort": service,
  "io.k8s.api.core.v1.SessionAffinityConfig": service,
  "io.k8s.api.core.v1.ClientIPConfig": service,
  "io.k8s.api.core.v1.LimitRange": quotas,
  "io.k8s.api.core.v1.LimitRangeItem": quotas,
  "io.k8s.api.core.v1.LimitRangeList": quotas,
  "io.k8s.api.core.v1.LimitRangeSpec": quotas,
  "io.k8s.api.core.v1.ResourceQuota": quotas,
  "io.k8s.api.core.v1.ResourceQuotaList": quotas,
  "io.k8s.api.core.v1.ResourceQuotaSpec": quotas,
  "io.k8s.api.core.v1.ResourceQuotaStatus": quotas,
  "io.k8s.api.core.v1.ScopeSelector": quotas,
  "io.k8s.api.core.v1.ScopedResourceSelectorRequirement": quotas,
  "io.k8s.apimachinery.pkg.apis.meta.v1.Patch": "an object of any kind, in upstream's documents as in ours; the reference leaves it out",
  [`${alphaItems}.x-kubernetes-list-type`]: listOfAlpha,
  [`${alphaItems}.x-kubernetes-list-map-keys`]: listOfAlpha,
  [`${alphaItems}.x-kubernetes-patch-strategy`]: listOfAlpha,
  [`${alphaItems}.x-kubernetes-patch-merge-key`]: listOfAlpha,
};

/** By group version, then resource name: in resource lists, in aggregated discovery, and in operations. */
const discovery: Exceptions = {
  "v1.pods": pod,
  "v1.services": service,
  "v1.limitranges": quotas,
  "v1.resourcequotas": quotas,
  "v1.resourcequotas/status": quotas,
  "apiregistration.k8s.io/v1": later,
};

/** By group version, then the kind. */
const columns: Exceptions = {
  "storage.k8s.io/v1/CSIStorageCapacity": "recorded answers have the two columns of kinds without any, and recordings go first",
  "v1/PodTemplate": "the reference has no facts about it",
  "v1/Pod": pod,
  "v1/Service": service,
  "v1/LimitRange": quotas,
  "v1/ResourceQuota": quotas,
};

export const exceptions = Object.freeze({ schemas, discovery, columns });
