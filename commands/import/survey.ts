/** Counts of what a source has: one row for each resource, version and namespace. */
import type { SourceObject } from "../source/source.ts";
import type { Choice } from "./choice.ts";
import { valueText } from "../../core/value-text.ts";
import { bound } from "../../core/bound.ts";

/** Kinds, versions and namespaces that `thole import` shows in separate rows. Others are counted in one row for each kind. */
const surveyRowsMax = bound(100_000);

export interface Row {
  /** `configmaps`, `widgets.example.com`, or the beginning of the key for kinds that are not known. */
  readonly resource: string;
  readonly kind: string;
  /** The version in which the objects are stored. */
  readonly version: string;
  readonly namespace: string;
  objects: number;
  bytes: number;
  /** Why the objects are left behind; empty if they are imported. */
  readonly left: string;
}

export class Survey {
  readonly #rows = new Map<string, Row>();
  readonly #prefix: string;
  /** `prefix`: of the keys of the source. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(one: SourceObject, choice: Choice): void {
    const { apiVersion, kind } = one.identity, [resource, namespace] = this.#placeOf(one, choice);
    const left = choice.tag === "left" ? choice.why : "";
    const id = valueText([resource, kind, apiVersion, namespace, left]);
    const row = this.#rows.get(id) ?? this.#add(id, { resource, kind, version: apiVersion, namespace, objects: 0, bytes: 0, left });
    row.objects++;
    row.bytes += one.value.length;
  }

  #add(id: string, row: Row): Row {
    if (this.#rows.size < surveyRowsMax) {
      this.#rows.set(id, row);
      return row;
    }
    const shared = this.#rows.get("more") ?? { resource: "(others)", kind: "", version: "", namespace: "", objects: 0, bytes: 0, left: "" };
    this.#rows.set("more", shared);
    return shared;
  }

  /** Resource and namespace. */
  #placeOf({ key, identity }: SourceObject, choice: Choice): [string, string] {
    if (choice.tag === "import") {
      const { kind: { plural, group }, object } = choice;
      return [group === "" ? plural : `${plural}.${group}`, object.metadata.namespace ?? ""];
    }
    const segments = key.slice(this.#prefix.length + 1).split("/"), [first = "", second = ""] = segments;
    // Groups are the first segment of some keys: `example.com/widgets/...`; values that cannot be read do not say their namespace.
    const named = first.includes(".") ? `${second}.${first}` : first === "services" ? `${first}/${second}` : first;
    const namespaceAt = first.includes(".") || first === "services" ? 2 : 1;
    const isNamespaced = identity.namespace !== "" || (identity.problem !== undefined && segments.length === namespaceAt + 2);
    return [named, isNamespaced ? identity.namespace || segments[namespaceAt]! : ""];
  }

  /** The rows, in the order of resources and namespaces. */
  rows(): readonly Readonly<Row>[] {
    const order = ({ resource, version, namespace }: Row) => `${resource}\0${version}\0${namespace}`;
    return [...this.#rows.values()].toSorted((a, b) => order(a) < order(b) ? -1 : 1);
  }
}
