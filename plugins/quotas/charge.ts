/** Charges writes to quotas: decides whether a write fits, and computes the usage after it (upstream: resourcequota.CheckRequest). */
import type { ApiObject, StatusError } from "../../plugin.ts";
import { compareQuantities } from "../../toolbox.ts";
import { addedTo, amountIn, type Amounts, amountsText, increase, only } from "./amounts.ts";
import type { Usage } from "./counting.ts";
import type { ResourceQuota } from "./quota-schema.ts";
import { type LimitedResource, uncovered } from "./limited-resources.ts";
import { isInScopes, scopesOf } from "./usage.ts";

/** A write of an object that quotas count. */
export interface Charge {
  readonly usage: Usage;
  readonly next: ApiObject;
  readonly prior: ApiObject | undefined;
  readonly subresource: string;
  /** The resource of the object, and what it may use only if a quota limits it. Default: nothing. */
  readonly limits?: { readonly group: string; readonly plural: string; readonly resources: readonly LimitedResource[] };
}

/**
 * The quotas with the usage after the charge, or the reason to reject it. A quota that the charge does not concern is the same value as
 * before.
 */
export type Charged = { readonly quotas: readonly ResourceQuota[] } | { readonly refused: string | StatusError };

/** Adds a write to the quotas of its namespace. */
export function chargeTo(quotas: readonly ResourceQuota[], charge: Charge): Charged {
  const charged: ResourceQuota[] = [], { usage, next, prior } = charge;
  const whole = usage.of(next), more = prior === undefined ? whole : increases(whole, usage.of(prior));
  const concerned = quotas.map((quota) => concerns(quota, charge));
  for (const [i, names] of concerned.entries()) {
    const { status, metadata } = quotas[i]!, unsaid = names.length === 0 ? undefined : usage.missing?.(next, names);
    if (unsaid !== undefined) return { refused: `failed quota: ${metadata.name}: ${unsaid}` };
    const missing = Object.keys(status.hard ?? {}).some((name) => names.includes(name) && amountIn(status.used, name) === undefined);
    if (missing) return { refused: `status unknown for quota: ${metadata.name}, resources: ${[...names].sort().join(",")}` };
  }
  // A claim that comes into the scopes of a quota is charged as a whole.
  const added = quotas.map(({ spec }) => prior === undefined || !isInScopes(usage, spec, prior) ? whole : more);
  const without = uncoveredBy(quotas, charge, { concerned, added, whole, more });
  if (without !== undefined) return { refused: without };
  for (const [i, quota] of quotas.entries()) {
    const result = addUsage(quota, concerned[i]!, added[i]!, charge.subresource);
    if (typeof result === "string") return { refused: result };
    charged.push(result);
  }
  return { quotas: charged };
}

/** What a charge adds, by quota and without one. */
interface Additions {
  /** By quota, the names of its limits that apply. */
  readonly concerned: readonly (readonly string[])[];
  readonly added: readonly Amounts[];
  readonly whole: Amounts;
  readonly more: Amounts;
}

/** Returns the reason to reject a write that uses more of what a quota must limit, and no quota does. */
function uncoveredBy(
  quotas: readonly ResourceQuota[],
  { usage, next, limits }: Charge,
  { concerned, added, whole, more }: Additions,
): string | StatusError | undefined {
  if (limits === undefined || limits.resources.length === 0) return undefined;
  const counted = added.filter((_, i) => concerned[i]!.length > 0), { group, plural, resources } = limits;
  const isZero = (amounts: Amounts) => Object.values(amounts).every((amount) => compareQuantities(amount, "0") === 0);
  if (counted.length === 0 ? isZero(more) : counted.every(isZero)) return undefined;
  const scopes = quotas.flatMap(({ spec }) => scopesOf(spec)).filter((scope) => usage.isIn(scope, next));
  return uncovered(resources, { group, plural, usage, object: next, amounts: whole, names: new Set(concerned.flat()), scopes });
}

/** Returns the quota without the usage of a write that was charged to it. */
export function releasedFrom(quota: ResourceQuota, charge: Charge): ResourceQuota {
  const { usage, next, prior } = charge, whole = usage.of(next);
  const isNew = prior === undefined || !isInScopes(usage, quota.spec, prior);
  const less = only(isNew ? whole : increases(whole, usage.of(prior)), limitsOf(quota, concerns(quota, charge))),
    { used = {} } = quota.status;
  const names = Object.keys(less).filter((name) => compareQuantities(less[name]!, "0") !== 0 && amountIn(used, name) !== undefined);
  if (names.length === 0) return quota;
  const after = { ...used, ...Object.fromEntries(names.map((name) => [name, increase(used[name]!, less[name]!)])) };
  return { ...quota, status: { ...quota.status, used: after } };
}

/** Returns the names of the quota's limits that apply to the object; none if the object is not in the quota's scopes. */
function concerns({ spec, status }: ResourceQuota, { usage, next }: Charge): readonly string[] {
  const names = usage.matching(Object.keys(status.hard ?? {}));
  return names.length > 0 && isInScopes(usage, spec, next) ? names : [];
}

/** The names of the limits that a write is charged to: all of a quota that concerns it, also those that `matching` leaves out, as upstream. */
function limitsOf({ status: { hard = {} } }: ResourceQuota, concerned: readonly string[]): readonly string[] {
  return concerned.length === 0 ? [] : Object.keys(hard);
}

function increases(next: Amounts, prior: Amounts): Amounts {
  return Object.fromEntries(Object.entries(next).map(([name, amount]) => [name, increase(amount, amountIn(prior, name) ?? "0")]));
}

/** Returns the quota with the added usage, or the reason why it does not fit. */
function addUsage(quota: ResourceQuota, names: readonly string[], usage: Amounts, subresource: string): ResourceQuota | string {
  const { hard = {}, used = {} } = quota.status;
  const more = Object.fromEntries(
    Object.entries(only(usage, limitsOf(quota, names))).filter(([, amount]) => compareQuantities(amount, "0") !== 0),
  );
  if (Object.keys(more).length === 0) return quota;
  const after = addedTo(used, more);
  // A status reports what has happened already, so its usage is counted and never rejected.
  const exceeded = subresource === "status" ? [] : Object.keys(more).filter((name) => compareQuantities(after[name]!, hard[name]!) > 0);
  if (exceeded.length > 0) {
    const text = (amounts: Amounts) => amountsText(only(amounts, exceeded));
    return `exceeded quota: ${quota.metadata.name}, requested: ${text(more)}, used: ${text(used)}, limited: ${text(hard)}`;
  }
  return { ...quota, status: { ...quota.status, used: after } };
}
