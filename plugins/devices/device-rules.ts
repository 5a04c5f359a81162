/** The rules of devices in slices, with upstream's texts and order. */
import { type FieldError, invalid, required, tooLong } from "../../plugin.ts";
import { dns1123Subdomain, sameValue, utf8Length } from "../../toolbox.ts";
import { validateByRule } from "../shared/pod/rules.ts";
import { validateNodeSelector } from "../shared/volumes/validate-node-selector.ts";
import { validateBindingConditions } from "./binding-conditions.ts";
import { attributeBytesMax, attributesMax, consumptionsMax, countersMax, domainBytesMax, identifierBytesMax, taintsMax } from "./bounds.ts";
import { validateCapacity } from "./capacity-rules.ts";
import { validateList, validateMap, validateSet } from "./lists.ts";
import { validateLabel, validateQualified, validateRequiredLabel } from "./names.ts";
import type { CounterSet, Device, DeviceAttribute } from "./slice-schema.ts";
import { validateTaint } from "./taint-rules.ts";
import { isSemanticVersion } from "./version-text.ts";

/** The length of a domain, a slash and an identifier. */
const nameBytesMax = domainBytesMax + 1 + identifierBytesMax;
const labelBytesMax = 63;

/** Checks a device. `prior` is the stored one with its name, `hasNodes` whether each device of the slice names its nodes. */
export function validateDevice(device: Device, path: string, prior: Device | undefined, hasNodes: boolean): readonly FieldError[] {
  const { attributes = {}, capacity = {}, consumesCounters, taints = [] } = device;
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  const names = { shownMax: nameBytesMax, key: validateQualified };
  return [
    ...validateLabel(device.name, `${path}.name`),
    ...(count > attributesMax
      ? [invalid(path, count, `the total number of attributes and capacities must not exceed ${attributesMax}`)]
      : []),
    ...validateMap(attributes, { ...names, value: validateAttribute, path: `${path}.attributes` }),
    ...validateMap(capacity, {
      ...names,
      value: (each, at) => validateCapacity(each, at, device.allowMultipleAllocations === true),
      path: `${path}.capacity`,
    }),
    ...(prior !== undefined && sameValue(prior.taints ?? [], taints)
      ? []
      : validateList(taints, taintsMax, (each, at) => validateTaint(each, at), `${path}.taints`)),
    ...validateSet(
      consumesCounters,
      consumptionsMax,
      (each, at) => [
        ...validateRequiredLabel(each.counterSet, `${at}.counterSet`),
        ...validateCounters(each.counters, `${at}.counters`),
      ],
      ({ counterSet }) => counterSet,
      `${path}.consumesCounters`,
    ),
    ...(hasNodes ? validateNodes(device, path) : validateNoNodes(device, path)),
    ...validateBindingConditions(device, path),
  ];
}

export function validateCounterSet({ name, counters }: CounterSet, path: string): readonly FieldError[] {
  return [...validateRequiredLabel(name, `${path}.name`), ...validateCounters(counters, `${path}.counters`)];
}

function validateCounters(counters: CounterSet["counters"] | undefined, path: string): readonly FieldError[] {
  if (Object.keys(counters ?? {}).length === 0) return [required(path, "")];
  return validateMap(counters, { max: countersMax, shownMax: labelBytesMax, key: validateLabel, value: () => [], path });
}

function validateAttribute(attribute: DeviceAttribute, path: string): readonly FieldError[] {
  const { string, version } = attribute, count = Object.keys(attribute).length;
  const isLong = (text: string, key: string) => utf8Length(text) > attributeBytesMax ? [tooLong(`${path}.${key}`, attributeBytesMax)] : [];
  return [
    ...(string === undefined ? [] : isLong(string, "string")),
    ...(version === undefined || isSemanticVersion(version)
      ? []
      : [invalid(`${path}.version`, version, "must be a string compatible with semver.org spec 2.0.0")]),
    ...(version === undefined ? [] : isLong(version, "version")),
    ...(count === 1 ? [] : [invalid(path, count === 0 ? "" : internalAttribute(attribute), "exactly one value must be specified")]),
  ];
}

/** The value in an error has the names and the order of upstream's internal type. */
function internalAttribute({ int, bool, string, version }: DeviceAttribute) {
  return { IntValue: int ?? null, BoolValue: bool ?? null, StringValue: string ?? null, VersionValue: version ?? null };
}

function validateNodes({ nodeName, nodeSelector, allNodes }: Device, path: string): readonly FieldError[] {
  const set = [
    ...(nodeName === undefined || nodeName === "" ? [] : ["`nodeName`"]),
    ...(nodeSelector === undefined ? [] : ["`nodeSelector`"]),
    ...(allNodes === true ? ["`allNodes`"] : []),
  ];
  const oneOf =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  return [
    ...(nodeName === undefined
      ? []
      : nodeName === ""
      ? [invalid(`${path}.nodeName`, nodeName, "must not be empty")]
      : validateByRule(dns1123Subdomain, nodeName, `${path}.nodeName`)),
    ...(nodeSelector === undefined ? [] : validateNodeSelector(nodeSelector, `${path}.nodeSelector`)),
    ...(allNodes === false ? [invalid(`${path}.allNodes`, allNodes, "must be either unset or set to true")] : []),
    ...(set.length === 0 ? [required(path, oneOf)] : []),
    ...(set.length > 1 ? [invalid(path, `{${set.join(", ")}}`, oneOf)] : []),
  ];
}

function validateNoNodes({ nodeName, nodeSelector, allNodes }: Device, path: string): readonly FieldError[] {
  if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return [];
  const detail =
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  return [invalid(path, null, detail)];
}
