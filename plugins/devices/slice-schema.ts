/** The schema of ResourceSlice. */
import { boolean, field, type Infer, int64, list, object, quantity, record, string } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { NodeSelector } from "../shared/volumes/node-selector.ts";
import { type DeviceParts, type DeviceVersion, partsOf, taintOf } from "./parts-schema.ts";

const counters = "How much of each counter, by its name.";

/** Makes the schemas of attributes, capacities and counters. */
function valuesOf({ struct }: DeviceParts) {
  const DeviceAttribute = struct("DeviceAttribute", {
    int: field(2, int64, "A number.", { pointer: true }),
    bool: field(3, boolean, "True or false.", { pointer: true }),
    string: field(4, string, "A text of at most 64 bytes.", { pointer: true }),
    version: field(5, string, "A semantic version of at most 64 bytes.", { pointer: true }),
  }, { doc: "The value of an attribute. Exactly one field must be set." });

  const CapacityRequestPolicyRange = struct("CapacityRequestPolicyRange", {
    min: field(1, quantity, "The smallest amount.", { pointer: true, required: true }),
    max: field(2, quantity, "The largest amount. Absent: the capacity.", { pointer: true }),
    step: field(3, quantity, "Amounts are the smallest one and a multiple of this.", { pointer: true }),
  }, { doc: "The range of amounts of a capacity that requests may have." });

  const CapacityRequestPolicy = struct("CapacityRequestPolicy", {
    default: field(1, quantity, "The amount for requests that name none.", { pointer: true, written: "always" }),
    validValues: field(3, list(quantity), "The amounts that requests may have, in ascending order. At most 10."),
    validRange: field(4, CapacityRequestPolicyRange, "The range of amounts that requests may have.", { pointer: true }),
  }, { doc: "Which amounts of a capacity requests may consume. Others are rounded up." });

  const DeviceCapacity = struct("DeviceCapacity", {
    value: field(1, quantity, "How much there is.", { required: true }),
    requestPolicy: field(2, CapacityRequestPolicy, "Which amounts requests may consume, if the device can be allocated several times.", {
      pointer: true,
    }),
  }, { doc: "A capacity of a device." });

  const Counter = struct("Counter", {
    value: field(1, quantity, "How much there is.", { required: true }),
  }, { doc: "An amount that devices share." });

  const CounterSet = struct("CounterSet", {
    name: field(1, string, "The name of the set, unique in the pool.", { required: true }),
    counters: field(2, record(Counter), counters, { required: true, written: "omitEmpty" }),
  }, { doc: "Counters that devices of the pool share." });

  const DeviceCounterConsumption = struct("DeviceCounterConsumption", {
    counterSet: field(1, string, "The name of the set.", { required: true }),
    counters: field(2, record(Counter), counters, { required: true, written: "omitEmpty" }),
  }, { doc: "What a device consumes of a set of counters while it is allocated." });

  return { DeviceAttribute, DeviceCapacity, CounterSet, DeviceCounterConsumption };
}

/** A device, with its members in `basic` in v1beta1. */
function deviceOf(
  { struct }: DeviceParts,
  { DeviceAttribute, DeviceCapacity, DeviceCounterConsumption }: ReturnType<typeof valuesOf>,
  version: DeviceVersion,
) {
  const byName = (type: string) => `map[${version}.QualifiedName]${version}.${type}`;
  const members = (first: number) => ({
    attributes: field(
      first,
      named(byName("DeviceAttribute"), record(DeviceAttribute)),
      "The attributes by their names; without a domain, it is that of the driver.",
    ),
    capacity: field(
      first + 1,
      named(byName("DeviceCapacity"), record(DeviceCapacity)),
      "The capacities by their names; without a domain, it is that of the driver.",
    ),
    consumesCounters: field(first + 2, list(DeviceCounterConsumption), "What the device consumes of shared counters."),
    nodeName: field(first + 3, string, "The node that can use the device. Only with `perDeviceNodeSelection`.", { pointer: true }),
    nodeSelector: field(first + 4, NodeSelector, "The nodes that can use the device. Only with `perDeviceNodeSelection`.", {
      pointer: true,
    }),
    allNodes: field(first + 5, boolean, "Whether all nodes can use the device. Only with `perDeviceNodeSelection`.", { pointer: true }),
    taints: field(first + 6, list(taintOf(version)), "The taints. At most 16."),
    bindsToNode: field(first + 7, boolean, "Whether the allocation is limited to the node of the pod.", { pointer: true }),
    bindingConditions: field(first + 8, list(string), "Conditions of the allocated device that must be true before the pod is bound."),
    bindingFailureConditions: field(
      first + 9,
      list(string),
      "Conditions of the allocated device of which none may be true before the pod is bound.",
    ),
    allowMultipleAllocations: field(first + 10, boolean, "Whether the device can be allocated several times.", { pointer: true }),
  });
  const name = field(1, string, "The name of the device, unique in the pool.", { required: true });
  const doc = { doc: "A device that can be allocated." };
  const FlatDevice = struct("Device", { name, ...members(2) }, doc);
  if (version !== "v1beta1") return FlatDevice;
  const BasicDevice = struct("BasicDevice", members(1), { doc: "What a device has." });
  const OldDevice = struct("Device", {
    name,
    basic: field(2, BasicDevice, "What the device has.", { pointer: true }),
  }, doc);
  return OldDevice as unknown as typeof FlatDevice; // `old-version.ts` converts it
}

export function resourceSliceOf(version: DeviceVersion) {
  const parts = partsOf(version), { struct } = parts, values = valuesOf(parts);
  const pointer = version === "v1beta1" ? {} : { pointer: true } as const;

  const ResourcePool = struct("ResourcePool", {
    name: field(1, string, "The name of the pool; often the name of the node. Immutable.", { required: true }),
    generation: field(2, int64, "The generation of the pool. Slices of older generations do not count.", { required: true }),
    resourceSliceCount: field(3, int64, "How many slices the pool has in this generation.", { required: true }),
  }, { doc: "The pool that a slice belongs to." });

  const ResourceSliceSpec = struct("ResourceSliceSpec", {
    driver: field(1, string, "The name of the driver. Immutable.", { required: true }),
    pool: field(2, ResourcePool, "The pool that the slice belongs to.", { required: true }),
    nodeName: field(3, string, "The node that can use the devices. Immutable.", pointer),
    nodeSelector: field(4, NodeSelector, "The nodes that can use the devices. It has one term.", { pointer: true }),
    allNodes: field(5, boolean, "Whether all nodes can use the devices.", pointer),
    devices: field(6, list(deviceOf(parts, values, version)), "The devices. At most 128; 64 if one has taints or consumes counters."),
    perDeviceNodeSelection: field(7, boolean, "Whether each device names the nodes that can use it.", { pointer: true }),
    sharedCounters: field(8, list(values.CounterSet), "Counters that devices of the pool share. A slice has either these or devices."),
  }, { doc: "The devices of a slice, and which nodes can use them." });

  return object("ResourceSlice", {
    spec: field(2, ResourceSliceSpec, "The devices, and which nodes can use them.", { required: true }),
  }, { package: `resource/${version}`, doc: "Some devices of a pool, which a driver publishes." });
}

export type ResourceSlice = Infer<ReturnType<typeof resourceSliceOf>>;
export type ResourceSliceSpec = ResourceSlice["spec"];
export type Device = NonNullable<ResourceSliceSpec["devices"]>[number];
export type CounterSet = NonNullable<ResourceSliceSpec["sharedCounters"]>[number];
export type DeviceAttribute = NonNullable<Device["attributes"]>[string];
export type DeviceCapacity = NonNullable<Device["capacity"]>[string];
