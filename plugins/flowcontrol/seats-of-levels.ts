/** How the seats of the server are divided among the levels, and which of them are lent (KEP-1040). Pure. */
import type { PriorityLevelConfigurationSpec } from "./priority-level-schema.ts";

/** The seats of a level by its configuration: its own, those it always keeps, and the most that it may have. */
export interface Seats {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
  /** Whether the server limits nothing: the seats decide about turns only. */
  readonly isUnlimited: boolean;
}
/** The seats that shares are taken of where the server limits nothing. */
const unlimitedSeats = 600;

function shareOf({ limited, exempt }: PriorityLevelConfigurationSpec): number {
  return (limited === undefined ? exempt?.nominalConcurrencyShares : limited.nominalConcurrencyShares) ?? 0;
}

/** The seats of each level. Their sum may be a little more than `limit`, because each is rounded up. 0 stands for no limit. */
export function seatsOf(specs: ReadonlyMap<string, PriorityLevelConfigurationSpec>, limit: number): ReadonlyMap<string, Seats> {
  const isUnlimited = limit === 0, total = isUnlimited ? unlimitedSeats : limit;
  let shares = 0;
  for (const spec of specs.values()) shares += shareOf(spec);
  return new Map(Array.from(specs, ([name, spec]) => {
    const nominal = shares === 0 ? 0 : Math.ceil(total * shareOf(spec) / shares);
    const { lendablePercent = 0 } = spec.limited ?? spec.exempt ?? {}, borrowing = spec.limited?.borrowingLimitPercent;
    const borrowed = borrowing === undefined ? total : Math.round(nominal * borrowing / 100);
    return [name, { nominal, lower: nominal - Math.round(nominal * lendablePercent / 100), upper: nominal + borrowed, isUnlimited }];
  }));
}

/** What a level wants, and its bounds. */
export interface Claim {
  /** From `lower`. */
  readonly target: number;
  readonly lower: number;
  readonly upper: number;
}
/** Targets below this count as this, so that an idle level still gets its part of what is left. */
const targetMin = 0.001;
/** Halvings of the interval in which the fair proportion lies. */
const steps = 60;

/**
 * Divides `sum` seats: each level gets the same proportion of its target, within its bounds. If the bounds do not allow the sum, each gets
 * the bound. Returns the proportion as well.
 */
export function divide(sum: number, claims: readonly Claim[]): { readonly seats: readonly number[]; readonly proportion: number } {
  const given = (proportion: number) =>
    claims.map(({ target, lower, upper }) => Math.min(Math.max(proportion * Math.max(target, targetMin), lower), upper));
  const total = (proportion: number) => given(proportion).reduce((all, each) => all + each, 0);
  let low = 0, high = 1;
  const most = claims.reduce((all, { upper }) => all + upper, 0);
  if (sum >= most) return { seats: claims.map(({ upper }) => upper), proportion: Infinity };
  while (total(high) < sum) high *= 2;
  for (let step = 0; step < steps; step++) {
    const middle = (low + high) / 2;
    if (total(middle) < sum) low = middle;
    else high = middle;
  }
  return { seats: given(high), proportion: high };
}

/** How quickly a lower demand is forgotten: the part of the old value that stays after a period. */
const smoothing = 0.977;

/** The demand that counts: it rises at once, and falls slowly. */
export function smoothed(before: number, average: number, deviation: number): number {
  const envelope = average + deviation;
  return Math.max(envelope, smoothing * before + (1 - smoothing) * envelope);
}
