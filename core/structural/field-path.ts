/** Paths to fields of a schema, such as `.spec.size` or `.labels['a.b']`. */

/** What a path needs of a schema. */
export interface PathSchema<S> {
  readonly properties?: Readonly<Record<string, S>>;
  readonly additionalProperties?: S | boolean | null;
}

export interface FoundField<S> {
  /** The path as upstream writes it: `spec.labels[a]`. */
  readonly path: string;
  /** Undefined for a member of a map without a schema. */
  readonly schema: S | undefined;
}

const notAField = "does not refer to a valid field";
const unexpectedEnd = "unexpected end of JSON path";

/**
 * Returns the field that a path leads to, or upstream's error. The schema must be convertible to a structural one; without a schema
 * there is no field.
 */
export function findField<S extends PathSchema<S>>(
  text: string,
  root: S | undefined,
  options: { readonly brackets: boolean } = { brackets: true },
): FoundField<S> | string {
  let schema: S | undefined = root, path = "", at = 0;
  const token = (): string | undefined => {
    const next = nextToken(text, at);
    at += next?.length ?? 0;
    return next;
  };
  for (let first = token(); first !== undefined; first = token()) {
    if (first !== "[" && first !== ".") return `expected [ or . but got: ${first}`;
    if (first === "[" && !options.brackets) return "array notation is not allowed";
    const second = token();
    if (second === undefined) return unexpectedEnd;
    let name = second;
    if (first === "[") {
      if (second.length < 2 || !second.startsWith("'") || !second.endsWith("'")) return `expected single quoted string but got ${second}`;
      const unescaped = unescapedText(second.slice(1, -1));
      if ("wrong" in unescaped) return `invalid string literal: ${unescaped.wrong}`;
      name = unescaped.text;
    }
    const step: Step<S> | undefined = schema === undefined ? undefined : stepTo(schema, name);
    if (step === undefined) return notAField;
    schema = step.schema;
    path = step.isNamed ? (path === "" ? name : `${path}.${name}`) : `${path}[${name}]`;
    if (first === "[") {
      const close = token();
      if (close === undefined) return unexpectedEnd;
      if (close !== "]") return `expected ] but got ${close}`;
    }
  }
  return { path, schema };
}

interface Step<S> {
  readonly isNamed: boolean;
  readonly schema: S | undefined;
}
/** Decoded schemas have no empty `properties`. Counting them for each path would make the work quadratic. */
function stepTo<S extends PathSchema<S>>({ properties, additionalProperties }: S, name: string): Step<S> | undefined {
  if (properties !== undefined) return Object.hasOwn(properties, name) ? { isNamed: true, schema: properties[name] } : undefined;
  if (additionalProperties === undefined) return undefined;
  return {
    isNamed: false,
    schema: typeof additionalProperties === "object" && additionalProperties !== null ? additionalProperties : undefined,
  };
}

/** Returns a delimiter (`.`, `[`, `]`), a text in single quotes, or the text up to a delimiter. */
function nextToken(text: string, from: number): string | undefined {
  if (from >= text.length) return undefined;
  if (text[from] === "'") {
    for (let at = from + 1; at < text.length; at++) if (text[at] === "'" && text[at - 1] !== "\\") return text.slice(from, at + 1);
    return text.slice(from);
  }
  let at = from;
  while (at < text.length && !".[]".includes(text[at]!)) at++;
  return text.slice(from, Math.max(at, from + 1));
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

function unescapedText(text: string): { readonly text: string } | { readonly wrong: string } {
  let wrong: string | undefined;
  const plain = text.replace(/\\./g, (found) => {
    const character = Object.hasOwn(escapes, found[1]!) ? escapes[found[1]!] : undefined;
    if (character === undefined) wrong = `invalid escape char ${found}`;
    return character ?? "";
  });
  return wrong === undefined ? { text: plain } : { wrong };
}
