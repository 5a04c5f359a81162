/** The schemas of ResourceClaim and ResourceClaimTemplate. */
import { boolean, field, type Infer, int64, list, object, oneOf, string } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { TemplateMeta } from "../shared/template-meta.ts";
import { resourceClaimStatusOf } from "./claim-status-schema.ts";
import { type DeviceParts, type DeviceVersion, partsOf } from "./parts-schema.ts";

/** A request as all versions but v1beta1 have it. */
function deviceRequestOf({ struct, DeviceSelector, DeviceToleration, CapacityRequirements }: DeviceParts, version: DeviceVersion) {
  const asked = (first: number) => ({
    deviceClassName: field(first, string, "The class of the devices.", { required: true }),
    selectors: field(first + 1, list(DeviceSelector), "What a device must satisfy besides the selectors of the class."),
    allocationMode: field(
      first + 2,
      named(`${version}.DeviceAllocationMode`, oneOf("All", "ExactCount")),
      "How many devices are allocated: the number in `count` (ExactCount, the default), or all that match (All).",
    ),
    count: field(first + 3, int64, "The number of devices. Default 1. Only for the mode ExactCount."),
  });
  const adminAccess = (number: number) =>
    field(
      number,
      boolean,
      "Whether the devices are accessed for administration, also those in use. The namespace must allow it by a label.",
      { pointer: true },
    );
  const tolerated = (first: number) => ({
    tolerations: field(first, list(DeviceToleration), "The taints that the devices may have."),
    capacity: field(first + 1, CapacityRequirements, "The capacities that each device must provide.", { pointer: true }),
  });

  const DeviceSubRequest = struct("DeviceSubRequest", {
    name: field(1, string, "The name of the alternative, unique in the request.", { required: true }),
    ...asked(2),
    ...tolerated(version === "v1beta1" ? 7 : 6),
  }, { doc: "An alternative of a request.", applyDefaults: withDefaults });

  const firstAvailable = (number: number) =>
    field(number, list(DeviceSubRequest), "Alternatives in the order of preference; the first one that can be allocated is used.");
  const name = field(1, string, "The name of the request, unique in the claim. Constraints and configurations refer to it.", {
    required: true,
  });

  const ExactDeviceRequest = struct("ExactDeviceRequest", {
    ...asked(1),
    adminAccess: adminAccess(5),
    ...tolerated(6),
  }, { doc: "A request of devices of one class.", applyDefaults: withDefaultsOfClass });
  const DeviceRequest = struct("DeviceRequest", {
    name,
    exactly: field(2, ExactDeviceRequest, "A request of one class.", { pointer: true }),
    firstAvailable: firstAvailable(3),
  }, { doc: "A request of devices. Exactly one of `exactly` and `firstAvailable` must be set." });
  if (version !== "v1beta1") return DeviceRequest;

  const { deviceClassName: _, ...rest } = asked(2);
  const FlatRequest = struct("DeviceRequest", {
    name,
    deviceClassName: field(2, string, "The class of the devices. Absent if there are alternatives.", { written: "always" }),
    ...rest,
    adminAccess: adminAccess(6),
    firstAvailable: firstAvailable(7),
    ...tolerated(8),
  }, { doc: "A request of devices, of one class or with alternatives.", applyDefaults: withDefaultsOfClass });
  return FlatRequest as unknown as typeof DeviceRequest; // `old-version.ts` converts it
}

/** The fields of a request by which devices are counted. */
interface Counted {
  readonly allocationMode?: string;
  readonly count?: number | bigint;
}

/** A request without a mode is for one device. */
export function withDefaults<T extends Counted>(self: T): T {
  const { allocationMode = "", count = 0 } = self;
  const mode = allocationMode === "" ? "ExactCount" : allocationMode;
  const number = mode === "ExactCount" && Number(count) === 0 ? 1 : count;
  return mode === allocationMode && number === count ? self : { ...self, allocationMode: mode, ...(number === 0 ? {} : { count: number }) };
}

/** A request without a class has no defaults: in v1beta1 it has alternatives, and otherwise it is invalid. */
function withDefaultsOfClass<T extends Counted & { readonly deviceClassName: string }>(self: T): T {
  return self.deviceClassName === "" ? self : withDefaults(self);
}

/** Makes the schema of a claim's spec. */
function claimSpecOf(version: DeviceVersion) {
  const parts = partsOf(version), { struct, DeviceConfiguration } = parts;
  const DeviceRequest = deviceRequestOf(parts, version);
  const requests = "The requests that it applies to, by name; an alternative is `request/alternative`. Empty: all requests.";
  const attribute = named(`${version}.FullyQualifiedName`, string);

  const DeviceConstraint = struct("DeviceConstraint", {
    requests: field(1, list(string), requests),
    matchAttribute: field(2, attribute, "The attribute that must have the same value for all devices, with its domain.", { pointer: true }),
    distinctAttribute: field(3, attribute, "The attribute that must have different values for all devices, with its domain.", {
      pointer: true,
    }),
  }, { doc: "A condition on the devices of several requests together." });

  const DeviceClaimConfiguration = struct("DeviceClaimConfiguration", {
    requests: field(1, list(string), requests),
    DeviceConfiguration: field(2, DeviceConfiguration, "The configuration.", { inline: true }),
  }, { doc: "A configuration that is passed to the drivers of the allocated devices." });

  const DeviceClaim = struct("DeviceClaim", {
    requests: field(1, list(DeviceRequest), "The requests. All of them must be satisfied.", { written: "always" }),
    constraints: field(2, list(DeviceConstraint), "Conditions on the devices together."),
    config: field(3, list(DeviceClaimConfiguration), "Configurations of the devices."),
  }, { doc: "Which devices a claim needs." });

  const ResourceClaimSpec = struct("ResourceClaimSpec", {
    devices: field(1, DeviceClaim, "The devices.", { written: "always" }),
  }, { doc: "What a claim needs." });

  return { parts, ResourceClaimSpec };
}

export function resourceClaimOf(version: DeviceVersion) {
  const { parts, ResourceClaimSpec } = claimSpecOf(version);
  return object("ResourceClaim", {
    spec: field(2, ResourceClaimSpec, "What the claim needs. Immutable.", { required: true }),
    status: field(3, resourceClaimStatusOf(parts, version), "What is allocated for the claim, and who uses it.", { written: "always" }),
  }, { package: `resource/${version}`, doc: "A request of devices, which one or more pods can use." });
}
export type ResourceClaim = Infer<ReturnType<typeof resourceClaimOf>>;
export type ResourceClaimSpec = ResourceClaim["spec"];
export type DeviceRequest = ResourceClaimSpec["devices"]["requests"][number];

export function resourceClaimTemplateOf(version: DeviceVersion) {
  const { parts: { struct }, ResourceClaimSpec } = claimSpecOf(version);
  const ResourceClaimTemplateSpec = struct("ResourceClaimTemplateSpec", {
    metadata: field(1, TemplateMeta, "Labels and annotations of the claims. Other fields are not allowed.", { written: "always" }),
    spec: field(2, ResourceClaimSpec, "The spec of the claims.", { required: true }),
  }, { doc: "The claims that are made." });
  return object("ResourceClaimTemplate", {
    spec: field(2, ResourceClaimTemplateSpec, "The claims that are made. Immutable.", { required: true }),
  }, { package: `resource/${version}`, doc: "A template from which a claim is made for each pod that refers to it." });
}
export type ResourceClaimTemplate = Infer<ReturnType<typeof resourceClaimTemplateOf>>;
