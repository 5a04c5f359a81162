/**
 * The state of one run of a decoder: its position, in the two formats of error messages, and its findings. The first wrong type is
 * recorded and decoding continues; an unreadable scalar ends the run and is reported instead. Go's decoder handles its own errors and
 * those of UnmarshalJSON methods in this way.
 */
import { append } from "../append.ts";
import { jsonKind } from "../tree/go-errors.ts";
import { goQuote } from "../tree/go-quote.ts";
import type { Tree } from "../tree/tree.ts";
import { bound } from "../bound.ts";
import { strictFindingsMax, typedDepthMax } from "../bounds.ts";

/** Maximum number of unknown fields that are reported for one strategic merge patch (upstream has no bound). */
export const convertedFindingsMax = bound(10_000);

/** The reader that made the tree. Readers differ in the integers that they accept and in the findings that they report. */
export type ReaderName = "json" | "yaml";

/** Input and output of a decoder: the name of the reader, and the findings for warnings or strict errors. */
export interface DecodeReport {
  readonly reader: ReaderName;
  /**
   * Findings such as `unknown field "spec.nope"` and `duplicate field "data.a"`, in document order, each of them once, at most
   * `strictFindingsMax`.
   */
  readonly findings: string[];
  /** If given, the paths of the findings are added here, in the same order. */
  readonly paths?: string[];
  /** If given, every wrong type is added here. Otherwise decoding throws the first one at its end. */
  readonly wrongTypes?: DecodeError[];
  /** If given, findings in metadata of embedded resources are added here, apart from the others. */
  readonly embedded?: string[];
  /** The document was applied: nulls of custom resources that may not be null stay, for validation. */
  readonly applied?: true;
  /** The tree was converted, not read: paths in findings are not quoted, and at most `convertedFindingsMax` findings are kept. */
  readonly converted?: true;
}

/** A body with a value of a wrong type. The message is upstream's without its prefix (`... cannot be handled as ...`). */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  /** The path of the field, such as `spec.items[0].name`. Absent if it is not known. */
  readonly path: string | undefined;
  constructor(message: string, path?: string) {
    super(message);
    this.path = path;
  }
}

export class Decoding {
  readonly reader: ReaderName;
  #findings: string[] | undefined;
  readonly #embedded: string[] | undefined;
  #reported: Set<string> | undefined;
  #wrongType: DecodeError | undefined;
  readonly #paths: string[] | undefined;
  readonly #wrongTypes: DecodeError[] | undefined;
  #depth = 0;
  /** Keys and indexes from the root, for findings. */
  readonly path: (string | number)[] = [];
  /** Names of Go fields from the root and their structs, for errors. */
  readonly fields: string[] = [];
  readonly structs: string[] = [];

  readonly #converted: boolean;
  /** See `DecodeReport.applied`. */
  readonly applied: boolean;
  /** The struct that errors of a separate run name. */
  readonly #outerStruct: string | undefined;

  /** Without a report, unknown and duplicate fields are ignored. */
  constructor(reader: ReaderName, report?: DecodeReport, outer?: Decoding) {
    this.reader = reader;
    this.#outerStruct = outer?.structs.at(-1);
    this.#depth = outer === undefined ? 0 : outer.#depth;
    this.#findings = report?.findings;
    this.#paths = report?.paths;
    this.#wrongTypes = report?.wrongTypes;
    this.#embedded = report?.embedded;
    this.#converted = report?.converted ?? false;
    this.applied = report?.applied ?? false;
  }

  get strict(): boolean {
    return this.#findings !== undefined;
  }

  enter(): void {
    if (++this.#depth > typedDepthMax) throw new DecodeError("exceeded max depth");
  }
  leave(): void {
    this.#depth--;
  }

  /**
   * Decodes a value as an UnmarshalJSON method with a decoder of its own does: unknown and duplicate fields are ignored, and a wrong type in
   * it ends the run. Its error names the struct around the value and the whole path.
   */
  separately(decode: (inner: Decoding) => unknown): unknown {
    const inner = new Decoding(this.reader, undefined, this);
    append(inner.fields, this.fields);
    const value = decode(inner);
    inner.finish();
    return value;
  }

  /** Decodes metadata of an embedded resource: its findings are reported separately, if the report requires it. */
  inEmbedded<T>(decode: () => T): T {
    const before = this.#findings;
    this.#findings = before && (this.#embedded ?? before);
    try {
      return decode();
    } finally {
      this.#findings = before;
    }
  }

  /** Reports a member that the type does not have. */
  unknown(key: string): void {
    this.#find("unknown", key);
  }
  duplicate(key: string): void {
    if (this.reader === "json") this.#find("duplicate", key);
  }
  /** Reports a pruned member of a custom resource. `path` begins below the current one. */
  unknownAt(path: readonly (string | number)[]): void {
    const text = pathText([...this.path, ...path]);
    this.#report(`unknown field "${text}"`, text);
  }
  /** As `unknownAt`, for a member that occurs twice. */
  duplicateAt(path: readonly (string | number)[]): void {
    if (this.reader !== "json") return;
    const text = pathText([...this.path, ...path]);
    this.#report(`duplicate field ${goQuote(text)}`, text);
  }
  #find(what: "unknown" | "duplicate", key: string): void {
    const path = pathText([...this.path, key]);
    this.#report(`${what} field ${this.#converted ? `"${path}"` : goQuote(path)}`, path);
  }
  #report(finding: string, path: string): void {
    const most = this.#converted ? convertedFindingsMax : strictFindingsMax;
    if (this.#findings === undefined || this.#findings.length >= most) return;
    this.#reported ??= new Set();
    if (this.#reported.has(finding)) return;
    this.#reported.add(finding);
    this.#findings.push(finding);
    this.#paths?.push(path);
  }
  /** Records that `tree` is not a value of the Go type. `detail`: the number that is out of range. */
  wrongType(tree: Tree, goType: string, detail = ""): void {
    if (this.#wrongTypes !== undefined) {
      if (this.#wrongTypes.length < strictFindingsMax) this.#wrongTypes.push(this.#cannot(tree, goType, detail));
      return;
    }
    this.#wrongType ??= this.#cannot(tree, goType, detail);
  }
  /** As `wrongType`, for types with an UnmarshalJSON method: ends the run. */
  refuseType(tree: Tree, goType: string, detail = ""): never {
    throw this.#cannot(tree, goType, detail);
  }
  #cannot(tree: Tree, goType: string, detail: string): DecodeError {
    const struct = this.#outerStruct ?? this.structs.at(-1);
    const where = struct === undefined ? "value" : `struct field ${struct.slice(struct.indexOf(".") + 1)}.${this.fields.join(".")}`;
    const value = `${jsonKind(tree)}${detail === "" ? "" : ` ${detail}`}`;
    return new DecodeError(`json: cannot unmarshal ${value} into Go ${where} of type ${goType}`, pathText(this.path));
  }

  /** Throws the first wrong type, if there was one. */
  finish(): void {
    if (this.#wrongType !== undefined) throw this.#wrongType;
  }
}

/** Returns a path as findings show it: `spec.items[0].name`. */
export function pathText(path: readonly (string | number)[]): string {
  let text = "";
  for (const step of path) text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  return text;
}
