/** Reads and changes the fields of one mapping of a document, and reports what it cannot decide at the line of a field. */
import { type Alias, isAlias, isMap, isNode, isPair, isScalar, isSeq, type Node, Pair, Scalar, type YAMLMap } from "yaml";
import type { Json } from "../../core/json.ts";
import type { Resolved } from "../../core/tree/yaml/resolve.ts";
import { type Finding, FormError } from "./finding.ts";
import { nodeOf, resolveValue, valueOf } from "./nodes.ts";
import { bound } from "../../core/bound.ts";

/** Nodes of a value that is written a second time, such as labels, with its aliases followed. */
const manifestValueNodesMax = bound(10_000);

/** A field with its comments that was taken out of a mapping. */
export type Taken = Pair<Scalar<string>, Node | null>;

/** Where a field is put: beside another field, if that exists, else at the end. */
export interface Position {
  readonly before?: string;
  readonly after?: string;
}

/** What the fields of one document share. */
export interface Editing {
  lineAt(offset: number): number;
  /** What an alias stands for. */
  resolve(alias: Alias): Node | undefined;
  /** `place`: equal for a field of the source and its copies, which have one finding. */
  report(finding: Finding, place: string): void;
}

export class Fields {
  readonly path: string;
  readonly #map: YAMLMap<Scalar<string>, Node | null>;
  readonly #line: number;
  readonly #editing: Editing;

  /** `line`: that of the field that has the mapping. */
  constructor(map: YAMLMap, path: string, line: number, editing: Editing) {
    this.#map = map as YAMLMap<Scalar<string>, Node | null>; // `readDocument` rejects other keys, and its scalars are text.
    this.path = path;
    this.#editing = editing;
    this.#line = line;
    const merge = this.#pair("<<");
    if (merge !== undefined) throw new FormError(this.lineOf("<<"), this.pathOf("<<"), "merge keys are not followed: write the fields out");
  }

  #pair(name: string): Taken | undefined {
    return this.#map.items.find(({ key }) => key.value === name);
  }

  pathOf(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }

  /** The line of a field, or that of the mapping if it has no such field. */
  lineOf(name: string): number {
    const start = this.#pair(name)?.key.range?.[0];
    return start === undefined ? this.#line : this.#editing.lineAt(start);
  }

  /** The line of the field at a path, or of the last part of the path that the source has. */
  lineAt([name, ...rest]: readonly string[]): number {
    const pair = name === undefined ? undefined : this.#pair(name);
    if (pair === undefined) return this.#line;
    let node: Node | null | undefined = pair.value, line = this.lineOf(name!);
    for (const step of rest) {
      const next: unknown = isMap(node)
        ? node.items.find(({ key }) => isScalar(key) && key.value === step)
        : isSeq(node)
        ? node.items[Number(step)]
        : undefined;
      const [start, value] = isPair(next) ? [(next.key as Node).range?.[0], next.value] : isNode(next) ? [next.range?.[0], next] : [];
      if (start !== undefined) line = this.#editing.lineAt(start);
      node = value as Node | null | undefined; // Values of maps and lists that were read are nodes.
    }
    return line;
  }

  names(): readonly string[] {
    return this.#map.items.map(({ key }) => key.value);
  }

  /** Whether the field has a value other than null. */
  has(name: string): boolean {
    const value = this.#pair(name)?.value ?? null;
    return value !== null && !(isScalar(value) && resolveValue(value).type === "null");
  }

  /** The text of a scalar as it is written; undefined if it is absent, null, or no scalar. */
  text(name: string): string | undefined {
    const found = this.scalar(name);
    return found === undefined || found.type === "null" ? undefined : String(this.#scalarOf(name)!.value);
  }

  /** What a scalar means to a server; undefined if it is absent or no scalar. */
  scalar(name: string): Resolved | undefined {
    const value = this.#scalarOf(name);
    return value === undefined ? undefined : resolveValue(value);
  }

  #scalarOf(name: string): Scalar | undefined {
    const value = this.#pair(name)?.value;
    if (isAlias(value)) throw this.#formError(name, `*${value.source} is an alias: write the value out`);
    return isScalar(value) ? value : undefined;
  }

  /** The fields of a mapping; undefined if it is absent or null. */
  fields(name: string): Fields | undefined {
    if (!this.has(name)) return undefined;
    const value = this.#pair(name)!.value;
    if (isAlias(value)) throw this.#formError(name, `*${value.source} is an alias: write the value out`);
    if (!isMap(value)) throw this.#formError(name, "is not a mapping");
    return new Fields(value, this.pathOf(name), this.lineOf(name), this.#editing);
  }

  /** The mappings of a list; empty if it is absent or null. */
  items(name: string): readonly Fields[] {
    if (!this.has(name)) return [];
    const value = this.#pair(name)!.value;
    if (isAlias(value)) throw this.#formError(name, `*${value.source} is an alias: write the value out`);
    if (!isSeq(value)) throw this.#formError(name, "is not a list");
    return value.items.map((item, index) => {
      const path = `${this.pathOf(name)}[${index}]`;
      if (isAlias(item)) throw new FormError(this.lineOf(name), path, `*${item.source} is an alias: write the value out`);
      if (!isMap(item)) throw new FormError(this.lineOf(name), path, "is not a mapping");
      return new Fields(item, path, item.range ? this.#editing.lineAt(item.range[0]) : this.lineOf(name), this.#editing);
    });
  }

  /** The scalars of a list; empty if it is absent or null. */
  texts(name: string): readonly string[] {
    if (!this.has(name)) return [];
    const value = this.#pair(name)!.value;
    if (!isSeq(value)) throw this.#formError(name, "is not a list");
    return value.items.map((item) => isScalar(item) ? String(item.value) : "");
  }

  #formError(name: string, reason: string): FormError {
    return new FormError(this.lineOf(name), this.pathOf(name), reason);
  }

  /** Gives a field another name. A field with that name is replaced, unless only it has a value. */
  rename(from: string, to: string): void {
    const pair = this.#pair(from);
    if (pair === undefined) return;
    if (!this.has(from) && this.has(to)) return this.remove(from);
    this.remove(to);
    pair.key.value = to;
  }

  remove(name: string): void {
    this.take(name);
  }

  /** Removes fields that are null: servers know them in the old version only. */
  removeNulls(...names: readonly string[]): void {
    for (const name of names) if (!this.has(name)) this.remove(name);
  }

  /** Removes a field and returns it with its comments. */
  take(name: string): Taken | undefined {
    const pair = this.#pair(name);
    if (pair !== undefined) this.#map.items.splice(this.#map.items.indexOf(pair), 1);
    return pair;
  }

  /** Adds a field that was taken out, under a name, or replaces the field with that name, such as a null. Without a field nothing happens. */
  put(pair: Taken | undefined, name: string, position: Position = {}): void {
    if (pair === undefined) return;
    const before = this.#pair(name);
    pair.key.value = name;
    if (before === undefined) this.#insert(pair, position);
    else this.#map.items.splice(this.#map.items.indexOf(before), 1, pair);
  }

  /** Adds or replaces a field. */
  set(name: string, value: Json, position: Position = {}): void {
    const pair = this.#pair(name), node = nodeOf(value);
    if (pair === undefined) this.#insert(new Pair<Scalar<string>, Node | null>(new Scalar(name), node), position);
    else {
      node.comment = pair.value?.comment ?? null;
      node.commentBefore = pair.value?.commentBefore ?? null;
      pair.value = node;
    }
  }

  #insert(pair: Taken, { before, after }: Position): void {
    const items = this.#map.items, beside = items.findIndex(({ key }) => key.value === (before ?? after));
    if (items.length === 0) this.#map.flow = false;
    items.splice(beside < 0 ? items.length : before === undefined ? beside + 1 : beside, 0, pair);
  }

  /** The fields of a mapping, which is added if it is absent or null. */
  fieldsOrNew(name: string, position: Position = {}): Fields {
    if (!this.has(name)) this.set(name, {}, position);
    return this.fields(name)!;
  }

  /** A field's value with aliases followed, to be set elsewhere. */
  valueOf(name: string): Json {
    return valueOf(this.#pair(name)?.value ?? null, {
      resolve: (alias) => this.#editing.resolve(alias),
      nodes: manifestValueNodesMax,
      depth: 0,
      fail: (reason) => this.#formError(name, reason),
    });
  }

  /** A copy of a field with its comments. */
  copyOf(name: string): Taken | undefined {
    return this.#pair(name)?.clone() as Taken | undefined; // The clone of a pair has clones of its key and value.
  }

  /** Reports a value that only a person can choose. */
  choice(name: string, text: string): void {
    this.#report("choice", name, text);
  }

  /** Reports what was written, or why. */
  note(name: string, text: string): void {
    this.#report("note", name, text);
  }

  #report(level: Finding["level"], name: string, text: string): void {
    // A mapping that was added has no place in the source.
    const start = this.#map.range?.[0], place = start === undefined ? this.path : String(start);
    this.#editing.report({ level, line: this.lineOf(name), field: this.pathOf(name), text }, `${place} ${name} ${text}`);
  }
}
