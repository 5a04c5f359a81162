/** Settings as programs write them: plain objects in the form of the configuration file, durations in milliseconds. */
import { nearest } from "../../core/nearest.ts";
import type { PlainSettings } from "./plain-settings-type.ts";
import type { SettingTable } from "./plugin-settings.ts";
import type { Config, Kind } from "./settings.ts";

export type { PlainSettings };

const record = (value: unknown, of: "boolean" | "string"): boolean =>
  typeof value === "object" && value !== null && !(value instanceof Map) && !Array.isArray(value) &&
  Object.values(value).every((each) => typeof each === of);

/** A check of a value's type for each kind of setting, and the name of that type. */
const types: Readonly<Record<Kind, { readonly is: (value: unknown) => boolean; readonly expected: string }>> = {
  string: { is: (value) => typeof value === "string", expected: "a string" },
  bool: { is: (value) => typeof value === "boolean", expected: "true or false" },
  int: { is: (value) => Number.isSafeInteger(value) && Number(value) >= 0, expected: "a whole number from 0" },
  count: {
    is: (value) => value === "auto" || Number.isSafeInteger(value) && Number(value) > 0,
    expected: 'a whole number from 1, or "auto"',
  },
  fraction: { is: (value) => typeof value === "number", expected: "a number" },
  duration: { is: (value) => typeof value === "number" && value >= 0, expected: "a number of milliseconds" },
  list: { is: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"), expected: "an array of strings" },
  map: { is: (value) => record(value, "boolean"), expected: "an object of booleans, such as { Name: true }" },
  texts: { is: (value) => record(value, "string"), expected: "an object of strings" },
};

/** The settings in the server's form. Adds a line to `mistakes` for each name that is not in `table` and each value of the wrong type. */
export function fromPlain(given: Readonly<Record<string, unknown>>, table: SettingTable, mistakes: string[]): Partial<Config> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(table, name)) {
      const near = nearest(name, Object.keys(table));
      mistakes.push(`unknown setting "${name}"${near === undefined ? "" : `: did you mean "${near}"?`}`);
      continue;
    }
    const { kind } = table[name]!; // An own key of the table.
    const { is, expected } = types[kind];
    if (!is(value)) mistakes.push(`setting "${name}" must be ${expected}`);
    else values[name] = kind === "map" || kind === "texts" ? new Map(Object.entries(value as object)) : value;
  }
  return values as Partial<Config>; // The kind of each value was checked.
}
