import {
  ageColumn,
  type Column,
  defineResource,
  type FieldError,
  invalid,
  nameColumn,
  notSupported,
  required,
  type Resource,
} from "../../plugin.ts";
import {
  type Gates,
  metaRulesOf,
  portNumber,
  sameValue,
  spell,
  subdomainName,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import { warnOfAddress } from "../shared/address-text.ts";
import { label, validateByRule, validateQualifiedName } from "../shared/pod/rules.ts";
import { isStrict } from "../shared/gates.ts";
import { validateAddress, validateEndpointAddress } from "../shared/addresses.ts";
import { type EndpointAddress, type EndpointPort, Endpoints, type EndpointSubset } from "./endpoints-schema.ts";
import { shownAddressesMax } from "./bounds.ts";

const protocols = ["SCTP", "TCP", "UDP"];

/** The first addresses with their ports, and the number of the others. */
function addressesText({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) => {
    if (ports.length === 0) return addresses.map(({ ip }) => ip);
    return ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip.includes(":") ? `[${ip}]` : ip}:${port}`));
  });
  const shown = all.slice(0, shownAddressesMax).join(",");
  return all.length > shownAddressesMax ? `${shown} + ${all.length - shownAddressesMax} more...` : shown;
}

const columns: readonly Column<Endpoints>[] = [
  nameColumn,
  {
    name: "Endpoints",
    type: "string",
    description: "The first addresses with their ports, and the number of the others.",
    cell: addressesText,
  },
  ageColumn,
];

function validateSubset(
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
  strict: boolean,
  path: string,
): readonly FieldError[] {
  const isEmpty = addresses.length === 0 && notReadyAddresses.length === 0;
  return [
    ...(isEmpty ? [required(path, "must specify `addresses` or `notReadyAddresses`")] : []),
    ...addresses.flatMap((each, i) => validateOne(each, strict, `${path}.addresses[${i}]`)),
    ...notReadyAddresses.flatMap((each, i) => validateOne(each, strict, `${path}.notReadyAddresses[${i}]`)),
    ...ports.flatMap((each, i) => validatePort(each, ports.length > 1, `${path}.ports[${i}]`)),
  ];
}

function validateOne({ ip, hostname = "", nodeName }: EndpointAddress, strict: boolean, path: string): readonly FieldError[] {
  return [
    ...validateAddress(ip, `${path}.ip`, strict),
    ...(hostname === "" ? [] : label(hostname, `${path}.hostname`)),
    ...(nodeName === undefined ? [] : validateByRule((name) => subdomainName(name, false), nodeName, `${path}.nodeName`)),
    ...validateEndpointAddress(ip, `${path}.ip`),
  ];
}

function validatePort(
  { name = "", port, protocol: given, appProtocol }: EndpointPort,
  isOneOfMany: boolean,
  path: string,
): readonly FieldError[] {
  const protocol: string = given ?? "";
  return [
    ...(name !== "" ? label(name, `${path}.name`) : isOneOfMany ? [required(`${path}.name`, "")] : []),
    ...portNumber(port).map((wrong) => invalid(`${path}.port`, port, wrong)),
    ...(protocol === "" ? [required(`${path}.protocol`, "")] : protocols.includes(protocol) ? [] : [
      notSupported(`${path}.protocol`, protocol, protocols),
    ]),
    ...(appProtocol === undefined ? [] : validateQualifiedName(appProtocol, `${path}.appProtocol`)),
  ];
}

const validateSubsets = ({ subsets = [] }: Endpoints, gates: Gates) =>
  subsets.flatMap((each, i) => validateSubset(each, isStrict(gates), `subsets[${i}]`));

/** The warnings for addresses that are not canonical. The controller that writes most of these objects writes canonical ones. */
function warnOfAddresses({ metadata, subsets = [] }: Endpoints, managedBy: string): readonly string[] {
  if (metadata.labels?.[managedBy] === "endpoint-controller") return [];
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [] }, i) => [
    ...addresses.flatMap(({ ip }, j) => warnOfAddress(ip, `subsets[${i}].addresses[${j}].ip`)),
    ...notReadyAddresses.flatMap(({ ip }, j) => warnOfAddress(ip, `subsets[${i}].notReadyAddresses[${j}].ip`)),
  ]);
}

export const endpoints: Resource<Endpoints> = defineResource({
  kind: "Endpoints",
  plural: "endpoints",
  singular: "endpoints",
  listKind: "EndpointsList",
  scope: "Namespaced",
  shortNames: ["ep"],
  summary: "The addresses of the service of this name, in one object.",
  storedAs: "v1",
  storedUnder: "services/endpoints",
  served: {
    v1: {
      schema: Endpoints,
      introduced: "1.0",
      columns,
      deprecated: "1.33",
      replacement: { groupVersion: "discovery.{domain}/v1", kind: "EndpointSlice" },
    },
  },
  strategy: { createOnUpdate: true, coreFinalizers: true },
  create: (next, { gates }) => validateSubsets(next, gates),
  update: (next, prior, { names, gates }) => {
    const rules = metaRulesOf(endpoints, names);
    return [
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...validateObjectMeta(next.metadata, rules),
      // A stored list stays valid.
      ...(sameValue(next.subsets, prior.subsets) ? [] : validateSubsets(next, gates)),
    ];
  },
  warn: (next, _prior, { names }) => warnOfAddresses(next, spell(names, "endpoints.{platform}.io/managed-by")),
});
