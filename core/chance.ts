/** What a server draws at random and writes into objects. */
import { bound } from "./bound.ts";

/** Purposes of which a chance with a seed keeps the place in their sequences. When there are more, all begin again. */
const purposesMax = bound(1_000_000);

/** Where a server draws what is written into objects: uids, generated names, allocated addresses and ports. */
export interface Chance {
  /** Returns a number in [0, 1). `purpose`: what it is for, such as the key of an object. */
  number(purpose: string): number;
  /** Returns a uid of version 4. */
  uid(purpose: string): string;
}

/** The chance of the machine. */
export const machineChance: Chance = Object.freeze({ number: () => Math.random(), uid: () => crypto.randomUUID() });

/** The chance of a server, which comes with its clock. */
export function chanceOf({ chance = machineChance }: { readonly chance?: Chance }): Chance {
  return chance;
}

/**
 * A chance of which the seed decides everything. Each purpose has its own sequence, so what one object gets does not depend on the order in which a
 * server makes others.
 */
export class SeededChance implements Chance {
  readonly #seed: number;
  /** How often each purpose has drawn. */
  #drawn: Map<string, number>;

  /** `drawn`: how often each purpose has drawn before. */
  constructor(seed: number, drawn: ReadonlyMap<string, number> = new Map()) {
    this.#seed = seed;
    this.#drawn = new Map(drawn);
  }

  number(purpose: string): number {
    const [high, low] = this.#next(purpose);
    return (high! * 2 ** 21 + (low! >>> 11)) / 2 ** 53;
  }

  uid(purpose: string): string {
    const hex = this.#next(purpose).map((word) => word.toString(16).padStart(8, "0")).join("");
    const variant = (8 + Number.parseInt(hex[16]!, 16) % 4).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /** How often each purpose has drawn so far. */
  get drawn(): ReadonlyMap<string, number> {
    return new Map(this.#drawn);
  }

  /** Goes back to an earlier state. */
  reset(drawn: ReadonlyMap<string, number>): void {
    this.#drawn = new Map(drawn);
  }

  #next(purpose: string): readonly number[] {
    const count = this.#drawn.get(purpose) ?? 0;
    if (count === 0 && this.#drawn.size === purposesMax) this.#drawn.clear();
    this.#drawn.set(purpose, count + 1);
    return words(`${this.#seed} ${count} ${purpose}`);
  }
}

/** Four words of 32 bits that depend on each character of a text (MurmurHash3's mixing, once for each word). */
function words(text: string): readonly number[] {
  return [0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f].map((start) => {
    let hash = start;
    for (let at = 0; at < text.length; at++) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0xcc9e2d51);
      hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64 | 0;
    }
    hash ^= text.length;
    hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
    hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
    return (hash ^ hash >>> 16) >>> 0;
  });
}
