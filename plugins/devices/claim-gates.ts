/** Drops fields of claims that belong to gates that are off, unless the stored claim uses the feature. */
import type { Gates } from "../../toolbox.ts";
import type { DeviceRequest, ResourceClaim, ResourceClaimSpec } from "./claim-schema.ts";
import type { ResourceClaimStatus } from "./claim-status-schema.ts";
import { gates } from "./gates.ts";
import { deviceId } from "./status-rules.ts";

type Requests = readonly DeviceRequest[];
type Asked = Partial<NonNullable<DeviceRequest["exactly"]>>;

/** The exact requests and the alternatives. */
function askedOf(requests: Requests): readonly Asked[] {
  return requests.flatMap(({ exactly, firstAvailable = [] }) => [...(exactly === undefined ? [] : [exactly]), ...firstAvailable]);
}

function usesCapacity({ devices: { requests, constraints = [] } }: ResourceClaimSpec): boolean {
  return constraints.some(({ distinctAttribute }) => distinctAttribute !== undefined) ||
    askedOf(requests ?? []).some(({ capacity }) => capacity !== undefined);
}
function usesAdminAccess({ devices: { requests } }: ResourceClaimSpec): boolean {
  return (requests ?? []).some(({ exactly }) => exactly?.adminAccess !== undefined);
}

/** Removes members of each exact request and each alternative. */
function withoutMembers(requests: Requests, ...keys: readonly (keyof Asked)[]): Requests {
  const without = <T extends object>(asked: T): T => {
    const rest: any = { ...asked }; // `any`: only optional members are removed
    for (const key of keys) delete rest[key];
    return rest;
  };
  return requests.map((request) => ({
    ...request,
    ...(request.exactly === undefined ? {} : { exactly: without(request.exactly) }),
    ...(request.firstAvailable === undefined ? {} : { firstAvailable: request.firstAvailable.map(without) }),
  }));
}

/** Drops from a spec. */
export function dropFromSpec(spec: ResourceClaimSpec, prior: ResourceClaimSpec | undefined, isOn: Gates): ResourceClaimSpec {
  const given = spec.devices.requests ?? null;
  let requests = given ?? [], { constraints } = spec.devices;
  const before = prior?.devices.requests ?? [];
  const isOff = (gate: string, isUsed: boolean) => !isOn(gate) && !isUsed;
  if (isOff(gates.prioritizedList, before.some(({ firstAvailable = [] }) => firstAvailable.length > 0))) {
    requests = requests.map(({ firstAvailable: _, ...rest }) => rest);
  }
  if (isOff(gates.taints, askedOf(before).some(({ tolerations = [] }) => tolerations.length > 0))) {
    requests = withoutMembers(requests, "tolerations");
  }
  if (isOff(gates.adminAccess, prior !== undefined && usesAdminAccess(prior))) requests = withoutMembers(requests, "adminAccess");
  if (isOff(gates.consumableCapacity, prior !== undefined && usesCapacity(prior))) {
    requests = withoutMembers(requests, "capacity");
    constraints = constraints?.map(({ distinctAttribute: _, ...rest }) => rest);
  }
  const changed = { ...(given === null ? {} : { requests }), ...(constraints === undefined ? {} : { constraints }) };
  return { ...spec, devices: { ...spec.devices, ...changed } };
}

/** Drops from a status, and then the statuses of devices that were allocated and are not any more. */
export function dropFromStatus({ status }: ResourceClaim, prior: ResourceClaim, isOn: Gates): ResourceClaimStatus {
  const results = prior.status.allocation?.devices.results ?? [], before = prior.status.devices ?? [];
  const isOff = (gate: string, isUsed: boolean) => !isOn(gate) && !isUsed;
  let next = status;
  const hasNoDevices = isOff(gates.deviceStatus, before.length > 0);
  if (hasNoDevices) next = withoutDevices(next);
  if (isOff(gates.adminAccess, usesAdminAccess(prior.spec) || results.some(({ adminAccess }) => adminAccess !== undefined))) {
    next = withoutResults(next, "adminAccess");
  }
  const shares = (list: readonly { readonly shareID?: string }[]) => list.some(({ shareID }) => shareID !== undefined);
  const capacities = results.some(({ consumedCapacity }) => consumedCapacity !== undefined);
  if (isOff(gates.consumableCapacity, usesCapacity(prior.spec) || capacities || shares(results) || shares(before))) {
    next = withoutResults(next, "shareID", "consumedCapacity");
    if (next.devices !== undefined) next = { ...next, devices: next.devices.map(({ shareID: _, ...rest }) => rest) };
  }
  const awaits = results.some((each) => each.bindingConditions !== undefined || each.bindingFailureConditions !== undefined);
  if (isOff(gates.bindingConditions, awaits)) next = withoutResults(next, "bindingConditions", "bindingFailureConditions");
  return hasNoDevices ? next : withoutReleased(next, prior.status);
}

function withoutDevices({ devices: _, ...rest }: ResourceClaimStatus): ResourceClaimStatus {
  return rest;
}

type Result = NonNullable<NonNullable<ResourceClaimStatus["allocation"]>["devices"]["results"]>[number];

/** Removes members of the allocated devices. */
function withoutResults(status: ResourceClaimStatus, ...keys: readonly (keyof Result)[]): ResourceClaimStatus {
  const { allocation } = status;
  if (allocation?.devices.results === undefined) return status;
  const results = allocation.devices.results.map((result) => {
    const rest: any = { ...result }; // `any`: only optional members are removed
    for (const key of keys) delete rest[key];
    return rest as Result;
  });
  return { ...status, allocation: { ...allocation, devices: { ...allocation.devices, results } } };
}

/** Removes the statuses of devices that were allocated and are not any more: clients may not know of them. */
function withoutReleased(status: ResourceClaimStatus, prior: ResourceClaimStatus): ResourceClaimStatus {
  const released = new Set((prior.allocation?.devices.results ?? []).map(deviceId));
  for (const result of status.allocation?.devices.results ?? []) released.delete(deviceId(result));
  const { devices = [] } = status, kept = devices.filter((each) => !released.has(deviceId(each)));
  if (kept.length === devices.length) return status;
  return kept.length === 0 ? withoutDevices(status) : { ...status, devices: kept };
}
