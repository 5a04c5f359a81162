import { ageColumn, type Column, defineResource, type FieldError, nameColumn, type Resource } from "../../plugin.ts";
import { type Gates, metaRulesOf, validateLabelSelector, validateObjectMetaUpdate } from "../../toolbox.ts";
import { warnOfCidr } from "../shared/cidr.ts";
import { selectorCell } from "../shared/selector-text.ts";
import { nothingStored, validatePolicySpec } from "./network-policy-rules.ts";
import { NetworkPolicy, type NetworkPolicyPeer, type NetworkPolicySpec } from "./network-policy-schema.ts";

const groupVersion = "networking.{domain}/v1";

const columns: readonly Column<NetworkPolicy>[] = [
  nameColumn,
  {
    name: "Pod-Selector",
    type: "string",
    description: "The pods that the policy is about.",
    cell: ({ spec }) => selectorCell(spec.podSelector),
  },
  ageColumn,
];

interface PeerAt {
  readonly path: string;
  readonly peer: NetworkPolicyPeer;
}
/** All peers of a policy with their paths. */
function peersOf({ ingress = [], egress = [] }: NetworkPolicySpec): readonly PeerAt[] {
  const at = (peers: readonly NetworkPolicyPeer[] | undefined, path: string) =>
    (peers ?? []).map((peer, i) => ({ peer, path: `${path}[${i}]` }));
  return [
    ...ingress.flatMap(({ from }, i) => at(from, `spec.ingress[${i}].from`)),
    ...egress.flatMap(({ to }, i) => at(to, `spec.egress[${i}].to`)),
  ];
}

function warnOfBlocks({ spec }: NetworkPolicy): readonly string[] {
  return peersOf(spec).flatMap(({ peer: { ipBlock }, path }) =>
    ipBlock === undefined ? [] : [
      ...warnOfCidr(ipBlock.cidr, `${path}.ipBlock.cidr`),
      ...(ipBlock.except ?? []).flatMap((each, i) => warnOfCidr(each, `${path}.ipBlock.except[${i}]`)),
    ]
  );
}

/** The blocks of a stored policy stay valid, wherever an update moves them. */
function storedBlocks({ spec }: NetworkPolicy): ReadonlySet<string> {
  return new Set(peersOf(spec).flatMap(({ peer: { ipBlock } }) => ipBlock === undefined ? [] : [ipBlock.cidr, ...(ipBlock.except ?? [])]));
}

function validateUpdate(next: NetworkPolicy, prior: NetworkPolicy, gates: Gates): readonly FieldError[] {
  return validatePolicySpec(next.spec, {
    storedValues: validateLabelSelector(prior.spec.podSelector, "").length > 0,
    storedBlocks: storedBlocks(prior),
  }, gates);
}

export const networkPolicies: Resource<NetworkPolicy> = defineResource({
  kind: "NetworkPolicy",
  scope: "Namespaced",
  shortNames: ["netpol"],
  summary: "The traffic that is allowed to and from pods of a namespace.",
  storedAs: groupVersion,
  storedUnder: "networkpolicies",
  served: { [groupVersion]: { schema: NetworkPolicy, introduced: "1.7", columns } },
  strategy: { generation: "exact", coreFinalizers: true },
  create: ({ spec }, { gates }) => validatePolicySpec(spec, nothingStored, gates),
  update: (next, prior, { names, gates }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(networkPolicies, names)),
    ...validateUpdate(next, prior, gates),
  ],
  warn: (next) => warnOfBlocks(next),
});
