/** The schema of the status of a claim. */
import { boolean, Condition, field, type Infer, list, mapBy, oneOf, quantity, record, string, time } from "../../plugin.ts";
import { named, raw } from "../../toolbox.ts";
import { NodeSelector } from "../shared/volumes/node-selector.ts";
import type { DeviceParts, DeviceVersion } from "./parts-schema.ts";

export const configSources = ["FromClaim", "FromClass"] as const;

/** Makes the schema of what is allocated. */
function allocationOf({ struct, DeviceConfiguration, DeviceToleration }: DeviceParts, version: DeviceVersion) {
  const DeviceRequestAllocationResult = struct("DeviceRequestAllocationResult", {
    request: field(1, string, "The request that the device is allocated for; `request/alternative` for an alternative.", {
      required: true,
    }),
    driver: field(2, string, "The driver of the device.", { required: true }),
    pool: field(3, string, "The pool of the device.", { required: true }),
    device: field(4, string, "The name of the device in its pool.", { required: true }),
    adminAccess: field(5, boolean, "Whether the device is accessed for administration.", { pointer: true }),
    tolerations: field(6, list(DeviceToleration), "The tolerations of the request at the time of the allocation."),
    bindingConditions: field(7, list(string), "Conditions of the device that must be true before the pod is bound."),
    bindingFailureConditions: field(8, list(string), "Conditions of the device of which none may be true before the pod is bound."),
    shareID: field(9, named("types.UID", string), "The share of the device, if it is allocated several times.", { pointer: true }),
    consumedCapacity: field(
      10,
      named(`map[${version}.QualifiedName]resource.Quantity`, record(quantity)),
      "How much of each capacity of the device is consumed.",
    ),
  }, { doc: "A device that is allocated for a request." });

  const DeviceAllocationConfiguration = struct("DeviceAllocationConfiguration", {
    source: field(
      1,
      named(`${version}.AllocationConfigSource`, oneOf(...configSources)),
      "Where the configuration is from: the class or the claim.",
      { required: true },
    ),
    requests: field(2, list(string), "The requests that the configuration applies to. Empty: all requests."),
    DeviceConfiguration: field(3, DeviceConfiguration, "The configuration.", { inline: true }),
  }, { doc: "A configuration of allocated devices." });

  const DeviceAllocationResult = struct("DeviceAllocationResult", {
    results: field(1, list(DeviceRequestAllocationResult), "The allocated devices."),
    config: field(2, list(DeviceAllocationConfiguration), "The configurations of classes and claim, in the order in which they apply."),
  }, { doc: "The devices that are allocated, and their configurations." });

  return struct("AllocationResult", {
    devices: field(1, DeviceAllocationResult, "The allocated devices.", { written: "always" }),
    nodeSelector: field(3, NodeSelector, "The nodes on which the devices can be used. Absent: all nodes.", { pointer: true }),
    allocationTimestamp: field(5, time, "The time of the allocation.", { pointer: true }),
  }, { doc: "What is allocated for a claim." });
}

export function resourceClaimStatusOf(parts: DeviceParts, version: DeviceVersion) {
  const { struct } = parts;
  const ResourceClaimConsumerReference = struct("ResourceClaimConsumerReference", {
    apiGroup: field(1, string, "The API group of the resource; empty for the core group."),
    resource: field(3, string, "The resource of the consumer, such as pods.", { required: true }),
    name: field(4, string, "The name of the consumer.", { required: true }),
    uid: field(5, named("types.UID", string), "The uid of the consumer.", { required: true }),
  }, { doc: "An object that may use a claim of its namespace." });

  const NetworkDeviceData = struct("NetworkDeviceData", {
    interfaceName: field(1, string, "The name of the network interface."),
    ips: field(2, list(string), "The addresses of the interface, as CIDRs such as `192.0.2.5/24`."),
    hardwareAddress: field(3, string, "The hardware address of the interface."),
  }, { doc: "The status of a network device." });

  const AllocatedDeviceStatus = struct("AllocatedDeviceStatus", {
    driver: field(1, string, "The driver of the device.", { required: true }),
    pool: field(2, string, "The pool of the device.", { required: true }),
    device: field(3, string, "The name of the device in its pool.", { required: true }),
    shareID: field(7, string, "The share of the device, if it is allocated several times.", { pointer: true }),
    conditions: field(4, mapBy(["type"], Condition), "The conditions of the device. At most 8.", { written: "always" }),
    data: field(5, raw, "Any data of the driver, an object. At most 10 KiB.", { pointer: true }),
    networkData: field(6, NetworkDeviceData, "The addresses of a network device.", { pointer: true }),
  }, { doc: "The status of an allocated device, as its driver reports it." });

  return struct("ResourceClaimStatus", {
    allocation: field(1, allocationOf(parts, version), "What is allocated. Absent: nothing yet. It cannot be changed, only removed.", {
      pointer: true,
    }),
    reservedFor: field(2, mapBy(["uid"], ResourceClaimConsumerReference), "The objects that may use the claim. At most 256.", {
      patch: { strategy: ["merge"], mergeKey: "uid" },
    }),
    devices: field(
      4,
      mapBy(["driver", "device", "pool", "shareID"], AllocatedDeviceStatus),
      "The status of each allocated device, as its driver reports it.",
    ),
  }, { doc: "What is allocated for a claim, and who uses it." });
}

export type ResourceClaimStatus = Infer<ReturnType<typeof resourceClaimStatusOf>>;
export type AllocationResult = NonNullable<ResourceClaimStatus["allocation"]>;
export type AllocatedDevice = NonNullable<AllocationResult["devices"]["results"]>[number];
export type AllocatedDeviceStatus = NonNullable<ResourceClaimStatus["devices"]>[number];
