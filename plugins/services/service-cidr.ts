import {
  ageColumn,
  type Column,
  defineResource,
  type FieldError,
  invalid,
  nameColumn,
  required,
  type Resource,
  type Subresource,
} from "../../plugin.ts";
import { metaOfStatus, metaRulesOf, validateObjectMetaUpdate } from "../../toolbox.ts";
import { readCidr, validateCanonicalCidr } from "../shared/cidr.ts";
import { BetaServiceCIDR, ServiceCIDR } from "./ranges-schema.ts";

const v1 = "networking.{domain}/v1", v1beta1 = "networking.{domain}/v1beta1";

const columns: readonly Column<ServiceCIDR>[] = [
  nameColumn,
  { name: "CIDRs", type: "string", description: "The ranges of addresses.", cell: ({ spec }) => (spec.cidrs ?? []).join(",") },
  ageColumn,
];

function validateRanges({ spec, spec: { cidrs = [] } }: ServiceCIDR): readonly FieldError[] {
  const path = "spec.cidrs";
  if (cidrs.length === 0) return [required(path, "at least one CIDR required")];
  if (cidrs.length > 2) return [invalid(path, spec, "may only hold up to 2 values")];
  const [first, second] = cidrs.map((each) => readCidr(each)?.network.bytes.length);
  return [
    ...cidrs.flatMap((each, i) => validateCanonicalCidr(each, `${path}[${i}]`)),
    ...(first !== undefined && first === second
      ? [invalid(path, cidrs, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64")]
      : []),
  ];
}

const immutable = "field is immutable";

function validateUpdate(next: ServiceCIDR, prior: ServiceCIDR): readonly FieldError[] {
  const after = next.spec.cidrs ?? [], before = prior.spec.cidrs ?? [];
  const changed = (i: number) => after[i] === before[i] ? [] : [invalid(`spec.cidrs[${i}]`, after[i], immutable)];
  if (after.length === before.length) return before.flatMap((_, i) => changed(i));
  if (before.length === 1 && after.length === 2) return [...changed(0), ...validateRanges(next)];
  return [invalid("spec.cidrs", next.spec.cidrs ?? null, immutable)];
}

const status: Subresource<ServiceCIDR> = {
  write: (next, prior) => ({ ...prior, metadata: metaOfStatus(next.metadata, prior.metadata), status: next.status }),
  update: (next, prior, { names }) => validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(serviceCIDRs, names)),
  leaves: ["metadata", "spec"],
};

export const serviceCIDRs: Resource<ServiceCIDR> = defineResource({
  kind: "ServiceCIDR",
  scope: "Cluster",
  summary: "A range of addresses of the cluster, from which services get theirs.",
  storedAs: v1,
  storedUnder: "servicecidrs",
  served: {
    [v1]: { schema: ServiceCIDR, introduced: "1.33", columns, subresources: { status } },
    [v1beta1]: {
      schema: BetaServiceCIDR,
      introduced: "1.31",
      deprecated: "1.34",
      removed: "1.37",
      replacement: { groupVersion: v1, kind: "ServiceCIDR" },
      columns,
      subresources: { status },
    },
  },
  // Until 1.35 upstream takes a status from writes of the object itself.
  strategy: { coreFinalizers: true, preparesStatus: "always" },
  create: validateRanges,
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(serviceCIDRs, names)),
    ...validateUpdate(next, prior),
  ],
});
