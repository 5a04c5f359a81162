/**
 * Converts between v1beta1 and the stored form. A request of v1beta1 has the fields of an exact request itself:
 *
 *     v1beta1  {name: a, deviceClassName: c, count: 1}
 *     stored   {name: a, exactly: {deviceClassName: c, count: 1}}
 */
import type { Served } from "../../toolbox.ts";
import type { DeviceRequest, ResourceClaim, ResourceClaimTemplate } from "./claim-schema.ts";

type Conversion = Required<Pick<Served, "toStored" | "fromStored">>;
type ExactRequest = NonNullable<DeviceRequest["exactly"]>;
/** A request as v1beta1 has it. */
type FlatRequest = Omit<DeviceRequest, "exactly"> & ExactRequest;

const exactKeys = ["selectors", "allocationMode", "count", "adminAccess", "tolerations", "capacity"] as const;

/** The stored form of a request. It is exact if any field of an exact request is set, so that the rules find what is missing. */
function requestToStored({ name, firstAvailable, deviceClassName, ...exact }: FlatRequest): DeviceRequest {
  const isExact = deviceClassName !== "" || exactKeys.some((key) => exact[key] !== undefined);
  return {
    name,
    ...(isExact ? { exactly: { ...exact, deviceClassName } } : {}),
    ...(firstAvailable === undefined ? {} : { firstAvailable }),
  };
}
function requestFromStored({ name, exactly, firstAvailable }: DeviceRequest): FlatRequest {
  return { name, deviceClassName: "", ...exactly, ...(firstAvailable === undefined ? {} : { firstAvailable }) };
}

type Spec<R> = { readonly devices: { readonly requests: readonly R[] | null } };

function specWith<R, S>(spec: Spec<R>, convert: (request: R) => S): Spec<S> {
  const { requests } = spec.devices;
  // An absent list stays the value that stands for it: another empty list would have an owner.
  const converted = requests === null || requests.length === 0 ? requests as readonly never[] | null : requests.map(convert);
  return { ...spec, devices: { ...spec.devices, requests: converted } };
}

export const claimConversion: Conversion = {
  toStored: (served) => ({ ...served, spec: specWith(served.spec, requestToStored) }),
  fromStored: (stored: ResourceClaim) => ({ ...stored, spec: specWith(stored.spec, requestFromStored) }),
};

export const templateConversion: Conversion = {
  toStored: (served) => ({ ...served, spec: { ...served.spec, spec: specWith(served.spec.spec, requestToStored) } }),
  fromStored: (stored: ResourceClaimTemplate) => ({
    ...stored,
    spec: { ...stored.spec, spec: specWith(stored.spec.spec, requestFromStored) },
  }),
};

/**
 * A device of v1beta1 has its members in `basic`, and an empty node name of a slice is none:
 *
 *     v1beta1  {nodeName: "", allNodes: true, devices: [{name: a, basic: {attributes: {}}}]}
 *     stored   {allNodes: true, devices: [{name: a, attributes: {}}]}
 */
export const sliceConversion: Conversion = {
  toStored({ spec: { nodeName = "", allNodes = false, devices, ...rest }, ...served }) {
    return {
      ...served,
      spec: {
        ...rest,
        ...(nodeName === "" ? {} : { nodeName }),
        ...(allNodes ? { allNodes } : {}),
        ...(devices === undefined
          ? {}
          : { devices: devices.map(({ name, basic }: { name: string; basic?: object }) => ({ ...basic, name })) }),
      },
    };
  },
  fromStored({ spec: { nodeName = "", allNodes = false, devices, ...rest }, ...stored }) {
    return {
      ...stored,
      spec: {
        ...rest,
        ...(nodeName === "" ? {} : { nodeName }),
        ...(allNodes ? { allNodes } : {}),
        ...(devices === undefined ? {} : { devices: devices.map(({ name, ...basic }: { name: string }) => ({ name, basic })) }),
      },
    };
  },
};
