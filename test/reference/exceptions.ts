/** Intended differences between the served API and the reference, with reasons. An unused entry fails the test. */
import type { Exceptions } from "./facts.ts";

/** Our names of schemas that have another name in the reference. */
export const sameAs: Readonly<Record<string, string>> = Object.freeze({
  "io.k8s.api.storage.v1beta1.VolumeAttributesClass": "io.k8s.api.storage.v1.VolumeAttributesClass",
  "io.k8s.api.storage.v1beta1.VolumeAttributesClassList": "io.k8s.api.storage.v1.VolumeAttributesClassList",
  "storage.k8s.io/v1beta1/VolumeAttributesClass": "storage.k8s.io/v1/VolumeAttributesClass",
});

/** Resources and subresources of kube-apiserver that are not served yet, by group version. */
export const notServed: Readonly<Record<string, readonly string[]>> = Object.freeze({});

const listOfAlpha = "an accident of v1alpha1: its items have no field `type` to be merged by, and lists are never applied";
const alphaItems = "io.k8s.api.storagemigration.v1alpha1.StorageVersionMigrationList.properties.items";

const newer = "a field of 1.36, which the server published that the facts are from; kube-apiserver 1.35 has no such field";
const newerTypes = ["VolumeStatus", "ImageVolumeStatus", "NodeAllocatableResourceClaimStatus"].map((
  name,
) => [`io.k8s.api.core.v1.${name}`, newer]);
const newerFields = [
  "VolumeMountStatus.properties.volumeStatus",
  "ResourceHealth.properties.message",
  "PodStatus.properties.nodeAllocatableResourceClaimStatuses",
]
  .map((path) => [`io.k8s.api.core.v1.${path}`, newer]);

const newerOfDevices = ["v1", "v1beta2", "v1beta1"].flatMap((version) =>
  [
    "NodeAllocatableResourceMapping",
    `${version === "v1beta1" ? "BasicDevice" : "Device"}.properties.nodeAllocatableResourceMappings`,
    ...["bools", "ints", "strings", "versions"].map((key) => `DeviceAttribute.properties.${key}`),
  ].map((path) => [`io.k8s.api.resource.${version}.${path}`, newer])
);

const schemas: Exceptions = {
  ...Object.fromEntries([...newerTypes, ...newerFields, ...newerOfDevices]),
  [`${alphaItems}.x-kubernetes-list-type`]: listOfAlpha,
  [`${alphaItems}.x-kubernetes-list-map-keys`]: listOfAlpha,
  [`${alphaItems}.x-kubernetes-patch-strategy`]: listOfAlpha,
  [`${alphaItems}.x-kubernetes-patch-merge-key`]: listOfAlpha,
};

/** By group version, then resource name: in resource lists, in aggregated discovery, and in operations. */
const discovery: Exceptions = {};

/** By group version, then the kind. */
const columns: Exceptions = {
  "storage.k8s.io/v1/CSIStorageCapacity": "recorded answers have the two columns of kinds without any, and recordings go first",
};

export const exceptions = Object.freeze({ schemas, discovery, columns });
