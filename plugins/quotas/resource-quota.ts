import { ageColumn, type Column, defineResource, nameColumn, type Resource } from "../../plugin.ts";
import { compareQuantities } from "../../toolbox.ts";
import { validateQuota, validateQuotaStatus, validateQuotaUpdate } from "./quota-rules.ts";
import { ResourceQuota } from "./quota-schema.ts";

/** Writes usage and limit of resources: `configmaps: 1/3, secrets: 0/2`. They are those with the prefix `limits.`, or all others. */
function usageCell({ status: { hard = {}, used = {} } }: ResourceQuota, ofLimits: boolean): string {
  return Object.keys(hard).filter((name) => name.startsWith("limits.") === ofLimits).sort()
    .map((name) => `${name}: ${Object.hasOwn(used, name) ? used[name] : "0"}/${hard[name]}`).join(", ");
}

const columns: readonly Column<ResourceQuota>[] = [
  nameColumn,
  {
    name: "Request",
    type: "string",
    description: "Usage and bound of requests and of counts.",
    cell: (quota) => usageCell(quota, false),
  },
  {
    name: "Limit",
    type: "string",
    description: "Usage and bound of limits.",
    cell: (quota) => usageCell(quota, true),
  },
  ageColumn,
];

/** Warns of requests above their limits, for the pairs of names that upstream compares. */
function warn({ spec: { hard = {} } }: ResourceQuota, prior: ResourceQuota | undefined): readonly string[] {
  if (prior !== undefined) return [];
  const amount = (name: string) => Object.hasOwn(hard, name) ? hard[name] : undefined;
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((name) => {
    const isCompute = name === "cpu" || name === "memory";
    const request = amount(`requests.${name}`) === undefined && isCompute ? name : `requests.${name}`, limit = `limits.${name}`;
    const [asked, allowed] = [amount(request), amount(limit)];
    if (asked === undefined || allowed === undefined || compareQuantities(asked, allowed) <= 0) return [];
    return [`ResourceQuota ${request} (${asked}) should be less than ${limit} (${allowed})`];
  });
}

export const resourceQuotas: Resource<ResourceQuota> = defineResource({
  kind: "ResourceQuota",
  scope: "Namespaced",
  shortNames: ["quota"],
  summary: "Limits the number of objects, and the storage of claims, in a namespace.",
  storedAs: "v1",
  storedUnder: "resourcequotas",
  served: {
    v1: {
      schema: ResourceQuota,
      introduced: "1.0",
      columns,
      subresources: { status: { write: (next, prior) => ({ ...next, spec: prior.spec }), update: validateQuotaStatus } },
    },
  },
  strategy: { deleteAnswers: "object", coreFinalizers: true },
  create: validateQuota,
  update: validateQuotaUpdate,
  warn: (next, prior) => warn(next, prior),
});
