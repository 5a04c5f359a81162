/** The rules of claims' statuses, with upstream's texts and order. */
import { type FieldError, forbidden, invalid, notSupported, required, tooLong } from "../../plugin.ts";
import { append, sameValue, tooMany, utf8Length, validateConditions, valueText } from "../../toolbox.ts";
import { invalidInterfaceAddress } from "../shared/cidr.ts";
import { validateByRule } from "../shared/pod/rules.ts";
import { validateNodeSelector } from "../shared/volumes/validate-node-selector.ts";
import {
  addressesMax,
  conditionsMax,
  configurationsMax,
  hardwareBytesMax,
  interfaceBytesMax,
  requestsMax,
  reservationsMax,
} from "./bounds.ts";
import { type RequestNames, requestNamesOf, validateReference, validateReferences } from "./claim-rules.ts";
import type { ResourceClaim } from "./claim-schema.ts";
import {
  type AllocatedDevice,
  type AllocatedDeviceStatus,
  type AllocationResult,
  configSources,
  type ResourceClaimStatus,
} from "./claim-status-schema.ts";
import { validateBindingConditions } from "./binding-conditions.ts";
import { validateList, validateSet } from "./lists.ts";
import { validateDriver, validateLabel, validatePool, validateUid } from "./names.ts";
import { validateConfiguration, validateParameters } from "./selectors.ts";

/** The text by which a device is known, with its share. */
export function deviceId({ driver, pool, device, shareID }: Pick<AllocatedDeviceStatus, "driver" | "pool" | "device" | "shareID">): string {
  return shareID === undefined ? `${driver}/${pool}/${device}` : `${driver}/${pool}/${device}/${shareID}`;
}

/** The device as errors show it. */
function shownDevice({ driver, pool, device, shareID = "" }: AllocatedDeviceStatus) {
  return { Driver: driver, Pool: pool, Device: device, ShareID: shareID };
}

export function validateClaimStatus(next: ResourceClaim, prior: ResourceClaim): readonly FieldError[] {
  const { allocation, reservedFor = [], devices = [] } = next.status;
  const allocated = new Set((allocation?.devices.results ?? []).map(deviceId));
  return [
    ...validateSet(reservedFor, reservationsMax, validateConsumer, ({ uid }) => uid, "status.reservedFor"),
    ...validateSet(devices, Infinity, (each, at) => validateDevice(each, at, allocated), deviceId, "status.devices", shownDevice),
    ...validateReservations(next, prior.status),
    ...validateAllocation(next, prior.status),
  ];
}

type Consumer = NonNullable<ResourceClaimStatus["reservedFor"]>[number];

function validateConsumer({ resource, name, uid }: Consumer, path: string): readonly FieldError[] {
  return [
    ...(resource === "" ? [required(`${path}.resource`, "")] : []),
    ...(name === "" ? [required(`${path}.name`, "")] : []),
    ...(uid === "" ? [required(`${path}.uid`, "")] : []),
  ];
}

function validateReservations({ metadata, status }: ResourceClaim, prior: ResourceClaimStatus): readonly FieldError[] {
  const { reservedFor = [] } = status, path = "status.reservedFor";
  if (reservedFor.length === 0) return [];
  if (status.allocation === undefined) return [forbidden(path, "may not be specified when `allocated` is not set")];
  if (metadata.deletionTimestamp === undefined) return [];
  const before = new Set((prior.reservedFor ?? []).map(valueText));
  if (reservedFor.every((each) => before.has(valueText(each)))) return [];
  return [forbidden(path, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set")];
}

function validateAllocation({ spec, status: { allocation } }: ResourceClaim, prior: ResourceClaimStatus): readonly FieldError[] {
  const path = "status.allocation";
  if (allocation === undefined) return [];
  if (prior.allocation !== undefined) {
    return sameValue(allocation, prior.allocation) ? [] : [invalid(path, allocation, "field is immutable")];
  }
  const names = requestNamesOf(spec.devices), { results, config } = allocation.devices;
  return [
    ...validateList(results, requestsMax, (each, at) => validateResult(each, at, names), `${path}.devices.results`),
    // The configurations of the classes and of the claim.
    ...validateList(config, 2 * configurationsMax, (each, at) => validateSource(each, at, names), `${path}.devices.config`),
    ...(allocation.nodeSelector === undefined ? [] : validateNodeSelector(allocation.nodeSelector, `${path}.nodeSelector`)),
  ];
}

function validateResult(result: AllocatedDevice, path: string, names: RequestNames): readonly FieldError[] {
  return [
    ...validateReference(result.request, `${path}.request`, names),
    ...validateDriver(result.driver, `${path}.driver`),
    ...validatePool(result.pool, `${path}.pool`),
    ...validateLabel(result.device, `${path}.device`),
    ...validateBindingConditions(result, path),
    ...(result.shareID === undefined ? [] : validateUid(result.shareID, `${path}.shareID`)),
  ];
}

type AllocatedConfiguration = NonNullable<AllocationResult["devices"]["config"]>[number];

function validateSource(config: AllocatedConfiguration, path: string, names: RequestNames): readonly FieldError[] {
  const sources: readonly string[] = configSources, source: string = config.source, at = `${path}.source`;
  return [
    ...(source === "" ? [required(at, "")] : sources.includes(source) ? [] : [notSupported(at, source, sources)]),
    ...validateReferences(config.requests, `${path}.requests`, names),
    ...validateConfiguration(config, path),
  ];
}

function validateDevice(device: AllocatedDeviceStatus, path: string, allocated: ReadonlySet<string>): readonly FieldError[] {
  const { conditions = [], data, networkData, shareID } = device, id = deviceId(device);
  return [
    ...validateDriver(device.driver, `${path}.driver`),
    ...validatePool(device.pool, `${path}.pool`),
    ...validateLabel(device.device, `${path}.device`),
    ...(shareID === undefined ? [] : validateUid(shareID, `${path}.shareID`)),
    ...(allocated.has(id) ? [] : [invalid(path, shownDevice(device), "must be an allocated device in the claim")]),
    ...((conditions ?? []).length > conditionsMax ? [tooMany(`${path}.conditions`, conditions.length, conditionsMax)] : []),
    ...validateConditions(conditions ?? [], `${path}.conditions`),
    ...(data === undefined ? [] : validateParameters(data, `${path}.data`)),
    ...(networkData === undefined ? [] : validateNetwork(networkData, `${path}.networkData`)),
  ];
}

function validateNetwork(
  { interfaceName = "", hardwareAddress = "", ips }: NonNullable<AllocatedDeviceStatus["networkData"]>,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (utf8Length(interfaceName) > interfaceBytesMax) errors.push(tooLong(`${path}.interfaceName`, interfaceBytesMax));
  if (utf8Length(hardwareAddress) > hardwareBytesMax) errors.push(tooLong(`${path}.hardwareAddress`, hardwareBytesMax));
  append(errors, validateSet(ips, addressesMax, (ip, at) => validateByRule(invalidInterfaceAddress, ip, at), (ip) => ip, `${path}.ips`));
  return errors;
}
