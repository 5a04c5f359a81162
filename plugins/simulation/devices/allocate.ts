/** Finds devices of one node for claims (upstream: dynamic-resource-allocation/structured). */
import { bound } from "../../../core/bound.ts";
import type { Node } from "../world/world.ts";
import { allocationOf, type Chosen } from "./allocation.ts";
import { type OpenConstraint, openConstraint } from "./constraints.ts";
import { CountersLeft } from "./counters.ts";
import type { Allocation, DeviceBook } from "./device-book.ts";
import type { ResourceClaim } from "./pod-claims.ts";
import { type PlacedDevice, type Pools, poolsFor } from "./pools.ts";
import { Failure, isSelected, isSuitable, type Option, optionsOf, type Search } from "./requests.ts";
import type { Selection } from "./selection.ts";

/** Devices of one claim, as upstream. */
const resultsMax = bound(32);
/** Devices that are tried for one pod, on all nodes together. A search that needs more is given up. */
export const trialsMax = bound(100_000);

/** What the searches for one pod have in common. */
export interface Supply {
  readonly pools: Pools;
  readonly selection: Selection;
  readonly classOf: Search["classOf"];
  readonly book: DeviceBook;
  readonly trials: { count: number };
}

/** What is allocated for each claim, in their order; undefined if the node does not have it. */
export type Found = readonly Allocation[] | undefined;

/** Looks for devices for all claims together. Throws a Failure if the pod must not be on any node because of what was found. */
export function allocate(node: Node, claims: readonly ResourceClaim[], supply: Supply): Found {
  const pools = poolsFor(node, supply.pools), search = { ...supply, pools };
  const wanted = claims.map((claim): Wanted => ({
    claim,
    requests: claim.spec.devices.requests.map((request) => optionsOf(claim, request, search)),
    constraints: (claim.spec.devices.constraints ?? []).map(openConstraint),
    chosen: [],
    ids: new Set(),
  }));
  if (new Finder(node, wanted, search, supply).isFound()) return wanted.map(({ claim, chosen }) => allocationOf(claim, chosen));
  if (pools.some(({ isInvalid }) => isInvalid)) throw new Failure("invalid resource pools were encountered");
  return undefined;
}

/** A claim with its state in a search. */
interface Wanted {
  readonly claim: ResourceClaim;
  readonly requests: readonly (readonly Option[])[];
  readonly constraints: readonly OpenConstraint[];
  readonly chosen: Chosen[];
  /** The devices in `chosen`. */
  readonly ids: Set<string>;
}

/** Tries devices in their order, and takes back the last one when a later request cannot be satisfied. */
class Finder {
  readonly #node: Node;
  readonly #wanted: readonly Wanted[];
  readonly #supply: Supply;
  readonly #selection: Selection;
  readonly #devices: readonly PlacedDevice[];
  readonly #counters: CountersLeft;
  /** Devices that this search has chosen, without those for administration. */
  readonly #taken = new Set<string>();

  constructor(node: Node, wanted: readonly Wanted[], { pools, selection }: Search, supply: Supply) {
    this.#node = node;
    this.#wanted = wanted;
    this.#supply = supply;
    this.#selection = selection;
    this.#counters = new CountersLeft(supply.book);
    this.#devices = pools.filter(({ isIncomplete, isInvalid }) => !isIncomplete && !isInvalid).flatMap(({ devices }) => devices);
  }

  isFound(claim = 0, request = 0): boolean {
    const wanted = this.#wanted[claim];
    if (wanted === undefined) return true;
    const options = wanted.requests[request];
    if (options === undefined) return this.isFound(claim + 1, 0);
    const next = () => this.isFound(claim, request + 1);
    return options.some((option) => option.all?.length !== 0 && this.#fill(wanted, option, { number: 0, from: 0 }, next));
  }

  /** Chooses the devices of an option from a number on, of the devices from an index on: their order says nothing. */
  #fill(
    wanted: Wanted,
    option: Option,
    { number, from }: { readonly number: number; readonly from: number },
    next: () => boolean,
  ): boolean {
    if (number >= option.count) return next();
    if (wanted.chosen.length + option.count - number > resultsMax) return false;
    const devices = option.all === undefined ? this.#devices : option.all.slice(number, number + 1);
    for (let index = option.all === undefined ? from : 0; index < devices.length; index++) {
      if (++this.#supply.trials.count > trialsMax) {
        throw new Failure(`node ${this.#node.metadata.name}: timed out trying to allocate devices`);
      }
      const device = devices[index]!; // within the length
      if (!this.#choose(wanted, option, device)) continue;
      if (this.#fill(wanted, option, { number: number + 1, from: index + 1 }, next)) return true;
      this.#takeBack(wanted, option, device);
    }
    return false;
  }

  #choose(wanted: Wanted, option: Option, device: PlacedDevice): boolean {
    const { id } = device;
    if (wanted.ids.has(id) || (!option.isAdmin && (this.#taken.has(id) || this.#supply.book.isUsed(id)))) return false;
    if (option.all === undefined && !isSelected(wanted.claim, option, device, this.#selection)) return false;
    if (!isSuitable(option, device) || !this.#counters.take(device)) return false;
    const failed = wanted.constraints.findIndex((each) => !each.add(option.names, device));
    if (failed >= 0) {
      for (const each of wanted.constraints.slice(0, failed)) each.remove(option.names);
      this.#counters.giveBack(device);
      return false;
    }
    wanted.chosen.push({ option, device });
    wanted.ids.add(id);
    if (!option.isAdmin) this.#taken.add(id);
    return true;
  }

  #takeBack({ constraints, chosen, ids }: Wanted, { names, isAdmin }: Option, device: PlacedDevice): void {
    for (const each of constraints) each.remove(names);
    this.#counters.giveBack(device);
    chosen.pop();
    ids.delete(device.id);
    if (!isAdmin) this.#taken.delete(device.id);
  }
}
