/** The shapes of ServiceCIDR and IPAddress: the ranges of cluster addresses, and the addresses in use. */
import { Condition, field, type Infer, list, mapBy, object, string, structsOf } from "../../plugin.ts";

function rangeOf(home: string) {
  const struct = structsOf(home);
  const ServiceCIDRSpec = struct("ServiceCIDRSpec", {
    cidrs: field(1, list(string), "The range of addresses, or one of each IP family. A second one can be added; otherwise immutable."),
  }, { doc: "The specification of a range." });
  const ServiceCIDRStatus = struct("ServiceCIDRStatus", {
    conditions: field(1, mapBy(["type"], Condition), "The state of the range: Ready.", {
      patch: { strategy: ["merge"], mergeKey: "type" },
    }),
  }, { doc: "The state of a range." });
  return object("ServiceCIDR", {
    spec: field(2, ServiceCIDRSpec, "The specification of the range.", { written: "always" }),
    status: field(3, ServiceCIDRStatus, "The state of the range. Controllers write it.", { written: "always" }),
  }, { package: home, doc: "A range of addresses of the cluster. Services get their addresses from all ranges that are ready." });
}

function addressOf(home: string) {
  const struct = structsOf(home);
  const ParentReference = struct("ParentReference", {
    group: field(1, string, "The API group of the object. Absent: the core group."),
    resource: field(2, string, "The resource of the object.", { required: true, written: "omitEmpty" }),
    namespace: field(3, string, "The namespace of the object."),
    name: field(4, string, "The name of the object.", { required: true, written: "omitEmpty" }),
  }, { doc: "A reference to the object that uses an address." });
  const IPAddressSpec = struct("IPAddressSpec", {
    parentRef: field(1, ParentReference, "The object that uses the address. Immutable.", {
      pointer: true,
      required: true,
      written: "omitEmpty",
    }),
  }, { doc: "The specification of an address." });
  return object("IPAddress", {
    spec: field(2, IPAddressSpec, "The specification of the address.", { required: true }),
  }, { package: home, doc: "An address of the cluster that is in use. Its name is the address in canonical form." });
}

export const ServiceCIDR = rangeOf("networking/v1"), BetaServiceCIDR = rangeOf("networking/v1beta1");
export type ServiceCIDR = Infer<typeof ServiceCIDR>;
export const IPAddress = addressOf("networking/v1"), BetaIPAddress = addressOf("networking/v1beta1");
export type IPAddress = Infer<typeof IPAddress>;
