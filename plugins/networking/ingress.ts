import {
  ageColumn,
  type Column,
  defineResource,
  type FieldError,
  type HookContext,
  invalid,
  nameColumn,
  type Resource,
  type Subresource,
} from "../../plugin.ts";
import { metaRulesOf, type Names, spell, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { warnOfAddress } from "../shared/address-text.ts";
import { nothingStored, storedPartsOf, validateEntries, validateIngressSpec } from "./ingress-rules.ts";
import { Ingress, type IngressRule } from "./ingress-schema.ts";

const groupVersion = "networking.{domain}/v1";

const classAnnotation = (names: Names) => spell(names, "{platform}.io/ingress.class");

/** The class of an ingress by the deprecated annotation. */
export function annotatedClass({ metadata: { annotations = {} } }: Ingress, names: Names): string | undefined {
  const key = classAnnotation(names);
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}

const shownHostsMax = 3;
function hostsText(rules: readonly IngressRule[] = []): string {
  const hosts: string[] = [];
  let isCut = false;
  for (const { host = "" } of rules) {
    isCut ||= hosts.length === shownHostsMax;
    if (!isCut && host !== "") hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return isCut ? `${hosts.join(",")} + ${rules.length - shownHostsMax} more...` : hosts.join(",");
}

function addressesText({ status: { loadBalancer } }: Ingress): string {
  const entries = (loadBalancer.ingress ?? []).map(({ ip = "", hostname = "" }) => ip === "" ? hostname : ip);
  return [...new Set(entries.filter((each) => each !== ""))].sort().join(",");
}

const columns: readonly Column<Ingress>[] = [
  nameColumn,
  {
    name: "Class",
    type: "string",
    description: "The class of the ingress.",
    cell: ({ spec: { ingressClassName = "<none>" } }) => ingressClassName,
  },
  { name: "Hosts", type: "string", description: "The hosts of the rules.", cell: ({ spec }) => hostsText(spec.rules) },
  { name: "Address", type: "string", description: "Where traffic enters.", cell: addressesText },
  {
    name: "Ports",
    type: "string",
    description: "The ports that traffic enters by.",
    cell: ({ spec: { tls = [] } }) => tls.length > 0 ? "80, 443" : "80",
  },
  ageColumn,
];

function validateCreate(next: Ingress, { names, gates }: HookContext): readonly FieldError[] {
  const annotated = annotatedClass(next, names), { ingressClassName } = next.spec;
  return [
    ...validateIngressSpec(next.spec, nothingStored, gates),
    ...(annotated === undefined || ingressClassName === undefined || annotated === ingressClassName
      ? []
      : [invalid(`annotations.${classAnnotation(names)}`, annotated, "must match `ingressClassName` when both are specified")]),
  ];
}

const status: Subresource<Ingress> = {
  write: (next, prior) => ({ ...next, spec: prior.spec }),
  update: (next, prior, { names, gates }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(ingresses, names)),
    ...validateEntries(next, prior, gates),
  ],
  leaves: ["spec"],
};

function warn(next: Ingress, prior: Ingress | undefined, { names, subresource }: HookContext): readonly string[] {
  if (subresource === "status") {
    return (next.status.loadBalancer.ingress ?? []).flatMap(({ ip = "" }, i) => warnOfAddress(ip, `status.loadBalancer.ingress[${i}]`));
  }
  if (prior !== undefined || annotatedClass(next, names) === undefined || next.spec.ingressClassName !== undefined) return [];
  return [`annotation "${classAnnotation(names)}" is deprecated, please use 'spec.ingressClassName' instead`];
}

export const ingresses: Resource<Ingress> = defineResource({
  kind: "Ingress",
  scope: "Namespaced",
  shortNames: ["ing"],
  summary: "Rules by which HTTP requests from outside reach services.",
  storedAs: groupVersion,
  storedUnder: "ingress",
  served: { [groupVersion]: { schema: Ingress, introduced: "1.19", columns, subresources: { status } } },
  strategy: { generation: true, coreFinalizers: true },
  prepare: (next, prior) => ({ ...next, status: prior?.status ?? { loadBalancer: {} } }),
  create: validateCreate,
  update: (next, prior, { names, gates }) => {
    const rules = metaRulesOf(ingresses, names);
    return [
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...validateObjectMeta(next.metadata, rules),
      ...validateIngressSpec(next.spec, storedPartsOf(prior.spec), gates),
    ];
  },
  warn,
});
