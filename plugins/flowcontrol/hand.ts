/** Shuffle sharding: each flow gets a few of the queues, so that two flows seldom have all of theirs in common. */
import { handsMax } from "./bounds.ts";

/** A hash of 32 bits of a flow, by FNV-1a. */
function hashOf(flow: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < flow.length; index++) hash = Math.imul(hash ^ flow.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** Deals `size` different queues of `queues` to a flow. The same flow always gets the same. */
export function dealHand(flow: string, queues: number, size: number): readonly number[] {
  const hand: number[] = [];
  let state = hashOf(flow, 0x811c9dc5);
  for (let dealt = 0; dealt < size; dealt++) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    // One of the queues that are not dealt yet: each dealt one at or below it moves it up by one.
    let card = ((mixed ^ (mixed >>> 14)) >>> 0) % (queues - dealt);
    for (const lower of hand.toSorted((a, b) => a - b)) if (lower <= card) card++;
    hand.push(card);
  }
  return hand;
}

/** The hands of flows that are in use, made anew when there are too many. */
export class Hands {
  readonly #queues: number;
  readonly #size: number;
  readonly #hands = new Map<string, readonly number[]>();

  constructor(queues: number, size: number) {
    this.#queues = queues;
    this.#size = size;
  }

  of(flow: string): readonly number[] {
    const known = this.#hands.get(flow);
    if (known !== undefined) return known;
    if (this.#hands.size >= handsMax) this.#hands.clear();
    const hand = dealHand(flow, this.#queues, this.#size);
    this.#hands.set(flow, hand);
    return hand;
  }
}
