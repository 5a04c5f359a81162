/** What happens to a value of a source: it is imported, or left behind for a reason. */
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { spell } from "../../core/names.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import type { Catalog, StoredKind } from "../../kernel/catalog/catalog.ts";
import { placeOf } from "../../kernel/conversion/converted-kinds.ts";
import type { SourceObject } from "../source/source.ts";
import { placesOf, readObject } from "../verify/stored-places.ts";
import { customResourceOf } from "../verify/unknown-kinds.ts";
import { unknownFields } from "./unknown-fields.ts";

export type Choice =
  | { readonly tag: "import"; readonly kind: StoredKind; readonly object: ApiObject; readonly kinds: readonly StoredKind[] }
  /** `problem`: the operator wants this object, and it cannot be imported. */
  | { readonly tag: "left"; readonly why: string; readonly problem?: string };

export interface ChoiceOptions {
  /** The catalog with the definitions of the source. */
  readonly catalog: Catalog;
  readonly prefix: string;
  /** Resources to leave out, `secrets` or `widgets.example.com`. */
  readonly skip: ReadonlySet<string>;
  /** Resources of `leftByDefault` to import. */
  readonly include: ReadonlySet<string>;
  readonly dropsUnknownFields: boolean;
}

/** Resources that are left out unless they are included, with the reason. */
export const leftByDefault: Readonly<Record<string, string>> = Object.freeze({
  events: "events expire within an hour (--include=events)",
  leases: "leases belong to running processes of the other server (--include=leases)",
});

/** The first segments of keys that are no objects. */
const internal: ReadonlySet<string> = new Set(["masterleases", "peerserverleases", "ranges"]);

/** The words by which --skip and --include name a kind. */
export const wordsOf = ({ plural, group }: StoredKind): readonly string[] => group === "" ? [plural] : [plural, `${plural}.${group}`];

export interface Chooser {
  choose(one: SourceObject): Choice;
  /** Beginnings of keys, without a prefix, whose objects are imported before all others: of definitions of resources. */
  readonly first: readonly string[];
}

export function chooser(options: ChoiceOptions): Chooser {
  const { catalog, prefix, dropsUnknownFields } = options, places = placesOf(catalog.stored, prefix);
  const known = new Map<StoredKind, string | undefined>();
  /** Why a kind is left behind. */
  const reasonOfKind = (kind: StoredKind): string | undefined => {
    if (!known.has(kind)) known.set(kind, reasonToLeaveKind(kind, options));
    return known.get(kind);
  };
  function choose({ key, value, identity }: SourceObject): Choice {
    const kinds = places.at(key);
    if (kinds === undefined) return { tag: "left", why: unknownKind(prefix, key, identity) };
    const left = reasonOfKind(kinds[0]!);
    if (left !== undefined) return { tag: "left", why: left };
    if (identity.encoding === "encrypted") {
      const problem =
        `the object stored under "${key}" cannot be imported: ${identity.problem}, for which --from-encryption-provider-config has no key`;
      return { tag: "left", why: "encrypted", problem };
    }
    try {
      const { kind, object, version } = readObject(kinds, prefix, key, value);
      const schema = kind.storedForm(version ?? identity.apiVersion)?.schema ?? kind.schema;
      // Custom resources are pruned when they are read, there and here.
      const lost = dropsUnknownFields || kind.schema.whole !== undefined ? [] : unknownFields(schema, value);
      if (lost.length === 0) return { tag: "import", kind, object, kinds };
      const problem = `the object stored under "${key}" has fields that this release does not have: ${
        lost.slice(0, shownFieldsMax).join(", ")
      }${lost.length > shownFieldsMax ? `, and ${lost.length - shownFieldsMax} more` : ""} (--drop-unknown-fields imports it without them)`;
      return { tag: "left", why: "unknown fields", problem };
    } catch (error) {
      return { tag: "left", why: "cannot be read", problem: withoutAdvice(reasonOf(error)) };
    }
  }
  return { choose, first: definitionPlaces(catalog) };
}

/** Returns the places of the kinds from which plugins make resources, such as CustomResourceDefinitions. */
function definitionPlaces({ names, plugins, stored }: Catalog): readonly string[] {
  const needs = plugins.flatMap(({ resourceSource }) => resourceSource?.needs ?? []);
  const isNeeded = ({ group, plural }: StoredKind) =>
    needs.some(({ resource, groupVersions }) =>
      resource === plural && groupVersions.some((each) => splitGroupVersion(spell(names, each)).group === group)
    );
  return [...new Set(stored.filter(isNeeded).map((kind) => `${placeOf(kind)}/`))];
}

const shownFieldsMax = 5;

/** The advice of a server with such an object in its own store does not apply to that of another server. */
function withoutAdvice(text: string): string {
  const at = text.indexOf("; to delete it without its finalizers");
  return (at < 0 ? text : text.slice(0, at)).replace("Internal error occurred: ", "");
}

function reasonToLeaveKind(kind: StoredKind, { catalog, skip, include }: ChoiceOptions): string | undefined {
  const words = wordsOf(kind), { strategy, custom, served } = kind.resource;
  if (words.some((word) => skip.has(word))) return "left out by --skip";
  const byDefault = Object.hasOwn(leftByDefault, kind.plural) && custom !== true ? leftByDefault[kind.plural] : undefined;
  if (byDefault !== undefined && !words.some((word) => include.has(word))) return byDefault;
  if (strategy?.without?.includes("create")) return strategy.withoutReason ?? "it cannot be created here";
  if (
    custom === true || catalog.versionsOf(kind).some(({ group, version, plural }) => catalog.endpoint(group, version, plural) !== undefined)
  ) {
    return undefined;
  }
  return `not served without --runtime-config=${kind.apiVersion}=true${Object.keys(served).length > 1 ? " or another version" : ""}`;
}

function unknownKind(prefix: string, key: string, identity: SourceObject["identity"]): string {
  const [first = ""] = key.slice(prefix.length + 1).split("/", 1);
  if (internal.has(first)) return "internal state of kube-apiserver";
  if (customResourceOf(prefix, key, identity) !== undefined) return "no established CustomResourceDefinition";
  if (identity.kind === "") return identity.problem ?? "no object";
  return `this server has no kind ${identity.kind}`;
}
