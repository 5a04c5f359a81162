/** Which devices a request selects. */
import { compileMatcher, deviceValue, type Match } from "../../../cel/device/matcher.ts";
import { bound } from "../../../core/bound.ts";
import type { PlacedDevice } from "./pools.ts";

/** Expressions whose compiled form is kept. When there are more, a new table begins. */
const compiledMax = bound(1_000);

type Selectors = readonly { readonly cel?: { readonly expression: string } | null }[];
type Matcher = ReturnType<typeof compileMatcher>;

/** Evaluates selectors. What an expression says of a device is kept as long as that state of the device. */
export class Selection {
  #matchers = new Map<string, Matcher>();
  readonly #known = new WeakMap<object, { readonly value: ReturnType<typeof deviceValue>; readonly matches: Map<string, Match> }>();

  /** Whether all selectors select a device, or what is wrong with one of them: its place in the list and the problem. */
  selects(selectors: Selectors | undefined, { device, driver }: PlacedDevice): Match {
    for (const [index, { cel }] of (selectors ?? []).entries()) {
      const match = this.#match(cel?.expression ?? "", device, driver);
      if (match === false) return false;
      if (match !== true) return { problem: `selector #${index}: ${match.problem}` };
    }
    return true;
  }

  #match(expression: string, device: PlacedDevice["device"], driver: string): Match {
    let known = this.#known.get(device);
    if (known === undefined) this.#known.set(device, known = { value: deviceValue({ ...device, driver }), matches: new Map() });
    let match = known.matches.get(expression);
    if (match === undefined) {
      match = this.#matcher(expression)(known.value);
      if (known.matches.size < compiledMax) known.matches.set(expression, match);
    }
    return match;
  }

  #matcher(expression: string): Matcher {
    let known = this.#matchers.get(expression);
    if (known !== undefined) return known;
    if (this.#matchers.size === compiledMax) this.#matchers = new Map();
    this.#matchers.set(expression, known = compileMatcher(expression));
    return known;
  }
}
