/** Compiles selectors to predicates of entries. Keys hold names and namespaces; attributes hold labels and selectable fields. */
import type { WatchScope } from "../../../core/api.ts";
import type { FieldRequirement } from "../../../core/selectors/field.ts";
import { fieldMatcher, labelMatcher } from "../../../core/selectors/matcher.ts";
import type { ListOptions } from "../../request/options.ts";
import { type Collection, namedKey, namespaceNamed } from "../../reads/reads.ts";
import { bodyBytes, type CachedEntry } from "./entry.ts";
import { wantedTokens } from "./tokens.ts";
import { attributeOf, type Attributes, uidOf } from "./attributes.ts";
import { valueText } from "../../../core/value-text.ts";

export interface Selection {
  /** The prefix of all keys that can match. It includes the namespace that a field selector names. */
  readonly prefix: string;
  /** The only key that can match, if the selectors name one object. */
  readonly key: string | undefined;
  /** Every selected object has at least one of these tokens; undefined if the selectors demand none. */
  readonly tokens: readonly string[] | undefined;
  /** Whether an entry is selected; undefined if every entry below the prefix is. */
  readonly chooses: ((entry: CachedEntry) => boolean) | undefined;
  /** Whether only changes of ownership are selected. */
  readonly ownership: boolean;
  /** Whether objects without ownership are selected for their deletion only. */
  readonly owned: boolean;
  /** A text that is equal for equal selections. */
  readonly name: string;
}

type Selectors = Pick<ListOptions, "labels" | "fields" | "shard" | "ownershipOnly">;

export function selectionOf(
  collection: Collection,
  options: Selectors,
  watchScope: WatchScope = "everything",
): Selection {
  const { labels, fields, shard, ownershipOnly = false } = options;
  const only = namespaceNamed(collection, options);
  const prefix = only === undefined ? collection.prefix : `${collection.prefix}${only}/`;
  const key = collection.key ?? namedKey(collection, options);
  const chooses = labels.length === 0 && fields.length === 0 && shard === undefined && !ownershipOnly
    ? undefined
    : chooser(collection, options);
  // With a selector every change matters: it may add an object to the watch or remove it, and the subscriber must see that.
  const ownership = watchScope !== "everything" && chooses === undefined;
  const owned = ownership && watchScope === "owned";
  const tokens = wantedTokens(collection.endpoint, options);
  return new NamedSelection({ prefix, key, tokens, chooses, ownership, owned }, [
    collection.endpoint.apiVersion,
    labels,
    fields,
    shard?.text,
    ownershipOnly,
  ]);
}

/** A selection that makes its name at the first use. The name is as long as the selectors, and only watches use it. */
class NamedSelection implements Selection {
  readonly prefix: string;
  readonly key: string | undefined;
  readonly tokens: readonly string[] | undefined;
  readonly chooses: Selection["chooses"];
  readonly ownership: boolean;
  readonly owned: boolean;
  readonly #selectors: readonly unknown[];
  #name: string | undefined;

  constructor({ prefix, key, tokens, chooses, ownership, owned }: Omit<Selection, "name">, selectors: readonly unknown[]) {
    this.prefix = prefix;
    this.key = key;
    this.tokens = tokens;
    this.chooses = chooses;
    this.ownership = ownership;
    this.owned = owned;
    this.#selectors = selectors;
  }
  get name(): string {
    return this.#name ??= valueText([this.prefix, this.key, ...this.#selectors, this.ownership, this.owned]);
  }
}

/** Whether a requirement concerns the key of an object, that is, its name or namespace. */
const isNamed = ({ field }: FieldRequirement): boolean => field === "metadata.name" || field === "metadata.namespace";

function chooser(
  { endpoint }: Collection,
  { labels, fields, shard, ownershipOnly = false }: Selectors,
): (entry: CachedEntry) => boolean {
  const named = fields.filter(isNamed), others = fields.filter((requirement) => !isNamed(requirement));
  const matchesKey = fieldMatcher(named), matchesOthers = fieldMatcher(others), matchesLabels = labelMatcher(labels);
  // Objects with the same attributes get the same verdict; many objects share one set of attributes.
  const verdicts = new WeakMap<Attributes, boolean>();
  const byAttributes = labels.length > 0 || others.length > 0;
  return (entry) => {
    const { key, attributes } = entry;
    if (ownershipOnly && attributes.ownership === "") return false;
    if (
      shard !== undefined &&
      !shard.has(shard.field === "uid" ? uidOf(bodyBytes(entry)) : partOf(key, "metadata.namespace", endpoint.namespaced))
    ) {
      return false;
    }
    if (named.length > 0 && !matchesKey((field) => partOf(key, field, endpoint.namespaced))) return false;
    if (!byAttributes) return true;
    const known = verdicts.get(attributes);
    if (known !== undefined) return known;
    const verdict = matchesLabels(attributes.labels) && matchesOthers((field) => {
      const attribute = attributeOf(endpoint, field);
      return Object.hasOwn(attributes.fields, attribute) ? attributes.fields[attribute]! : "";
    });
    verdicts.set(attributes, verdict);
    return verdict;
  };
}

/** Returns the part of a key that `metadata.name` or `metadata.namespace` selects. Keys end with namespace and name. */
function partOf(key: string, field: string, namespaced: boolean): string {
  const slash = key.lastIndexOf("/");
  if (field === "metadata.name") return key.slice(slash + 1);
  return namespaced ? key.slice(key.lastIndexOf("/", slash - 1) + 1, slash) : "";
}
