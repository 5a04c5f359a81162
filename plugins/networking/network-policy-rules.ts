/** The rules of network policies, with upstream's texts and order. */
import { type FieldError, forbidden, invalid, notSupported, required } from "../../plugin.ts";
import { append, type Gates, portNumber, validateLabelSelector } from "../../toolbox.ts";
import { isStrict } from "../shared/gates.ts";
import { invalidCidr, isWithin, readCidr } from "../shared/cidr.ts";
import { validateByRule, validateEnum, validatePort } from "../shared/pod/rules.ts";
import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from "./network-policy-schema.ts";

interface Rules extends StoredParts {
  readonly strict: boolean;
}
/** What the stored policy has already, and what an update therefore may have. */
export interface StoredParts {
  /** Whether invalid values of labels are allowed in selectors. */
  readonly storedValues: boolean;
  /** Blocks and their parts that are not checked again. */
  readonly storedBlocks: ReadonlySet<string>;
}
export const nothingStored: StoredParts = { storedValues: false, storedBlocks: new Set() };

const directions = ["Ingress", "Egress"];
const protocols = ["TCP", "UDP", "SCTP"];

export function validatePolicySpec(spec: NetworkPolicySpec, parts: StoredParts, gates: Gates): readonly FieldError[] {
  const stored: Rules = { ...parts, strict: isStrict(gates) };
  const { podSelector, ingress = [], egress = [] } = spec;
  const policyTypes: readonly string[] = spec.policyTypes ?? [];
  return [
    ...validateLabelSelector(podSelector, "spec.podSelector", stored),
    ...ingress.flatMap(({ ports, from }, i) => validateRule(ports, from, `spec.ingress[${i}]`, "from", stored)),
    ...egress.flatMap(({ ports, to }, i) => validateRule(ports, to, `spec.egress[${i}]`, "to", stored)),
    ...(policyTypes.length > directions.length
      ? [invalid("spec.policyTypes", policyTypes, "may not specify more than two policyTypes")]
      : policyTypes.flatMap((each, i) => directions.includes(each) ? [] : [notSupported(`spec.policyTypes[${i}]`, each, directions)])),
  ];
}

function validateRule(
  ports: readonly NetworkPolicyPort[] = [],
  peers: readonly NetworkPolicyPeer[] = [],
  path: string,
  key: "from" | "to",
  stored: Rules,
): readonly FieldError[] {
  return [
    ...ports.flatMap((each, i) => validatePolicyPort(each, `${path}.ports[${i}]`)),
    ...peers.flatMap((each, i) => validatePeer(each, `${path}.${key}[${i}]`, stored)),
  ];
}

function validatePolicyPort({ protocol, port, endPort }: NetworkPolicyPort, path: string): readonly FieldError[] {
  const at = `${path}.endPort`;
  const wrongProtocol = validateEnum(protocol, protocols, `${path}.protocol`);
  const wrongPort = port === undefined ? [] : validatePort(port, `${path}.port`);
  if (endPort === undefined) return [...wrongProtocol, ...wrongPort];
  if (port === undefined) return [...wrongProtocol, invalid(at, endPort, "may not be specified when `port` is not specified")];
  if (typeof port === "string") {
    return [...wrongProtocol, invalid(at, endPort, "may not be specified when `port` is non-numeric"), ...wrongPort];
  }
  return [
    ...wrongProtocol,
    ...wrongPort,
    // As upstream, the error shows the first port.
    ...(endPort < port ? [invalid(at, port, "must be greater than or equal to `port`")] : []),
    ...portNumber(endPort).map((wrong) => invalid(at, endPort, wrong)),
  ];
}

function validatePeer(peer: NetworkPolicyPeer, path: string, stored: Rules): readonly FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  return [
    ...validateLabelSelector(podSelector, `${path}.podSelector`, stored),
    ...validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`, stored),
    ...(ipBlock === undefined ? [] : validateBlock(ipBlock, `${path}.ipBlock`, stored)),
    ...(ipBlock === undefined && !selects ? [required(path, "must specify a peer")] : []),
    ...(ipBlock !== undefined && selects ? [forbidden(path, "may not specify both ipBlock and another peer")] : []),
  ];
}

function validateBlock({ cidr, except = [] }: IPBlock, path: string, { storedBlocks, strict }: Rules): readonly FieldError[] {
  if (cidr === "") return [required(`${path}.cidr`, "")];
  const rule = (text: string) => storedBlocks.has(text) ? [] : invalidCidr(text, strict);
  const errors = [...validateByRule(rule, cidr, `${path}.cidr`)];
  const block = readCidr(cidr);
  if (block === undefined) return errors;
  for (const [i, each] of except.entries()) {
    const at = `${path}.except[${i}]`, part = readCidr(each);
    append(errors, validateByRule(rule, each, at));
    if (part !== undefined && !isWithin(part, block)) errors.push(invalid(at, each, "must be a strict subset of `cidr`"));
  }
  return errors;
}
