import { type Column, defineResource, type FieldError, invalid, nameColumn, required, type Resource } from "../../plugin.ts";
import { metaRulesOf, pathSegmentName, sameValue, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { subdomain, validateByRule } from "../shared/pod/rules.ts";
import { validateCanonicalAddress } from "../shared/addresses.ts";
import { BetaIPAddress, IPAddress } from "./ranges-schema.ts";

const v1 = "networking.{domain}/v1", v1beta1 = "networking.{domain}/v1beta1";

function parentText({ spec: { parentRef } }: IPAddress): string {
  if (parentRef === undefined) return "<none>";
  const { group = "", resource = "", namespace = "", name = "" } = parentRef;
  const full = (group === "" ? resource : `${resource}.${group}`).toLowerCase();
  return `${full}${namespace === "" ? "" : `/${namespace}`}/${name}`;
}

const columns: readonly Column<IPAddress>[] = [
  nameColumn,
  { name: "ParentRef", type: "string", description: "The object that uses the address.", cell: parentText },
];

const segment = (text: string) => pathSegmentName(text, false);

function validateParent({ spec: { parentRef } }: IPAddress): readonly FieldError[] {
  const path = "spec.parentRef";
  if (parentRef === undefined) return [required(path, "")];
  const { group = "", resource = "", namespace = "", name = "" } = parentRef;
  const demanded = (text: string, at: string) => text === "" ? [required(at, "")] : validateByRule(segment, text, at);
  return [
    ...(group === "" ? [] : subdomain(group, `${path}.group`)),
    ...demanded(resource, `${path}.resource`),
    ...demanded(name, `${path}.name`),
    ...(namespace === "" ? [] : validateByRule(segment, namespace, `${path}.namespace`)),
  ];
}

export const ipAddresses: Resource<IPAddress> = defineResource({
  kind: "IPAddress",
  plural: "ipaddresses",
  scope: "Cluster",
  shortNames: ["ip"],
  summary: "An address of the cluster that is in use.",
  storedAs: v1,
  storedUnder: "ipaddresses",
  served: {
    [v1]: { schema: IPAddress, introduced: "1.33", columns },
    [v1beta1]: {
      schema: BetaIPAddress,
      introduced: "1.31",
      deprecated: "1.34",
      removed: "1.37",
      replacement: { groupVersion: v1, kind: "IPAddress" },
      columns,
    },
  },
  strategy: { coreFinalizers: true, nameRule: (name) => validateCanonicalAddress(name, "").map(({ detail }) => detail) },
  create: validateParent,
  update: (next, prior, { names }) => {
    const rules = metaRulesOf(ipAddresses, names);
    return [
      ...validateObjectMeta(next.metadata, rules),
      ...validateParent(next),
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...(sameValue(next.spec.parentRef, prior.spec.parentRef)
        ? []
        : [invalid("spec.parentRef", next.spec.parentRef ?? null, "field is immutable")]),
    ];
  },
});
