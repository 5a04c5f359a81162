/** Finds the items, such as policies and webhooks, whose match rules may describe a request. It does not visit the others. */
import { type MatchRule, type RequestAttributes, ruleNames } from "./matching.ts";
import { bound } from "../bound.ts";

/** Maximum number of resources and operations for which an index of match rules keeps the candidates. */
export const ruleIndexKeysMax = bound(10_000);

/** The attributes by which items are found. */
export type IndexedAttributes = Pick<RequestAttributes, "operation" | "form" | "subresource" | "equivalents">;

/**
 * Items with match rules. The candidates of an operation on a resource are determined at the first request, and kept. Make a new index
 * when the items or the served versions change.
 *
 *     const index = new RuleIndex(policies, ({ spec }) => spec.matchConstraints?.resourceRules);
 *     for (const policy of index.candidates(attributes)) ...
 */
export class RuleIndex<T> {
  readonly #items: readonly T[];
  readonly #rulesOf: (item: T) => readonly MatchRule[] | undefined;
  readonly #known = new Map<string, readonly T[]>();

  /** `rulesOf` returns the rules of an item. The item covers a request if one of them does; without rules it covers nothing. */
  constructor(items: readonly T[], rulesOf: (item: T) => readonly MatchRule[] | undefined) {
    this.#items = items;
    this.#rulesOf = rulesOf;
  }

  /**
   * Returns the items with a rule for the operation and for a form of the resource, in their order. Scopes, names and selectors are not
   * compared, and the match policy is taken as `Equivalent`.
   */
  candidates(request: IndexedAttributes): readonly T[] {
    if (this.#items.length === 0) return none;
    const { operation, form: { group, version, resource }, subresource } = request;
    const key = `${operation}/${group}/${version}/${resource}/${subresource}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = this.#find(request);
    if (this.#known.size >= ruleIndexKeysMax) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }

  #find({ operation, form, subresource, equivalents }: IndexedAttributes): readonly T[] {
    const forms = [form, ...equivalents()];
    return this.#items.filter((item) => {
      try {
        return this.#rulesOf(item)?.some((rule) => forms.some((each) => ruleNames(rule, operation, each, subresource)));
      } catch {
        return true; // comparing the item will fail again, and its failure policy then decides
      }
    });
  }
}

const none: readonly never[] = Object.freeze([]);
