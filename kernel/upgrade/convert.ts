/** Converts the objects of a file to other versions, and keeps the rest of the file as it is. */
import { isMap } from "yaml";
import { limits } from "../../core/limits.ts";
import { type Names, spell } from "../../core/names.ts";
import type { Release } from "../../core/plugin.ts";
import { RemovedKinds } from "../../core/removed-apis.ts";
import type { GroupVersion } from "../../core/versions.ts";
import { danglingAlias, type Part, partsOf, readDocument } from "./document.ts";
import { type Editing, Fields } from "./fields.ts";
import { type Finding, FormError, ManifestError } from "./finding.ts";
import type { Rule } from "./rules/rule.ts";
import { rules } from "./rules/rules.ts";
import { withLineEnds } from "./kept-lines.ts";
import { writerOf } from "./write.ts";

export interface ConvertOptions {
  readonly names: Names;
  /** The version to convert to. Without it each object is converted to the preferred version that is served. */
  readonly to?: GroupVersion | undefined;
  /** Versions that later releases remove are not converted. */
  readonly until?: Release | undefined;
}

/** An object that was converted. */
export interface ConvertedObject {
  readonly line: number;
  readonly kind: string;
  readonly name: string;
  readonly from: GroupVersion;
  readonly to: GroupVersion;
}

export interface Conversion {
  readonly text: string;
  readonly objects: readonly ConvertedObject[];
  readonly findings: readonly Finding[];
  /** Findings that are not listed. */
  readonly moreFindings: number;
  /** Documents that cannot be read; they stay as they are. */
  readonly errors: readonly ManifestError[];
}

/** Converts the text of a file. */
export function convertManifest(text: string, options: ConvertOptions): Conversion {
  const run = new Run(options), mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const written = partsOf(text.slice(mark.length)).map((part) => run.convertPart(part)).join("");
  const { objects, findings, moreFindings, errors } = run;
  if (objects.length === 0) return { text, objects, findings, moreFindings, errors };
  return { text: mark + written, objects, findings, moreFindings, errors };
}

/** Equal for the findings of copies of one field. */
const keyOf = ({ line, field, text }: Finding) => `${line} ${field.slice(field.lastIndexOf(".") + 1)} ${text}`;

const byteOrderMark = "\ufeff";

class Run {
  readonly objects: ConvertedObject[] = [];
  readonly findings: Finding[] = [];
  moreFindings = 0;
  readonly errors: ManifestError[] = [];
  readonly #kinds: RemovedKinds;
  readonly #to: GroupVersion | undefined;
  /** The removed group versions. A part without any of them is not read. */
  readonly #words: readonly string[];
  readonly #rules: ReadonlyMap<string, Rule>;

  constructor({ names, to, until }: ConvertOptions) {
    this.#kinds = new RemovedKinds(names, until);
    this.#to = to;
    this.#words = [...new Set([...this.#kinds.all()].map(({ groupVersion }) => groupVersion))];
    this.#rules = new Map(
      Object.entries(rules).flatMap(([kind, byVersion]) =>
        Object.entries(byVersion).map(([groupVersion, rule]) => [`${spell(names, groupVersion)} ${kind}`, rule] as const)
      ),
    );
  }

  convertPart(part: Part): string {
    // Some programs write JSON with escaped slashes.
    const searched = part.text.includes("\\/") ? part.text.replaceAll("\\/", "/") : part.text;
    if (!this.#words.some((word) => searched.includes(word))) return part.text;
    // A schema that is copied to several versions has one finding.
    const findings = new Map<string, Finding>(), objects: ConvertedObject[] = [];
    try {
      const read = readDocument({ ...part, text: part.text.replaceAll("\r\n", "\n") }), root = read?.document.contents;
      if (read === undefined || !isMap(root)) return part.text;
      const write = writerOf(read);
      const { lineAt, resolve } = read;
      const editing: Editing = {
        lineAt,
        resolve,
        report: (finding) => findings.set(keyOf(finding), finding),
      };
      this.#convertObject(new Fields(root, "", lineAt(root.range?.[0] ?? 0), editing), objects);
      const dangling = danglingAlias(root);
      if (dangling !== undefined) {
        throw new FormError(
          lineAt(dangling.range?.[0] ?? 0),
          `*${dangling.source}`,
          "the alias names a value that is moved or removed: write the value out",
        );
      }
      const text = objects.length === 0 ? part.text : withLineEnds(part.text, read.head + write());
      for (const object of objects) this.objects.push(object);
      return text;
    } catch (error) {
      if (error instanceof FormError) {
        findings.clear();
        findings.set("", {
          level: "choice",
          line: error.line,
          field: error.field,
          text: `${error.message}; the document is not converted`,
        });
      } else if (error instanceof ManifestError) this.errors.push(error);
      else throw error;
      return part.text;
    } finally {
      const room = Math.max(0, limits.manifestFindingsMax - this.findings.length);
      for (const finding of [...findings.values()].slice(0, room)) this.findings.push(finding);
      this.moreFindings += Math.max(0, findings.size - room);
    }
  }

  /** `inherited`: the version and kind of an item of a list of one kind, which need not have its own. */
  #convertObject(object: Fields, objects: ConvertedObject[], inherited?: { readonly from: GroupVersion; readonly kind: string }): void {
    const from = object.text("apiVersion") ?? inherited?.from, kind = object.text("kind") ?? inherited?.kind;
    if (from === undefined || kind === undefined) return;
    if (kind === "List") { for (const item of object.items("items")) this.#convertObject(item, objects); }
    else if (kind.endsWith("List") && object.has("items")) {
      this.#convertList(object, { from, kind: kind.slice(0, -"List".length) }, objects);
    } else {
      if (kind === "HorizontalPodAutoscaler") this.#convertReference(object, objects);
      const way = this.#wayOf(object, from, kind);
      if (way.length === 0) return;
      objects.push({ line: object.lineOf("apiVersion"), kind, name: object.fields("metadata")?.text("name") ?? "", from, to: way.at(-1)! });
      way.forEach((to, index) => {
        const step = { from: way[index - 1] ?? from, to };
        this.#rules.get(`${step.from} ${kind}`)?.(object, step);
        if (object.has("apiVersion")) object.set("apiVersion", to);
      });
    }
  }

  /** The target of an autoscaler is found by its version, which is that of another object. */
  #convertReference(object: Fields, objects: ConvertedObject[]): void {
    const reference = object.fields("spec")?.fields("scaleTargetRef"), from = reference?.text("apiVersion") ?? "";
    const kind = reference?.text("kind") ?? "", to = this.#kinds.way(from, kind, this.#to)?.at(-1);
    if (reference === undefined || to === undefined) return;
    reference.set("apiVersion", to);
    reference.note("apiVersion", `${to} written instead of ${from}`);
    objects.push({ line: reference.lineOf("apiVersion"), kind: `${kind} as target`, name: reference.text("name") ?? "", from, to });
  }

  #convertList(list: Fields, of: { readonly from: GroupVersion; readonly kind: string }, objects: ConvertedObject[]): void {
    for (const item of list.items("items")) this.#convertObject(item, objects, of);
    const to = this.#kinds.way(of.from, of.kind, this.#to)?.at(-1);
    if (to === undefined || this.#kinds.get(to, of.kind)?.instead !== undefined) return;
    list.set("apiVersion", to);
    objects.push({ line: list.lineOf("apiVersion"), kind: `${of.kind}List`, name: "", from: of.from, to });
  }

  /** The versions to go through; empty if the object stays as it is. Reports a kind without a replacement. */
  #wayOf(object: Fields, from: GroupVersion, kind: string): readonly GroupVersion[] {
    const way = this.#kinds.way(from, kind, this.#to) ?? [];
    const end = this.#to === undefined ? this.#kinds.get(way.at(-1) ?? from, kind) : undefined;
    if (end?.instead === undefined) return way;
    object.choice("apiVersion", `${kind} is removed in ${end.removed} without a replacement; use ${end.instead}`);
    return [];
  }
}
