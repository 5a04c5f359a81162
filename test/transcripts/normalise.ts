/** Replaces what differs from run to run by a placeholder, by the rules that the recordings were made with. */
import type { Json } from "./recording.ts";
import { isList, isObject, type Names } from "./values.ts";

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const onlyUid = new RegExp(`^${uid.source}$`);
const time = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?Z| [+-]\d{4} UTC|[+-]\d\d:\d\d)?( m=[+-][\d.]+)?/g;
/** Upstream shows its inner structures there. */
const innerDiff = /\n@@ [\s\S]*?\n(?=, |\]|$)/g;
/** What comes before an object or list that an error shows as its value. */
const beforeValue = /(?:Invalid|Duplicate|Unsupported|Forbidden) value: (?=[{[])/g;
const version = /(resource ?version(?: of)?:? ?"?|current: |Current |latest: )\d+/gi;
const digits = /^\d+$/;
/** Tokens of accounts and certificates, as they are and in base64: the first letters say what it is. */
const secrets = [
  [/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{20,}/g, "<token>"],
  [/ZXlK[A-Za-z0-9+/]{100,}=*/g, "<token>"],
  [/LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS[A-Za-z0-9+/]+=*/g, "<certificate>"],
] as const;

/** Where the JSON value that begins at `from` ends; undefined when none does. */
function endOfJson(text: string, from: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (inString) {
      if (letter === "\\") at++;
      else if (letter === '"') inString = false;
    } else if (letter === '"') inString = true;
    else if (letter === "{" || letter === "[") depth++;
    else if ((letter === "}" || letter === "]") && --depth === 0) return isJson(text.slice(from, at + 1)) ? at + 1 : undefined;
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // not JSON is an answer here
  }
}

/** Objects and lists that an error shows as its value become `<value>`. */
export function withoutInnerValues(text: string): string {
  let out = "";
  let done = 0;
  for (const match of text.matchAll(beforeValue)) {
    const start = match.index + match[0].length;
    const end = start < done ? undefined : endOfJson(text, start);
    if (end === undefined) continue;
    out += `${text.slice(done, start)}<value>`;
    done = end;
  }
  return out + text.slice(done);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Names that the server generated, each with the form to show, from every object in a body. */
export function generatedNames(value: Json): (readonly [string, string])[] {
  if (isList(value)) return value.flatMap(generatedNames);
  if (!isObject(value)) return [];
  const meta = isObject(value["metadata"]) ? value["metadata"] : {};
  const { generateName, name } = meta;
  const own = typeof generateName === "string" && typeof name === "string" ? [[name, `${generateName}<suffix>`] as const] : [];
  return [...own, ...Object.values(value).flatMap(generatedNames)];
}

/** Text with placeholders. `names`: what the scenario saved so far; `generated`: what generatedNames() found so far. */
export function normaliseText(text: string, names: Names, generated: ReadonlyMap<string, string>): string {
  let out = text;
  for (const [made, display] of generated) out = out.replaceAll(made, display);
  for (const name of ["ns", "id"]) {
    const value = names.get(name);
    if (typeof value === "string") out = out.replaceAll(value, `\${${name}}`);
  }
  out = withoutInnerValues(out.replace(innerDiff, ""));
  for (const [pattern, shown] of secrets) out = out.replace(pattern, shown);
  out = out.replace(uid, "<uid>").replace(time, "<time>");
  for (const [name, value] of names) {
    if (!name.startsWith("rv") || !digits.test(String(value))) continue;
    // Not the line in `scheme.go:30`, and not the code before a warning.
    out = out.replace(new RegExp(`(?<![\\w.:])${escaped(String(value))}(?![\\w.]| - ")`, "g"), "<rv>");
  }
  return out.replace(version, "$1<rv>");
}

/** normaliseText() at any depth, and the fields that are known by their name. */
export function normalise(value: Json, names: Names, generated: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return normaliseText(value, names, generated);
  if (isList(value)) return value.map((item) => normalise(item, names, generated));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (typeof item === "string" && item !== "") {
        if (key === "resourceVersion") return [key, digits.test(item) && item !== "0" ? "<rv>" : item];
        if (key === "continue") return [key, "<continue>"];
        if (key === "uid" && onlyUid.test(item)) return [key, "<uid>"];
      }
      return [normaliseText(key, names, generated), normalise(item, names, generated)];
    }),
  );
}
