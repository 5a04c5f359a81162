/** Mistakes in the configuration and their places in files, which `thole check` prints. */
import type { FieldError } from "../field-error.ts";
import { fieldErrorText } from "../field-error.ts";
import { reasonOf } from "../reason-of.ts";

/** What is wrong in a text, and where. Without `path` and `line` it concerns the whole text. */
export interface Fault {
  /** What is wrong, and what would be accepted. */
  readonly text: string;
  /** The path of the field, such as `rules[0].level`. */
  readonly path?: string;
  /** The line, counted from 1. */
  readonly line?: number;
}

/** A mistake in the configuration: the line that the start prints, or this line with its places in a file. */
export type Mistake = string | PlacedMistake;
/** A mistake in a file, or in the value of a setting. */
export interface PlacedMistake {
  /** The line that the start prints for the mistake. */
  readonly text: string;
  /** The setting that names the file. */
  readonly setting?: string;
  /** The file that has the faults. Absent if the setting itself is wrong, or its file cannot be read. */
  readonly file?: string;
  /** The faults of the text, of which there can be several in one file. */
  readonly faults: readonly Fault[];
}

/** Thrown for a text with faults. Its message is the one that the start prints, which may name fewer of them. */
export class FaultyText extends Error {
  readonly faults: readonly Fault[];
  constructor(message: string, faults: readonly Fault[]) {
    super(message);
    this.faults = faults;
  }

  /** Returns the error with further faults, which the message does not name. A fault of a field that already has one is left out. */
  and(more: readonly Fault[]): FaultyText {
    const paths = this.faults.flatMap(({ path }) => path === undefined ? [] : [path]);
    const isBelow = (path: string, above: string) => path.startsWith(above) && ["", ".", "["].includes(path.charAt(above.length));
    return new FaultyText(this.message, [...this.faults, ...more.filter(({ path }) => !paths.some((above) => isBelow(path ?? "", above)))]);
  }
}

/** A file with faults. */
export class FaultyFile extends FaultyText {
  readonly file: string;
  /** `error` is the error of reading the text of the file. */
  constructor(file: string, message: string, error: unknown) {
    super(message, error instanceof FaultyText ? error.faults : [faultOf(reasonOf(error))]);
    this.file = file;
  }
}

/** Returns the fault of a message that may begin with a line: `yaml: line 2: ...` or `line 2: ...`. `readYaml` returns such messages. */
export function faultOf(text: string): Fault {
  const [, line] = /^(?:yaml: )?line (\d{1,9}): /.exec(text) ?? [];
  return line === undefined ? { text } : { text, line: Number(line) };
}

/** Returns the faults of validation errors. */
export function faultsOfFields(errors: readonly FieldError[]): readonly Fault[] {
  return errors.map((error) => ({ text: fieldErrorText(error), path: error.path }));
}

/** Returns the mistakes that an error of a setting's file stands for. */
export function mistakesOf(error: unknown, setting?: string): readonly PlacedMistake[] {
  if (error instanceof AggregateError) return error.errors.flatMap((each: unknown) => mistakesOf(each, setting));
  const text = reasonOf(error), named = setting === undefined ? {} : { setting };
  return [
    error instanceof FaultyFile ? { text, ...named, file: error.file, faults: error.faults } : { text, ...named, faults: [{ text }] },
  ];
}

/** Resolves with all results. Rejects with the only error, or with an AggregateError of all. */
export async function allOrErrors<T>(runs: readonly Promise<T>[]): Promise<readonly T[]> {
  const outcomes = await Promise.allSettled(runs);
  const errors = outcomes.flatMap((outcome): unknown[] => outcome.status === "rejected" ? [outcome.reason] : []);
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(reasonOf).join(", "));
  return outcomes.flatMap((outcome) => outcome.status === "fulfilled" ? [outcome.value] : []);
}

/** Returns the line that the start prints for a mistake. */
export function textOf(mistake: Mistake): string {
  return typeof mistake === "string" ? mistake : mistake.text;
}
