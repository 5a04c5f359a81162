import { ageColumn, type Column, defineResource, invalid, nameColumn, type Resource } from "../../plugin.ts";
import { metaRulesOf, type Names, sameValue, spell, subdomainName, validateObjectMeta } from "../../toolbox.ts";
import { warnOfAddress } from "../shared/address-text.ts";
import { shownAddressesMax } from "./bounds.ts";
import { validateAddressType, validateEndpoints, validatePorts } from "./endpoint-slice-rules.ts";
import { type Endpoint, EndpointSlice } from "./endpoint-slice-schema.ts";

const groupVersion = "discovery.{domain}/v1";

function firstOf(all: readonly string[]): string {
  if (all.length === 0) return "<unset>";
  const shown = all.slice(0, shownAddressesMax).join(",");
  if (all.length > shownAddressesMax) return `${shown} + ${all.length - shownAddressesMax} more...`;
  return shown === "" ? "<unset>" : shown;
}

const columns: readonly Column<EndpointSlice>[] = [
  nameColumn,
  { name: "AddressType", type: "string", description: "The type of the addresses.", cell: ({ addressType }) => addressType },
  {
    name: "Ports",
    type: "string",
    description: "The first ports, and the number of the others.",
    cell: ({ ports }) => firstOf((ports ?? []).map(({ port, name }) => port === undefined ? name ?? "*" : String(port))),
  },
  {
    name: "Endpoints",
    type: "string",
    description: "The first addresses, and the number of the others.",
    cell: ({ endpoints }) => firstOf((endpoints ?? []).flatMap(({ addresses }) => addresses)),
  },
  ageColumn,
];

/**
 * Removes the labels about the place of endpoints, which v1 does not write. A stored node that is named by such a label becomes the node of
 * the endpoint, so that clients that know v1 only do not lose it.
 */
function withoutTopology(next: EndpointSlice, prior: EndpointSlice | undefined, names: Names): EndpointSlice {
  if (!(next.endpoints ?? []).some(({ deprecatedTopology }) => deprecatedTopology !== undefined)) return next;
  if (prior !== undefined && sameValue(next.endpoints, prior.endpoints)) return next;
  const key = spell(names, "{platform}.io/hostname");
  const known = new Set((prior?.endpoints ?? []).map(({ deprecatedTopology }) => deprecatedTopology?.[key]));
  return {
    ...next,
    endpoints: (next.endpoints ?? []).map(({ deprecatedTopology, ...rest }): Endpoint => {
      const node = deprecatedTopology?.[key];
      const keeps = rest.nodeName === undefined && node !== undefined && node !== "" && known.has(node) &&
        subdomainName(node, false).length === 0;
      return keeps ? { ...rest, nodeName: node } : rest;
    }),
  };
}

/** The generation also counts changes of labels. */
function generationOf(next: EndpointSlice, prior: EndpointSlice | undefined): number {
  if (prior === undefined) return 1;
  const changed = !sameValue(rest(next), rest(prior)) || !sameValue(next.metadata.labels ?? {}, prior.metadata.labels ?? {});
  return Number(prior.metadata.generation ?? 0) + (changed ? 1 : 0);
}
const rest = ({ addressType, endpoints, ports }: EndpointSlice) => ({ addressType, endpoints: endpoints ?? [], ports: ports ?? [] });

const controllers = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

/** The warnings for addresses that are not canonical. The controllers that write most slices write canonical ones. */
function warnOfAddresses({ metadata, endpoints }: EndpointSlice, names: Names): readonly string[] {
  const key = spell(names, "endpointslice.{platform}.io/managed-by");
  if (controllers.includes(metadata.labels?.[key] ?? "")) return [];
  return (endpoints ?? []).flatMap(({ addresses }, i) =>
    addresses.flatMap((each, j) => warnOfAddress(each, `endpoints[${i}].addresses[${j}]`))
  );
}

export const endpointSlices: Resource<EndpointSlice> = defineResource({
  kind: "EndpointSlice",
  scope: "Namespaced",
  summary: "A part of the addresses of a service.",
  storedAs: groupVersion,
  storedUnder: "endpointslices",
  served: { [groupVersion]: { schema: EndpointSlice, introduced: "1.21", columns } },
  strategy: { coreFinalizers: true },
  prepare: (next, prior, { names }) => ({
    ...withoutTopology(next, prior, names),
    metadata: { ...next.metadata, generation: generationOf(next, prior) },
  }),
  create: (next, { gates }) => [
    ...validateAddressType(next.addressType),
    ...validatePorts(next.ports),
    ...validateEndpoints(next, gates),
  ],
  update: (next, prior, { names, gates }) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(endpointSlices, names)),
    ...validateAddressType(next.addressType),
    ...validatePorts(next.ports),
    // A stored list stays valid.
    ...(sameValue(next.endpoints, prior.endpoints) ? [] : validateEndpoints(next, gates)),
    ...(next.addressType === prior.addressType ? [] : [invalid("addressType", next.addressType, "field is immutable")]),
  ],
  warn: (next, prior, { names }) => [
    ...(prior === undefined && next.addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : []),
    ...warnOfAddresses(next, names),
  ],
});
