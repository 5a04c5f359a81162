import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { valueText } from "../../core/value-text.ts";

/** An object with one thing changed. */
export interface Change {
  /** What was changed, such as `spec.replicas = -1`. */
  readonly what: string;
  readonly object: JsonObject;
}

/** Where a value is in an object. */
export type Path = readonly (string | number)[];

const long = "a".repeat(300);
const texts = ["", "Not_A-Name!", long, "a", "-1", "2024-01-01T00:00:00Z"], numbers = [-1, 0, 1, 2 ** 31 - 1, 2 ** 31];

/** The values in place of one. `undefined` removes it. */
function replacements(value: Json): readonly (Json | undefined)[] {
  const wrongType: Json = typeof value === "string" ? 7 : "text";
  const others = typeof value === "string"
    ? texts
    : typeof value === "number"
    ? numbers
    : typeof value === "boolean"
    ? [!value]
    : Array.isArray(value)
    ? [[], [...value, ...value.slice(0, 1)]]
    : [{}];
  return [undefined, null, wrongType, ...others].filter((each) => each !== value);
}

/** Each change of one value of an object, at any depth. */
export function changesOf(base: JsonObject): readonly Change[] {
  const changes: Change[] = [];
  const visit = (value: Json, path: Path): void => {
    const isKind = path.length === 1 && (path[0] === "kind" || path[0] === "apiVersion");
    if (path.length > 0 && !isKind) {
      for (const other of replacements(value)) {
        const object = replaced(base, path, other) as JsonObject; // the path is not empty
        changes.push({ what: `${path.join(".")} ${other === undefined ? "removed" : `= ${shortened(valueText(other))}`}`, object });
      }
    }
    if (Array.isArray(value)) (value as readonly Json[]).forEach((item, index) => visit(item, [...path, index]));
    else if (isObject(value)) { for (const [key, member] of Object.entries(value)) visit(member, [...path, key]); }
  };
  visit(base, []);
  return changes;
}

/** The base with each generated value alone: of `spec.x`, and of `x` where `x` is no object. */
export function withGenerated(base: JsonObject, generated: JsonObject): readonly Change[] {
  return Object.entries(generated).flatMap(([key, value]) => {
    if (key === "metadata" || key === "kind" || key === "apiVersion") return [];
    const before = base[key];
    if (!isObject(value) || !isObject(before)) {
      return [{ what: `${key} = ${shortened(valueText(value))}`, object: { ...base, [key]: value } }];
    }
    return Object.entries(value).map(([inner, each]) => ({
      what: `${key}.${inner} = ${shortened(valueText(each))}`,
      object: { ...base, [key]: { ...before, [inner]: each } },
    }));
  });
}

/** The value with another one at a path. Undefined removes it. */
export function replaced(value: Json, path: Path, other: Json | undefined): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return other;
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => index === key ? replaced(item, rest, other) ?? [] : [item]);
  const { [key]: inner, ...others } = value as JsonObject;
  const next = replaced(inner!, rest, other);
  return next === undefined ? others : { ...value as JsonObject, [key]: next };
}

/** A text of at most 60 characters. */
export function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
