/** The type of settings for programs, made from the table of settings, so that editors show their help. */
import { durationText } from "../../server/config/help.ts";
import type { Kind } from "../../server/config/setting.ts";
import { type AnySetting, settings } from "../../server/config/settings.ts";

const widthMax = 140;
/** Settings of the program only: `start` gets its plugins as values and reads no file. */
const ofProgram = ["config", "plugins"];

const types: Readonly<Record<Kind, string>> = {
  string: "string",
  bool: "boolean",
  int: "number",
  count: 'number | "auto"',
  fraction: "number",
  duration: "number",
  list: "readonly string[]",
  map: "Readonly<Record<string, boolean>>",
  texts: "Readonly<Record<string, string>>",
};

/** The text of `server/config/plain-settings-type.ts`. */
export function plainSettingsType(): string {
  const rows = Object.entries<AnySetting>(settings).filter(([name]) => !ofProgram.includes(name));
  return `/** The settings of \`start\` and \`openTestServer\`. \`npm run docs\` makes this file from the table of settings. */

/**
 * Settings by flag name. A setting that is a map on the command line (\`feature-gates\`, \`runtime-config\`) is a plain object,
 * \`{ WatchList: false }\`. Durations are numbers of milliseconds.
 */
export interface PlainSettings {
${rows.map(([name, setting]) => memberOf(name, setting)).join("\n")}
}
`;
}

function memberOf(name: string, { kind, help, default: value, deprecated }: AnySetting): string {
  const going = deprecated === undefined ? "" : ` Deprecated since ${deprecated.since}: use ${deprecated.use}.`;
  const unit = kind === "duration" ? " In milliseconds." : "";
  const doc = `${help}${unit} Default: ${defaultText(kind, value)}.${going}`.replaceAll("*/", "*\\/");
  return `${commentOf(doc)}\n  readonly "${name}"?: ${types[kind]};`;
}

function defaultText(kind: Kind, value: unknown): string {
  if (value === "" || Array.isArray(value) && value.length === 0 || value instanceof Map) return "empty";
  if (kind === "duration" && typeof value === "number" && value > 0) return `${value} (${durationText(value)})`;
  return Array.isArray(value) ? value.join(",") : String(value);
}

/** A docstring of one line if it fits, else of several. */
function commentOf(doc: string): string {
  const short = `  /** ${doc} */`;
  if (short.length <= widthMax) return short;
  const lines = ["   *"];
  for (const word of doc.split(" ")) {
    if (lines.at(-1)!.length + 1 + word.length > widthMax) lines.push("   *");
    lines.push(`${lines.pop()} ${word}`);
  }
  return ["  /**", ...lines, "   */"].join("\n");
}
