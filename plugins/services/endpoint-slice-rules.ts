/** The rules of EndpointSlices, with upstream's texts and order. */
import { duplicate, type FieldError, invalid, notSupported, required } from "../../plugin.ts";
import { append, dns1123Label, dns1123Subdomain, type Gates, labelValue, subdomainName, tooMany, validateLabels } from "../../toolbox.ts";
import { label, validateByRule, validateQualifiedName } from "../shared/pod/rules.ts";
import { isStrict } from "../shared/gates.ts";
import { familyOf, validateAddress, validateCanonicalAddress, validateEndpointAddress } from "../shared/addresses.ts";
import { endpointAddressesMax, endpointHintsMax, sliceEndpointsMax, slicePortsMax, topologyLabelsMax } from "./bounds.ts";
import type { Endpoint, EndpointHints, EndpointSlice, SlicePort } from "./endpoint-slice-schema.ts";

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const protocols = ["SCTP", "TCP", "UDP"];

export function validateAddressType(type: string): readonly FieldError[] {
  if (type === "") return [required("addressType", "")];
  return addressTypes.includes(type) ? [] : [notSupported("addressType", type, addressTypes)];
}

export function validatePorts(ports: readonly SlicePort[] = []): readonly FieldError[] {
  if (ports.length > slicePortsMax) return [tooMany("ports", ports.length, slicePortsMax)];
  const errors: FieldError[] = [], names = new Set<string>();
  for (const [i, { name, protocol, appProtocol }] of ports.entries()) {
    const path = `ports[${i}]`, text = name ?? "";
    if (text !== "") append(errors, label(text, `${path}.name`));
    if (names.has(text)) errors.push(duplicate(`${path}.name`, text));
    names.add(text);
    if (!protocols.includes(protocol ?? "")) errors.push(notSupported(`${path}.protocol`, protocol, protocols));
    if (appProtocol !== undefined) append(errors, validateQualifiedName(appProtocol, `${path}.appProtocol`));
  }
  return errors;
}

export function validateEndpoints({ endpoints = [], addressType }: EndpointSlice, gates: Gates): readonly FieldError[] {
  if (endpoints.length > sliceEndpointsMax) return [tooMany("endpoints", endpoints.length, sliceEndpointsMax)];
  return endpoints.flatMap((each, i) => validateEndpoint(each, addressType, isStrict(gates), `endpoints[${i}]`));
}

function validateEndpoint(endpoint: Endpoint, type: string, strict: boolean, path: string): readonly FieldError[] {
  const { addresses, nodeName, deprecatedTopology = {}, hostname, hints } = endpoint;
  const topology = Object.keys(deprecatedTopology).length;
  return [
    ...(addresses.length === 0 ? [required(`${path}.addresses`, "must contain at least 1 address")] : []),
    ...(addresses.length > endpointAddressesMax ? [tooMany(`${path}.addresses`, addresses.length, endpointAddressesMax)] : []),
    ...addresses.flatMap((each, i) => validateAddressOf(type, each, strict, `${path}.addresses`, i)),
    ...(nodeName === undefined ? [] : validateByRule(nodeRule, nodeName, `${path}.nodeName`)),
    ...(topology > topologyLabelsMax ? [tooMany(`${path}.deprecatedTopology`, topology, topologyLabelsMax)] : []),
    ...validateLabels(deprecatedTopology, `${path}.deprecatedTopology`),
    ...(hostname === undefined ? [] : label(hostname, `${path}.hostname`)),
    ...(hints === undefined ? [] : validateHints(hints, `${path}.hints`)),
  ];
}
const nodeRule = (name: string) => subdomainName(name, false);

/** As upstream, an address of the other family is an error of the whole list. */
function validateAddressOf(type: string, address: string, strict: boolean, path: string, i: number): readonly FieldError[] {
  const at = `${path}[${i}]`;
  if (type === "FQDN") return validateDomain(address, at);
  if (type !== "IPv4" && type !== "IPv6") return [];
  const errors = type === "IPv4" ? validateAddress(address, at, strict) : validateCanonicalAddress(address, at);
  if (errors.length > 0) return errors;
  return [
    ...(familyOf(address) === type ? [] : [invalid(path, address, `must be an ${type} address`)]),
    ...validateEndpointAddress(address, at),
  ];
}

/** Checks a domain of at least two labels, which may end with a dot. */
function validateDomain(text: string, path: string): readonly FieldError[] {
  if (text === "") return [required(path, "")];
  const domain = text.endsWith(".") ? text.slice(0, -1) : text, wrong = dns1123Subdomain(domain);
  if (wrong.length > 0) return [invalid(path, domain, wrong.join(","))];
  const labels = domain.split(".");
  if (labels.length < 2) return [invalid(path, domain, "should be a domain with at least two segments separated by dots")];
  for (const each of labels) {
    const inLabel = dns1123Label(each);
    if (inLabel.length > 0) return [invalid(path, each, inLabel.join(","))];
  }
  return [];
}

function validateHints({ forZones = [], forNodes = [] }: EndpointHints, path: string): readonly FieldError[] {
  if (forZones.length > endpointHintsMax) return [tooMany(`${path}.forZones`, forZones.length, endpointHintsMax)];
  const errors = [...validateHintNames(forZones, labelValue, `${path}.forZones`)];
  if (forNodes.length > endpointHintsMax) errors.push(tooMany(`${path}.forNodes`, forNodes.length, endpointHintsMax));
  else append(errors, validateHintNames(forNodes, nodeRule, `${path}.forNodes`));
  return errors;
}

function validateHintNames(
  hints: readonly { readonly name: string }[],
  rule: (name: string) => readonly string[],
  path: string,
): readonly FieldError[] {
  return hints.flatMap(({ name }, i) => [
    ...(hints.findIndex((each) => each.name === name) < i ? [duplicate(`${path}[${i}].name`, name)] : []),
    ...validateByRule(rule, name, `${path}[${i}].name`),
  ]);
}
