/** Counters that devices of a pool share: a device can be allocated while enough of each is left (KEP-4815). */
import { numberOf } from "../placement/quantity.ts";
import type { DeviceBook } from "./device-book.ts";
import { type Device, deviceId, type PlacedDevice, type Pool } from "./pools.ts";

/** What is left of the counters of pools during one search. */
export class CountersLeft {
  readonly #byPool = new Map<Pool, Map<string, number>>();
  readonly #book: DeviceBook;

  /** Begins with what devices in use leave. */
  constructor(book: DeviceBook) {
    this.#book = book;
  }

  /** Takes what a device consumes. Returns whether there was enough of it; nothing is taken if not. */
  take({ device, owner }: PlacedDevice): boolean {
    const consumed = consumptionOf(device);
    if (consumed.length === 0) return true;
    const left = this.#leftOf(owner);
    if (consumed.some(([counter, amount]) => (left.get(counter) ?? 0) < amount)) return false;
    change(left, consumed, -1);
    return true;
  }

  /** Gives back what a device has taken. */
  giveBack({ device, owner }: PlacedDevice): void {
    change(this.#leftOf(owner), consumptionOf(device), 1);
  }

  #leftOf(pool: Pool): Map<string, number> {
    let left = this.#byPool.get(pool);
    if (left !== undefined) return left;
    this.#byPool.set(pool, left = new Map());
    for (const { spec } of pool.slices) {
      for (const { name, counters } of spec.sharedCounters ?? []) {
        for (const [counter, { value }] of Object.entries(counters ?? {})) left.set(`${name} ${counter}`, numberOf(value));
      }
    }
    for (const { spec } of pool.slices) {
      for (const device of spec.devices ?? []) {
        if (this.#book.isUsed(deviceId(spec.driver, spec.pool.name, device.name))) change(left, consumptionOf(device), -1);
      }
    }
    return left;
  }
}

type Consumption = readonly (readonly [counter: string, amount: number])[];

/** What a device consumes, by `set counter`. No name has a space. */
function consumptionOf({ consumesCounters = [] }: Device): Consumption {
  return consumesCounters.flatMap(({ counterSet, counters }) =>
    Object.entries(counters ?? {}).map(([counter, { value }]) => [`${counterSet} ${counter}`, numberOf(value)] as const)
  );
}

function change(left: Map<string, number>, consumed: Consumption, by: 1 | -1): void {
  for (const [counter, amount] of consumed) left.set(counter, (left.get(counter) ?? 0) + by * amount);
}
