/** Selectors as questions to entries: names and namespaces are in keys, labels and selectable fields in attributes. */
import type { WatchScope } from "../../../core/plugin.ts";
import { matchesFields } from "../../../core/selectors/field.ts";
import { matchesLabels } from "../../../core/selectors/label.ts";
import type { ListOptions } from "../../request/options.ts";
import { type Collection, namedKey, namespaceNamed } from "../../reads/reads.ts";
import type { CachedEntry } from "./entry.ts";
import { wantedTokens } from "./tokens.ts";
import { attributeOf, type Attributes } from "./attributes.ts";

export interface Selection {
  /** What keys begin with; the namespace that a field selector names included. */
  readonly prefix: string;
  /** The only key, where one is named. */
  readonly key: string | undefined;
  /** What is selected has one of them; undefined where that cannot be said. */
  readonly tokens: readonly string[] | undefined;
  /** Undefined when all below the prefix is selected. */
  readonly chooses: ((entry: CachedEntry) => boolean) | undefined;
  /** Of changes only those that touch ownership are wanted. */
  readonly ownership: boolean;
  /** Equal for selections that are alike. */
  readonly name: string;
}

export function selectionOf(
  collection: Collection,
  options: Pick<ListOptions, "labels" | "fields">,
  watchScope: WatchScope = "everything",
): Selection {
  const { labels, fields } = options;
  const only = namespaceNamed(collection, options);
  const prefix = only === undefined ? collection.prefix : `${collection.prefix}${only}/`;
  const key = collection.key ?? namedKey(collection, options);
  const chooses = labels.length === 0 && fields.length === 0 ? undefined : chooser(collection, options);
  // With a selector any change may let an object in or out, which whoever follows must hear of.
  const ownership = watchScope === "ownership" && chooses === undefined;
  return {
    prefix,
    key,
    tokens: wantedTokens(collection.endpoint, options),
    chooses,
    ownership,
    name: JSON.stringify([prefix, key, collection.endpoint.apiVersion, labels, fields, ownership]),
  };
}

function chooser({ endpoint }: Collection, { labels, fields }: Pick<ListOptions, "labels" | "fields">): (entry: CachedEntry) => boolean {
  const named = fields.filter(({ field }) => field === "metadata.name" || field === "metadata.namespace");
  const others = fields.filter((requirement) => !named.includes(requirement));
  // Objects with the same attributes get the same verdict; sets of attributes are shared by many objects.
  const verdicts = new WeakMap<Attributes, boolean>();
  const byAttributes = labels.length > 0 || others.length > 0;
  return ({ key, attributes }) => {
    if (named.length > 0 && !matchesFields(named, (field) => partOf(key, field, endpoint.namespaced))) return false;
    if (!byAttributes) return true;
    const known = verdicts.get(attributes);
    if (known !== undefined) return known;
    const verdict = matchesLabels(labels, attributes.labels) && matchesFields(others, (field) => {
      const attribute = attributeOf(endpoint, field);
      return Object.hasOwn(attributes.fields, attribute) ? attributes.fields[attribute]! : "";
    });
    verdicts.set(attributes, verdict);
    return verdict;
  };
}

/** Keys end with the name, before which stands the namespace. */
function partOf(key: string, field: string, namespaced: boolean): string {
  const slash = key.lastIndexOf("/");
  if (field === "metadata.name") return key.slice(slash + 1);
  return namespaced ? key.slice(key.lastIndexOf("/", slash - 1) + 1, slash) : "";
}
