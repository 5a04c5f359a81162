/** The rules of ingresses, with upstream's texts and order. */
import { type FieldError, invalid, notSupported, required } from "../../plugin.ts";
import { dns1035Label, dns1123Label, dns1123Subdomain, type Gates, portNumber } from "../../toolbox.ts";
import { validateAddress } from "../shared/addresses.ts";
import { isRelaxed, isStrict } from "../shared/gates.ts";
import { readAddress } from "../shared/address-text.ts";
import { portName, subdomain, validateByRule } from "../shared/pod/rules.ts";
import { validateSegment } from "./ingress-class.ts";
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressLoadBalancerIngress,
  IngressRule,
  IngressSpec,
  IngressTLS,
} from "./ingress-schema.ts";
import { validateHost } from "./names.ts";

/** What the stored ingress has already, and what an update therefore may have. */
interface StoredParts {
  /** Whether names of secrets are not checked. */
  readonly secretNames: boolean;
  /** Whether paths of hosts with a star are not checked. */
  readonly wildcardRules: boolean;
  /** Whether names of services may begin with a digit. */
  readonly relaxedServices: boolean;
}
export const nothingStored: StoredParts = { secretNames: false, wildcardRules: false, relaxedServices: false };

const isIP = (text: string) => readAddress(text) !== undefined;
const noIP = "must be a DNS name, not an IP address";

export function validateIngressSpec(spec: IngressSpec, parts: StoredParts, gates: Gates): readonly FieldError[] {
  const { defaultBackend, rules = [], tls = [], ingressClassName } = spec;
  const stored = isRelaxed(gates) ? { ...parts, relaxedServices: true } : parts;
  return [
    ...(rules.length === 0 && defaultBackend === undefined
      ? [invalid("spec", spec.rules, "either `defaultBackend` or `rules` must be specified")]
      : []),
    ...(defaultBackend === undefined ? [] : validateBackend(defaultBackend, "spec.defaultBackend", stored)),
    ...rules.flatMap((each, i) => validateRule(each, `spec.rules[${i}]`, stored)),
    ...tls.flatMap((each, i) => validateTls(each, `spec.tls[${i}]`, stored)),
    ...(ingressClassName === undefined ? [] : subdomain(ingressClassName, "spec.ingressClassName")),
  ];
}

/** What an update may keep, by what is stored. */
export function storedPartsOf({ defaultBackend, rules = [], tls = [] }: IngressSpec): StoredParts {
  const backends = [defaultBackend, ...rules.flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend))];
  return {
    secretNames: tls.some((each) => validateTls({ secretName: each.secretName ?? "" }, "", nothingStored).length > 0),
    wildcardRules: rules.some((each) => (each.host ?? "").includes("*") && validatePaths(each, "", nothingStored).length > 0),
    relaxedServices: backends.some((each) => {
      const name = each?.service?.name;
      return name !== undefined && dns1123Label(name).length === 0 && dns1035Label(name).length > 0;
    }),
  };
}

function validateRule(rule: IngressRule, path: string, stored: StoredParts): readonly FieldError[] {
  const { host = "" } = rule;
  return [
    ...(isIP(host) ? [invalid(`${path}.host`, host, noIP)] : []),
    ...(host === "" ? [] : validateHost(host, `${path}.host`)),
    ...(host.includes("*") && stored.wildcardRules ? [] : validatePaths(rule, path, stored)),
  ];
}

function validatePaths({ http }: IngressRule, path: string, stored: StoredParts): readonly FieldError[] {
  if (http === undefined) return [];
  const at = `${path}.http.paths`;
  return [
    ...(http.paths.length === 0 ? [required(at, "")] : []),
    ...http.paths.flatMap((each, i) => validatePath(each, `${at}[${i}]`, stored)),
  ];
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
const forbiddenParts = ["//", "/./", "/../", "%2f", "%2F"];
const forbiddenEnds = ["/..", "/."];

function validatePath({ path: text = "", pathType, backend }: HTTPIngressPath, path: string, stored: StoredParts): readonly FieldError[] {
  if (pathType === undefined || pathType === null) return [required(`${path}.pathType`, "pathType must be specified")];
  const at = `${path}.path`;
  const wrong = (detail: string) => invalid(at, text, detail);
  const isPlain = pathType === "Exact" || pathType === "Prefix";
  return [
    ...(pathTypes.includes(pathType) ? [] : [notSupported(`${path}.pathType`, pathType, pathTypes)]),
    ...((isPlain || (pathType === "ImplementationSpecific" && text !== "")) && !text.startsWith("/")
      ? [wrong("must be an absolute path")]
      : []),
    ...(isPlain ? forbiddenParts.filter((each) => text.includes(each)).map((each) => wrong(`must not contain '${each}'`)) : []),
    ...(isPlain ? forbiddenEnds.filter((each) => text.endsWith(each)).map((each) => wrong(`cannot end with '${each}'`)) : []),
    ...validateBackend(backend, `${path}.backend`, stored),
  ];
}

function validateBackend({ service, resource }: IngressBackend, path: string, stored: StoredParts): readonly FieldError[] {
  if (resource !== undefined && service !== undefined) return [invalid(path, "", "cannot set both resource and service backends")];
  if (resource !== undefined) return validateResource(resource, `${path}.resource`);
  if (service === undefined) return [invalid(path, "", "resource or service backend is required")];
  const { name, port } = service;
  return [
    ...(name === ""
      ? [required(`${path}.service.name`, "")]
      : validateByRule(stored.relaxedServices ? dns1123Label : dns1035Label, name, `${path}.service.name`)),
    ...validateServicePort(port, path),
  ];
}

function validateServicePort(
  { name = "", number = 0 }: NonNullable<IngressBackend["service"]>["port"],
  path: string,
): readonly FieldError[] {
  if (name !== "" && number !== 0) return [invalid(path, "", "cannot set both port name & port number")];
  if (name !== "") return validateByRule(portName, name, `${path}.service.port.name`);
  if (number === 0) return [required(path, "port name or number is required")];
  return portNumber(number).map((wrong) => invalid(`${path}.service.port.number`, number, wrong));
}

function validateResource({ apiGroup, kind, name }: NonNullable<IngressBackend["resource"]>, path: string): readonly FieldError[] {
  return [
    ...(apiGroup === undefined || apiGroup === null ? [] : subdomain(apiGroup, `${path}.apiGroup`)),
    ...validateSegment(kind, `${path}.kind`),
    ...validateSegment(name, `${path}.name`),
  ];
}

function validateTls({ hosts = [], secretName = "" }: IngressTLS, path: string, stored: StoredParts): readonly FieldError[] {
  return [
    ...hosts.flatMap((each, i) => validateHost(each, `${path}.hosts[${i}]`)),
    ...(secretName === "" || stored.secretNames ? [] : subdomain(secretName, `${path}.secretName`)),
  ];
}

/** Checks the points where traffic enters. Addresses that are stored are not checked again. */
export function validateEntries(next: Ingress, prior: Ingress, gates: Gates): readonly FieldError[] {
  const stored = new Set((prior.status.loadBalancer.ingress ?? []).map(({ ip }) => ip));
  return (next.status.loadBalancer.ingress ?? []).flatMap((each, i) =>
    validateEntry(each, `status.loadBalancer.ingress[${i}]`, stored, isStrict(gates))
  );
}

function validateEntry(
  { ip = "", hostname = "" }: IngressLoadBalancerIngress,
  path: string,
  stored: ReadonlySet<string | undefined>,
  strict: boolean,
): readonly FieldError[] {
  return [
    ...(ip === "" || stored.has(ip) ? [] : validateAddress(ip, `${path}.ip`, strict)),
    ...(hostname === "" ? [] : dns1123Subdomain(hostname).map((wrong) => invalid(`${path}.hostname`, hostname, wrong))),
    ...(isIP(hostname) ? [invalid(`${path}.hostname`, hostname, noIP)] : []),
  ];
}
