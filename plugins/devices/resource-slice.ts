import { ageColumn, type Column, defineResource, type FieldError, invalid, nameColumn, required, type Resource } from "../../plugin.ts";
import { dns1123Subdomain, goQuote, type Int64, metaRulesOf, sameValue, validateObjectMetaUpdate } from "../../toolbox.ts";
import { validateByRule } from "../shared/pod/rules.ts";
import type { NodeSelectorTerm } from "../shared/volumes/node-selector.ts";
import { validateNodeSelector } from "../shared/volumes/validate-node-selector.ts";
import { advancedDevicesMax, counterSetsMax, devicesMax } from "./bounds.ts";
import { validateCounterSet, validateDevice } from "./device-rules.ts";
import { validateSet } from "./lists.ts";
import { validateDriver, validatePool } from "./names.ts";
import { sliceConversion } from "./old-version.ts";
import { dropFromSlice } from "./slice-gates.ts";
import { type ResourceSlice, resourceSliceOf, type ResourceSliceSpec } from "./slice-schema.ts";
import { withTime } from "./taint-rules.ts";
import { versions } from "./versions.ts";

const columns: readonly Column<ResourceSlice>[] = [
  nameColumn,
  { name: "Node", type: "string", description: "The node that can use the devices.", cell: ({ spec: { nodeName = "" } }) => nodeName },
  { name: "Driver", type: "string", description: "The driver of the devices.", cell: ({ spec: { driver } }) => driver },
  { name: "Pool", type: "string", description: "The pool of the devices.", cell: ({ spec: { pool } }) => pool.name },
  ageColumn,
];

function validateSpec(spec: ResourceSliceSpec, prior?: ResourceSliceSpec): readonly FieldError[] {
  const { devices = [], sharedCounters = [], pool } = spec;
  const isAdvanced = devices.some(({ taints = [], consumesCounters = [] }) => taints.length > 0 || consumesCounters.length > 0);
  const stored = new Map((prior?.devices ?? []).map((device) => [device.name, device]));
  const hasNodes = spec.perDeviceNodeSelection === true;
  return [
    ...validateDriver(spec.driver, "spec.driver"),
    ...validatePool(pool.name, "spec.pool.name"),
    ...validateCounts(pool),
    ...(prior === undefined ? [] : validateUnchanged(spec, prior)),
    ...validateNodes(spec),
    ...(sharedCounters.length > 0 && devices.length > 0
      ? [invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")]
      : []),
    ...validateSet(
      devices,
      isAdvanced ? advancedDevicesMax : devicesMax,
      (device, at) => validateDevice(device, at, stored.get(device.name), hasNodes),
      ({ name }) => name,
      "spec.devices",
    ),
    ...validateSet(sharedCounters, counterSetsMax, validateCounterSet, ({ name }) => name, "spec.sharedCounters"),
  ];
}

interface Counts {
  readonly generation: Int64;
  readonly resourceSliceCount: Int64;
}

function validateCounts({ generation, resourceSliceCount: count }: Counts): readonly FieldError[] {
  return [
    ...(count > 0 ? [] : [invalid("spec.pool.resourceSliceCount", count, "must be greater than zero")]),
    ...(generation >= 0 ? [] : [invalid("spec.pool.generation", generation, "must be greater than or equal to zero")]),
  ];
}

function validateUnchanged(next: ResourceSliceSpec, prior: ResourceSliceSpec): readonly FieldError[] {
  const same = (now: string | undefined, before: string | undefined, path: string) =>
    now === before ? [] : [invalid(path, now, "field is immutable")];
  return [
    ...same(next.pool.name, prior.pool.name, "spec.pool.name"),
    ...same(next.driver, prior.driver, "spec.driver"),
    ...same(next.nodeName, prior.nodeName, "spec.nodeName"),
  ];
}

/** Checks which nodes can use the devices: exactly one of four fields says it. */
function validateNodes({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection }: ResourceSliceSpec): readonly FieldError[] {
  const set = [
    ...(nodeName === undefined || nodeName === "" ? [] : ["`nodeName`"]),
    ...(nodeSelector === undefined ? [] : ["`nodeSelector`"]),
    ...(allNodes === true ? ["`allNodes`"] : []),
    ...(perDeviceNodeSelection === true ? ["`perDeviceNodeSelection`"] : []),
  ];
  const oneOf = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  const notFalse = (value: boolean | undefined, path: string) =>
    value === false ? [invalid(path, value, "must be either unset or set to true")] : [];
  return [
    ...(nodeName === undefined
      ? []
      : nodeName === ""
      ? [invalid("spec.nodeName", nodeName, "must be either unset or set to a non-empty string")]
      : validateByRule(dns1123Subdomain, nodeName, "spec.nodeName")),
    ...(nodeSelector === undefined ? [] : validateNodeSelector(nodeSelector, "spec.nodeSelector")),
    ...(nodeSelector === undefined || terms.length === 1 ? [] : [
      invalid(
        "spec.nodeSelector.nodeSelectorTerms",
        terms.length === 0 ? null : terms.map(internalTerm),
        "must have exactly one node selector term",
      ),
    ]),
    ...notFalse(allNodes, "spec.allNodes"),
    ...notFalse(perDeviceNodeSelection, "spec.perDeviceNodeSelection"),
    ...(set.length === 0 ? [required("spec", oneOf)] : []),
    ...(set.length > 1 ? [invalid("spec", `{${set.join(", ")}}`, `${oneOf}, but multiple fields are set`)] : []),
  ];
}

/** The values in an error have the names of upstream's internal types. */
function internalTerm({ matchExpressions, matchFields }: NodeSelectorTerm) {
  const internal = (list: NodeSelectorTerm["matchFields"]) =>
    list?.map(({ key, operator, values }) => ({ Key: key, Operator: operator, Values: values ?? null })) ?? null;
  return { MatchExpressions: internal(matchExpressions), MatchFields: internal(matchFields) };
}

/** Sets the times at which taints were added. */
function withTimes(spec: ResourceSliceSpec, now: string): ResourceSliceSpec {
  if (!(spec.devices ?? []).some(({ taints = [] }) => taints.length > 0)) return spec;
  const devices = spec.devices!.map((device) =>
    // `!`: a device has taints
    device.taints === undefined ? device : { ...device, taints: device.taints.map((taint) => withTime(taint, now)) }
  );
  return { ...spec, devices };
}

export const resourceSlices: Resource<ResourceSlice> = defineResource({
  kind: "ResourceSlice",
  scope: "Cluster",
  summary: "Some devices of a pool, which a driver publishes.",
  storedAs: "resource.{domain}/v1",
  storedUnder: "resourceslices",
  served: versions("ResourceSlice", (version) => ({
    schema: resourceSliceOf(version),
    columns,
    selectableFields: { "spec.nodeName": ({ spec: { nodeName = "" } }) => nodeName, "spec.driver": ({ spec: { driver } }) => driver },
    unselectableText: (field, groupVersion) => `field label not supported for ${groupVersion}, Kind=ResourceSlice: ${field}`,
    ...(version === "v1beta1" ? sliceConversion : {}),
  })),
  strategy: { deleteAnswers: "object", generation: "sent", coreFinalizers: true },
  prepare: (next, prior, { gates, now }) => {
    const spec = dropFromSlice(withTimes(next.spec, now), prior?.spec, gates);
    return sameValue(spec, next.spec) ? next : { ...next, spec };
  },
  create: ({ spec }) => validateSpec(spec),
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(resourceSlices, names)),
    ...validateSpec(next.spec, prior.spec),
  ],
  warn: ({ spec: { driver } }) =>
    driver === driver.toLowerCase()
      ? []
      : [`spec.driver: driver names should be lowercase; ${goQuote(driver)} contains uppercase characters`],
});
