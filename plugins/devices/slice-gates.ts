/** Drops fields of slices that belong to gates that are off, unless the stored slice uses the feature. */
import { append, type Gates } from "../../toolbox.ts";
import { gates } from "./gates.ts";
import type { Device, DeviceCapacity, ResourceSliceSpec } from "./slice-schema.ts";

const nodeKeys = ["nodeName", "nodeSelector", "allNodes"] as const;
const bindingKeys = ["bindingConditions", "bindingFailureConditions", "bindsToNode"] as const;

const isUsed = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);

export function dropFromSlice(spec: ResourceSliceSpec, prior: ResourceSliceSpec | undefined, isOn: Gates): ResourceSliceSpec {
  const before = prior?.devices ?? [];
  const has = (...keys: readonly (keyof Device)[]) => before.some((device) => keys.some((key) => isUsed(device[key])));
  const policies = before.some(({ capacity = {} }) => Object.values(capacity).some(({ requestPolicy }) => requestPolicy !== undefined));
  const dropped: (keyof Device)[] = [];
  let next = spec;
  if (!isOn(gates.taints) && !has("taints")) dropped.push("taints");
  const isPartitioned = isUsed(prior?.sharedCounters) || prior?.perDeviceNodeSelection !== undefined ||
    has("consumesCounters", ...nodeKeys);
  if (!isOn(gates.partitionableDevices) && !isPartitioned) {
    append(dropped, ["consumesCounters", ...nodeKeys]);
    const { sharedCounters: _counters, perDeviceNodeSelection: _selection, ...rest } = next;
    next = rest;
  }
  if (!(isOn(gates.bindingConditions) && isOn(gates.deviceStatus)) && !has(...bindingKeys)) append(dropped, bindingKeys);
  const isShared = isOn(gates.consumableCapacity) || policies || has("allowMultipleAllocations");
  if (!isShared) dropped.push("allowMultipleAllocations");
  if (next.devices === undefined || dropped.length === 0 && isShared) return next;
  return { ...next, devices: next.devices.map((device) => without(isShared ? device : withoutPolicies(device), dropped)) };
}

function without(device: Device, keys: readonly (keyof Device)[]): Device {
  if (!keys.some((key) => device[key] !== undefined)) return device;
  const rest: any = { ...device }; // `any`: only optional members are removed
  for (const key of keys) delete rest[key];
  return rest;
}

function withoutPolicies(device: Device): Device {
  const { capacity } = device;
  if (capacity === undefined || Object.values(capacity).every(({ requestPolicy }) => requestPolicy === undefined)) return device;
  const entries = Object.entries(capacity).map(([name, { value }]): [string, DeviceCapacity] => [name, { value }]);
  return { ...device, capacity: Object.fromEntries(entries) };
}
