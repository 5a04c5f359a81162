/** Counts the usage of a namespace, and writes it into the status of a quota (upstream: syncResourceQuota). */
import { type Api, StatusError } from "../../plugin.ts";
import { compareQuantities, listed, type Names, sameAmounts } from "../../toolbox.ts";
import { addedTo, amountIn, type Amounts, only } from "./amounts.ts";
import type { ReadCollection, Usage } from "./counting.ts";
import type { ResourceQuota } from "./quota-schema.ts";
import { type Counted, isOfWorkloads } from "./resources.ts";
import { isInScopes, scopesOf } from "./usage.ts";

export interface Recalculation {
  readonly api: Api;
  readonly names: Names;
  readonly counted: readonly Counted[];
  /** Whether all creates that were charged before this state of the quota have been stored. Only then may the usage be lowered. */
  readonly isSettled: (quota: ResourceQuota) => boolean;
}

/**
 * Resolves with whether the usage must be counted again once the quota is settled. Rejects with Conflict if the quota has changed
 * meanwhile. If a collection cannot be counted, its usage stays, the usage of the others is written, and then the promise rejects.
 */
export async function recalculate(namespace: string, name: string, at: Recalculation): Promise<"done" | "unsettled"> {
  const quota = await read(at.api, namespace, name);
  if (quota === undefined) return "done";
  // This is decided before the objects are counted: a create that is stored after that was charged after that, too.
  const settled = at.isSettled(quota);
  const hard = quota.spec.hard ?? {}, { found, failures } = await usageIn(namespace, quota, at);
  const before = quota.status.used ?? {};
  const isLower = (key: string) => amountIn(before, key) !== undefined && compareQuantities(found[key]!, before[key]!) < 0;
  const lower = settled ? [] : Object.keys(found).filter(isLower);
  const kept = only(before, Object.keys(before).filter((key) => Object.hasOwn(hard, key)));
  const used = { ...kept, ...found, ...only(before, lower) };
  const isSame = quota.status.hard !== undefined && quota.status.used !== undefined && sameAmounts(quota.status.used, used) &&
    sameAmounts(quota.status.hard, hard);
  if (!isSame) {
    const next = { ...quota, status: { hard, used } };
    await at.api.update("v1", "resourcequotas", namespace, name, next, { subresource: "status" });
  }
  if (failures.length > 0) throw new Error(failures.join("; "));
  return lower.length === 0 ? "done" : "unsettled";
}

async function read(api: Api, namespace: string, name: string): Promise<ResourceQuota | undefined> {
  try {
    return await api.get("v1", "resourcequotas", namespace, name) as ResourceQuota; // the object is of this resource
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return undefined;
    throw error;
  }
}

/** Counts the usage of all limits of the quota that this server can count. Also returns why some cannot be counted now. */
async function usageIn(
  namespace: string,
  quota: ResourceQuota,
  { api, names, counted }: Recalculation,
): Promise<{ readonly found: Amounts; readonly failures: readonly string[] }> {
  const limited = Object.keys(quota.spec.hard ?? {});
  const failures: string[] = [], failed = new Set<string>();
  let found: Amounts = Object.fromEntries(limited.filter((name) => isOfWorkloads(name, names)).map((name) => [name, "0"]));
  for (const { usage: known, collection: { groupVersion, resource } } of counted) {
    if (known.matching(limited).length === 0) continue;
    try {
      const usage = await known.prepare?.(readerOf(api), namespace) ?? known, matching = usage.matching(limited);
      // Two resources may use of one limit: pods and the claims of their devices.
      if (matching.length > 0) found = addedTo(found, await sumOf(usage, matching, quota, { api, namespace, groupVersion, resource }));
    } catch (error) {
      for (const name of known.matching(limited)) failed.add(name);
      failures.push(`${resource} of ${groupVersion}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { found: only(found, Object.keys(found).filter((name) => !failed.has(name))), failures };
}

/** Reads whole collections through the API. One that is not served has no objects. */
function readerOf(api: Api): ReadCollection {
  return async (groupVersion, resource, namespace) => {
    try {
      return await Array.fromAsync(listed(api, groupVersion, resource, namespace));
    } catch (error) {
      if (error instanceof StatusError && error.reason === "NotFound") return [];
      throw error;
    }
  };
}

/** Returns the usage of one collection. */
async function sumOf(usage: Usage, matching: readonly string[], quota: ResourceQuota, list: Listing): Promise<Amounts> {
  if (usage.isCount) {
    // Objects of which only the number counts have no scopes. A quota with scopes does not count them.
    const number = scopesOf(quota.spec).length > 0 ? 0 : await numberOf(list);
    return Object.fromEntries(matching.map((name) => [name, `${number}`]));
  }
  let sum: Amounts = Object.fromEntries(matching.map((name) => [name, "0"]));
  for await (const object of listed(list.api, list.groupVersion, list.resource, list.namespace)) {
    if (isInScopes(usage, quota.spec, object)) sum = addedTo(sum, only(usage.of(object), matching));
  }
  return sum;
}

interface Listing {
  readonly api: Api;
  readonly groupVersion: string;
  readonly resource: string;
  readonly namespace: string;
}

/** Returns the number of objects, from one chunk of a list. */
async function numberOf({ api, groupVersion, resource, namespace }: Listing): Promise<number> {
  const { items, metadata } = await api.list(groupVersion, resource, namespace, { limit: "1" });
  return items.length + (metadata.remainingItemCount ?? 0);
}
