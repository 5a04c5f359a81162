/** The mistakes and warnings of `thole check`, each at its place in a file. */
import { printable } from "../../core/printable.ts";
import type { Fault, Mistake, PlacedMistake } from "../../core/config/mistake.ts";
import { readWholeTextSync } from "../../protocols/files/bounded-files.ts";
import { type Place, type Places, placesIn } from "../upgrade/places.ts";
import { configurationFileBytesMax } from "../../server/config/bounds.ts";

export type Severity = "error" | "warning";

export interface Finding extends Partial<Place> {
  readonly severity: Severity;
  readonly text: string;
  /** Absent for a flag, and for the configuration as a whole. */
  readonly file?: string;
}

/** What was found. */
interface Found {
  readonly errors: readonly Mistake[];
  readonly warnings: readonly Mistake[];
  /** The configuration file; "" without one. */
  readonly configFile: string;
  /** The settings on the command line, which those in the file do not replace. */
  readonly flags: ReadonlySet<string>;
  /** The names of all settings. */
  readonly known: ReadonlySet<string>;
}

/**
 * Returns the findings, by file and line. A mistake in a file is at its field or line. One of a setting is at the setting in the
 * configuration file: the one that the mistake is known to be about, or that its text names, or whose value its text has.
 */
export function findingsOf(
  { errors, warnings, configFile, flags, known: names }: Found,
  read: (path: string) => string = (path) => readWholeTextSync(path, configurationFileBytesMax),
): readonly Finding[] {
  const known = new Map<string, Places | undefined>();
  const placesOf = (path: string) => {
    if (!known.has(path)) known.set(path, placesOrNone(path, read));
    return known.get(path);
  };
  const isSet = (name: string) => names.has(name) && !flags.has(name);
  const found = (severity: Severity) => (mistake: Mistake) =>
    (typeof mistake === "string"
      ? [placeOfSetting({ text: mistake, faults: [] }, configFile, placesOf, isSet)]
      : placesOfMistake(mistake, configFile, placesOf, isSet))
      .map((place): Finding => ({ severity, ...place }));
  const all = [...errors.flatMap(found("error")), ...warnings.flatMap(found("warning"))];
  const once = [...new Map(all.map((finding) => [findingLine(finding), finding])).values()];
  const files = [...new Set(once.map(({ file }) => file))];
  const order = (finding: Finding) => [files.indexOf(finding.file), finding.line ?? 0, finding.column ?? 0] as const;
  return once.toSorted((one, other) => {
    const [a, b] = [order(one), order(other)];
    return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
  });
}

/** Returns a line such as `thole.yaml:3:1: error: unknown setting "v1"`. */
export function findingLine({ severity, text, file, line, column }: Finding): string {
  const place = [file ?? "thole", line, column].filter((part) => part !== undefined).join(":");
  return printable(`${place}: ${severity}: ${text}`);
}

type PlacesOf = (path: string) => Places | undefined;
type PlacedText = Omit<Finding, "severity">;

function placesOrNone(path: string, read: (path: string) => string): Places | undefined {
  let text: string;
  try {
    text = read(path);
  } catch {
    return undefined; // That it cannot be read is a mistake of its own.
  }
  return placesIn(text);
}

/** Whether a key of the configuration file is a setting that no flag replaces. */
type IsSet = (name: string) => boolean;

function placesOfMistake(mistake: PlacedMistake, configFile: string, placesOf: PlacesOf, isSet: IsSet): readonly PlacedText[] {
  const { file, faults } = mistake;
  if (file === undefined) return [placeOfSetting(mistake, configFile, placesOf, isSet)];
  return faults.map((fault) => ({ text: fault.text, file, ...placeIn(file, fault, placesOf) }));
}

function placeIn(file: string, { path, line }: Fault, placesOf: PlacesOf): Partial<Place> {
  if (path !== undefined) return placesOf(file)?.of(path) ?? {};
  // Errors of JSON have no line.
  return line === undefined ? placesOf(file)?.error ?? {} : { line };
}

function placeOfSetting({ text, setting }: PlacedMistake, configFile: string, placesOf: PlacesOf, isSet: IsSet): PlacedText {
  const places = configFile === "" ? undefined : placesOf(configFile);
  if (places === undefined) return { text };
  const words = wordsOf(text), inFile = places.keys().filter((key) => isSet(key.text));
  const named = inFile.find((key) => key.text === setting) ?? inFile.find((key) => isNamed(key.text, text, words)) ??
    inFile.find((key) => places.below(key.text).some((value) => isTelling(value.text) && words.has(value.text)));
  if (named === undefined) return { text };
  // An item of a list, or a key of a map.
  const { line, column } = places.below(named.text).find((value) => words.has(value.text)) ?? named;
  return { text, file: configFile, line, column };
}

/** Returns the words of a text, also without what may surround them. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.split(/[^A-Za-z0-9_./-]+/);
  return new Set(
    words.flatMap((word) => [word, word.startsWith("--") ? word.slice(2) : word, /[.:]$/.test(word) ? word.slice(0, -1) : word]),
  );
}

/** Whether a text names a setting. The name of one letter needs quotes or dashes. */
function isNamed(name: string, text: string, words: ReadonlySet<string>): boolean {
  return name.length > 2 ? words.has(name) : text.includes(`"${name}"`) || text.includes(`--${name} `) || text.includes(`"--${name}"`);
}

/** Whether a value is not a word of any text. */
const isTelling = (value: string) => value.length > 2 && value !== "true" && value !== "false";
