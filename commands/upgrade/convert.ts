/** Converts the objects of a file to other versions, and keeps the rest of the file as it is. */
import { isMap } from "yaml";
import { type Names, spell } from "../../core/names.ts";
import type { Release } from "../../core/releases.ts";
import { RemovedKinds } from "../../core/removed-apis.ts";
import type { GroupVersion } from "../../core/versions.ts";
import { danglingAlias, isListOfObjects, type Part, partsOf, readDocument, syntaxErrorOf } from "./document.ts";
import { type Editing, Fields } from "./fields.ts";
import { type Finding, findingLine, FormError, ManifestError } from "./finding.ts";
import type { Rule } from "./rules/rule.ts";
import { rules } from "./rules/rules.ts";
import { type CheckObject, type Converted, rejectionsOf } from "./server-rules.ts";
import { withLineEnds } from "./kept-lines.ts";
import { writerOf } from "./write.ts";
import { bound } from "../../core/bound.ts";

/** Findings of one document that are reported. Further ones are counted. */
export const manifestFindingsMax = bound(1_000);

export interface ConvertOptions {
  readonly names: Names;
  /** The version to convert to. Without it each object is converted to the preferred version that is served. */
  readonly to?: GroupVersion | undefined;
  /** Versions that later releases remove are not converted. */
  readonly until?: Release | undefined;
  /** The rules of a server for converted objects. */
  readonly check?: CheckObject | undefined;
}

/** An object that was converted. */
export interface ConvertedObject {
  readonly line: number;
  readonly kind: string;
  readonly name: string;
  readonly from: GroupVersion;
  readonly to: GroupVersion;
  /** Not an object of its own: a list, or the target of an object that is converted, too. */
  readonly isPart?: true;
}

export interface Conversion {
  readonly text: string;
  readonly objects: readonly ConvertedObject[];
  readonly findings: readonly Finding[];
  /** Findings that are not listed, and the choices among them. */
  readonly moreFindings: number;
  readonly moreChoices: number;
  /** Documents that cannot be read; they stay as they are. */
  readonly errors: readonly ManifestError[];
}

/** Converts the text of a file. */
export function convertManifest(text: string, options: ConvertOptions): Conversion {
  const run = new Run(options), mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const written = partsOf(text.slice(mark.length)).map((part) => run.convertPart(part)).join("");
  const { objects, findings, moreFindings, moreChoices, errors } = run;
  return { text: objects.length === 0 ? text : mark + written, objects, findings, moreFindings, moreChoices, errors };
}

/** The number of converted objects. */
export const convertedCount = ({ objects }: Conversion): number => objects.filter(({ isPart }) => isPart !== true).length;

/** The number of choices that are left. */
export const choiceCount = ({ findings, moreChoices }: Conversion): number =>
  findings.filter(({ level }) => level === "choice").length + moreChoices;

const byteOrderMark = "\ufeff";

/** What was converted in one document. */
interface Done {
  readonly objects: ConvertedObject[];
  readonly converted: Converted[];
}

class Run {
  readonly objects: ConvertedObject[] = [];
  readonly findings: Finding[] = [];
  moreFindings = 0;
  moreChoices = 0;
  readonly errors: ManifestError[] = [];
  readonly #kinds: RemovedKinds;
  readonly #to: GroupVersion | undefined;
  /** The removed group versions. A part without any of them is not read. */
  readonly #words: readonly string[];
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #check: CheckObject | undefined;

  constructor({ names, to, until, check }: ConvertOptions) {
    this.#check = check;
    this.#kinds = new RemovedKinds(names, until);
    this.#to = to;
    this.#words = [...new Set([...this.#kinds.all()].map(({ groupVersion }) => groupVersion))];
    this.#rules = new Map(
      Object.entries(rules).flatMap(([kind, byVersion]) =>
        Object.entries(byVersion).map(([groupVersion, rule]) => [`${spell(names, groupVersion)} ${kind}`, rule] as const)
      ),
    );
  }

  /** Returns the text of a part with its objects converted, or as it is if that is not possible. */
  convertPart(part: Part): string {
    // A schema that is copied to several versions has one finding.
    const findings = new Map<string, Finding>();
    try {
      return this.#convertedText(part, findings);
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
      this.#addFindings([...findings.values()]);
    }
  }

  #addFindings(all: readonly Finding[]): void {
    const room = Math.max(0, manifestFindingsMax - this.findings.length), more = all.slice(room);
    for (const finding of all.slice(0, room)) this.findings.push(finding);
    this.moreFindings += more.length;
    this.moreChoices += more.filter(({ level }) => level === "choice").length;
  }

  /** Throws ManifestError for a part that cannot be read, and FormError for one whose form cannot be kept. */
  #convertedText(part: Part, findings: Map<string, Finding>): string {
    const read = this.#isOld(part) ? readDocument({ ...part, text: part.text.replaceAll("\r\n", "\n") }) : undefined;
    const error = syntaxErrorOf(part);
    if (error !== undefined) throw error;
    const root = read?.document.contents;
    if (isListOfObjects(root)) {
      throw new ManifestError(read!.lineAt(0), "a list of objects is no object: write kind List with items, or a document for each");
    }
    if (read === undefined || !isMap(root)) return part.text;
    const write = writerOf(read), { lineAt, resolve } = read, line = lineAt(root.range?.[0] ?? 0);
    const editing: Editing = { lineAt, resolve, report: (finding, place) => findings.set(place, finding) };
    const done: Done = { objects: [], converted: [] };
    this.#convertObject(new Fields(root, "", line, editing), done);
    const dangling = danglingAlias(root);
    if (dangling !== undefined) {
      const text = "the alias names a value that is moved or removed: write the value out";
      throw new FormError(lineAt(dangling.range?.[0] ?? 0), `*${dangling.source}`, text);
    }
    const text = done.objects.length === 0 ? part.text : withLineEnds(part.text, read.head + write());
    if (syntaxErrorOf({ text, line: part.line }) !== undefined) {
      throw new ManifestError(lineAt(0), "the converted document would be no YAML that servers read: write its odd keys out");
    }
    if (this.#check !== undefined && done.converted.length > 0) {
      for (const finding of rejectionsOf(text, done.converted, findings.values(), this.#check)) {
        findings.set(findingLine("", finding), finding);
      }
    }
    for (const object of done.objects) this.objects.push(object);
    return text;
  }

  /** Whether the part may name a removed version. Some programs write JSON with escaped slashes. */
  #isOld({ text }: Part): boolean {
    const searched = text.includes("\\/") ? text.replaceAll("\\/", "/") : text;
    return this.#words.some((word) => searched.includes(word));
  }

  /** `inherited`: the version and kind of an item of a list of one kind, which need not have its own. */
  #convertObject(object: Fields, done: Done, inherited?: { readonly from: GroupVersion; readonly kind: string }): void {
    const from = object.text("apiVersion") ?? inherited?.from, kind = object.text("kind") ?? inherited?.kind;
    if (from === undefined || kind === undefined) return;
    if (kind === "List") { for (const item of object.items("items")) this.#convertObject(item, done); }
    else if (kind.endsWith("List") && object.has("items")) {
      this.#convertList(object, { from, kind: kind.slice(0, -"List".length) }, done);
    } else {
      const targets = kind === "HorizontalPodAutoscaler" ? this.#convertReferences(object) : [];
      const way = this.#wayOf(object, from, kind);
      // The first one counts for an object that has no other change.
      targets.forEach((target, index) => done.objects.push(way.length === 0 && index === 0 ? target : { ...target, isPart: true }));
      if (way.length === 0) return;
      done.objects.push({
        line: object.lineOf("apiVersion"),
        kind,
        name: object.fields("metadata")?.text("name") ?? "",
        from,
        to: way.at(-1)!,
      });
      way.forEach((to, index) => {
        const step = { from: way[index - 1] ?? from, to };
        this.#rules.get(`${step.from} ${kind}`)?.(object, step);
        if (object.has("apiVersion")) object.set("apiVersion", to);
      });
      done.converted.push({ fields: object, kind, to: way.at(-1)! });
    }
  }

  /** The target of an autoscaler, and the objects of its metrics, are found by their versions, which are those of other objects. */
  #convertReferences(object: Fields): readonly ConvertedObject[] {
    const spec = object.fields("spec"), parts = [spec?.fields("scaleTargetRef")];
    for (const metric of spec?.items("metrics") ?? []) {
      const source = metric.fields("object");
      // In v2beta1 the object is the target; in later versions the target has a value.
      parts.push(source?.fields("describedObject") ?? source?.fields("target"));
    }
    return parts.flatMap((reference) => reference === undefined ? [] : this.#convertReference(reference));
  }

  #convertReference(reference: Fields): readonly ConvertedObject[] {
    const from = reference.text("apiVersion") ?? "",
      kind = reference.text("kind") ?? "",
      to = this.#kinds.way(from, kind, this.#to)?.at(-1);
    if (to === undefined) return [];
    reference.set("apiVersion", to);
    reference.note("apiVersion", `${to} written instead of ${from}`);
    return [{ line: reference.lineOf("apiVersion"), kind: `${kind} as target`, name: reference.text("name") ?? "", from, to }];
  }

  #convertList(list: Fields, of: { readonly from: GroupVersion; readonly kind: string }, done: Done): void {
    for (const item of list.items("items")) this.#convertObject(item, done, of);
    const to = this.#kinds.way(of.from, of.kind, this.#to)?.at(-1);
    if (to === undefined || this.#kinds.get(to, of.kind)?.instead !== undefined) return;
    list.set("apiVersion", to);
    done.objects.push({ line: list.lineOf("apiVersion"), kind: `${of.kind}List`, name: "", from: of.from, to, isPart: true });
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
