/**
 * Tokens find the watches that a change may concern. A token stands for one value of a label, of a selectable field or of the name.
 * An object has one token for each of its values, and an equality selector matches only objects that have its token:
 *
 *   object: name a, labels {app: web, tier: x}, type Opaque      tokens: name a, app web, tier x, type Opaque
 *   selector: app in (web, db), size!=big                        tokens: app web, app db (any of them)
 */
import type { Endpoint } from "../../catalog/catalog.ts";
import type { ListOptions } from "../../request/options.ts";
import { attributeOf, type Attributes } from "./attributes.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum number of indexed values of one watch selector. A selector with more values is evaluated at every change. */
export const watchTokensMax = bound(16);

/** Every object that the selectors match has at least one of these tokens; undefined if they demand none. */
export function wantedTokens(
  endpoint: Endpoint,
  { labels, fields }: Pick<ListOptions, "labels" | "fields">,
): readonly string[] | undefined {
  for (const { field, operator, value } of fields) {
    // A requirement for an empty value gives no token: an absent field counts as empty.
    if (operator !== "=" || value === "" || field === "metadata.namespace") continue;
    return [field === "metadata.name" ? nameToken(value) : fieldToken(attributeOf(endpoint, field), value)];
  }
  for (const { key, operator, values } of labels) {
    if (!(operator === "=" || operator === "==" || operator === "in") || values.length > watchTokensMax) continue;
    return values.map((value) => labelToken(key, value));
  }
  return undefined;
}

const known = new WeakMap<Attributes, readonly string[]>();

/** The tokens of an object with this key. */
export function* tokensOf(key: string, attributes: Attributes): Generator<string> {
  yield nameToken(key.slice(key.lastIndexOf("/") + 1));
  let some = known.get(attributes);
  if (some === undefined) known.set(attributes, some = tokensOfAttributes(attributes));
  yield* some;
}

function tokensOfAttributes({ labels, fields }: Attributes): readonly string[] {
  return [
    ...Object.entries(fields).map(([attribute, value]) => fieldToken(attribute, value)),
    ...Object.entries(labels).map(([name, value]) => labelToken(name, value)),
  ];
}

// A token ends with a byte that neither names nor attributes contain, so tokens are unique.
function nameToken(name: string): string {
  return `name\0${name}`;
}
function fieldToken(attribute: string, value: string): string {
  return `field\0${attribute}\0${value}`;
}
function labelToken(name: string, value: string): string {
  return `label\0${name}\0${value}`;
}
