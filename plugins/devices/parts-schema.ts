/** Schemas of what several kinds of the group have: selectors, configurations, taints. Each version of the group has its own types. */
import { field, type Infer, int64, oneOf, quantity, record, string, structsOf, time } from "../../plugin.ts";
import { named, raw } from "../../toolbox.ts";

/** The versions that have claims, classes and slices. */
export type DeviceVersion = "v1" | "v1beta2" | "v1beta1";
/** The versions that have taints. */
type TaintVersion = DeviceVersion | "v1alpha3";

export const taintEffects = ["NoExecute", "NoSchedule", "None"] as const;

export function effectOf(version: TaintVersion) {
  return named(`${version}.DeviceTaintEffect`, oneOf(...taintEffects));
}

export function taintOf(version: TaintVersion) {
  return structsOf(`resource/${version}`)("DeviceTaint", {
    key: field(1, string, "The key of the taint, a label name.", { required: true }),
    value: field(2, string, "The value of the taint, a label value."),
    effect: field(
      3,
      effectOf(version),
      "The effect on claims that do not tolerate the taint: none, no new allocations (NoSchedule), or also the eviction of their pods " +
        "(NoExecute).",
      { required: true },
    ),
    timeAdded: field(4, time, "The time when the taint was added. Default: the time of the request.", { pointer: true }),
  }, { doc: "Keeps claims without a matching toleration from a device." });
}

/** Makes the schemas of one version. */
export function partsOf(version: DeviceVersion) {
  const struct = structsOf(`resource/${version}`);

  const CELDeviceSelector = struct("CELDeviceSelector", {
    expression: field(
      1,
      string,
      "A CEL expression over the variable `device` that is true for the devices to select. A device has `driver`, `attributes` and " +
        "`capacity`; the latter two are maps by domain, then by name.",
      { required: true },
    ),
  }, { doc: "Selects devices by an expression." });

  const DeviceSelector = struct("DeviceSelector", {
    cel: field(1, CELDeviceSelector, "The expression that selects devices.", { pointer: true }),
  }, { doc: "Selects devices. Exactly one field must be set." });

  const OpaqueDeviceConfiguration = struct("OpaqueDeviceConfiguration", {
    driver: field(1, string, "The name of the driver that the parameters are for.", { required: true }),
    parameters: field(2, raw, "An object with kind and apiVersion that the driver understands. At most 10 KiB.", { required: true }),
  }, { doc: "Parameters for a driver, in a form that the driver defines." });

  const DeviceConfiguration = struct("DeviceConfiguration", {
    opaque: field(1, OpaqueDeviceConfiguration, "Parameters for one driver.", { pointer: true }),
  }, { doc: "A configuration of devices. Exactly one field must be set." });

  const DeviceToleration = struct("DeviceToleration", {
    key: field(1, string, "The key of the taints to tolerate. Empty: all keys; the operator must then be Exists."),
    operator: field(
      2,
      named(`${version}.DeviceTolerationOperator`, oneOf("Equal", "Exists")),
      "Whether the value of a taint must be equal, or may be any.",
      { default: "Equal", zeroIsAbsent: true },
    ),
    value: field(3, string, "The value of the taints to tolerate. Must be empty if the operator is Exists."),
    effect: field(4, effectOf(version), "The effect of the taints to tolerate. Empty: all effects."),
    tolerationSeconds: field(
      5,
      int64,
      "Seconds for which a taint with the effect NoExecute is tolerated. Absent: forever. Zero and negative: not at all.",
      { pointer: true },
    ),
  }, { doc: "Tolerates the taints of a device that match." });

  const CapacityRequirements = struct("CapacityRequirements", {
    requests: field(
      1,
      named(`map[${version}.QualifiedName]resource.Quantity`, record(quantity)),
      "The amount that is needed of each capacity, by the name of the capacity.",
    ),
  }, { doc: "The capacities that a request needs." });

  return { struct, DeviceSelector, DeviceConfiguration, DeviceToleration, CapacityRequirements };
}

export type DeviceParts = ReturnType<typeof partsOf>;
export type DeviceSelector = Infer<DeviceParts["DeviceSelector"]>;
export type DeviceConfiguration = Infer<DeviceParts["DeviceConfiguration"]>;
export type DeviceToleration = Infer<DeviceParts["DeviceToleration"]>;
export type CapacityRequirements = Infer<DeviceParts["CapacityRequirements"]>;
export type DeviceTaint = Infer<ReturnType<typeof taintOf>>;
