/**
 * Parses and matches field selectors such as `metadata.name=a,type!=b`. In a value, `\` stands before a comma, an equals sign or a
 * backslash.
 */

/** One requirement of a field selector: a field has this value, or does not. */
export interface FieldRequirement {
  /** The label of the field, such as `metadata.name`. */
  readonly field: string;
  /** `==` in the text of a selector is read as `=`. */
  readonly operator: "=" | "!=";
  /** The value to compare with, without backslashes of the text. */
  readonly value: string;
}
/** The requirements of a field selector, or why it is invalid. */
export type ParsedFieldSelector =
  | { readonly ok: true; readonly requirements: readonly FieldRequirement[] }
  | { readonly ok: false; readonly error: string };

/**
 * Parses a selector to its requirements, or returns kube-apiserver's error. Terms are in the order of their text, as upstream: of two
 * requirements for a name, the first is the name that a list is authorized for.
 */
export function parseFieldSelector(selector: string): ParsedFieldSelector {
  const requirements: FieldRequirement[] = [];
  const terms = splitTerms(selector);
  for (const term of terms.length > 1 ? terms.toSorted() : terms) {
    if (term === "") continue;
    const parts = splitTerm(term);
    if (parts === undefined) return { ok: false, error: `invalid selector: '${selector}'; can't understand '${term}'` };
    const value = unescape(parts.value);
    if (!value.ok) return { ok: false, error: `invalid field selector: ${value.error}` };
    // Upstream treats an empty field with an empty value as no requirement, with any operator.
    if (parts.field === "" && value.text === "") continue;
    requirements.push({ field: parts.field, operator: parts.operator, value: value.text });
  }
  return { ok: true, requirements };
}

const comma = 0x2c, backslash = 0x5c, equals = 0x3d, bang = 0x21;

function splitTerms(selector: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < selector.length; at++) {
    const unit = selector.charCodeAt(at);
    if (unit === backslash) at++;
    else if (unit === comma) {
      terms.push(selector.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(selector.slice(start));
  return terms;
}

function splitTerm(term: string): { field: string; operator: "=" | "!="; value: string } | undefined {
  for (let at = 0; at < term.length; at++) {
    const unit = term.charCodeAt(at), next = term.charCodeAt(at + 1);
    if (unit === bang && next === equals) return { field: term.slice(0, at), operator: "!=", value: term.slice(at + 2) };
    if (unit === equals) return { field: term.slice(0, at), operator: "=", value: term.slice(at + (next === equals ? 2 : 1)) };
  }
  return undefined;
}

function unescape(text: string): { ok: true; text: string } | { ok: false; error: string } {
  if (!/[\\,=]/.test(text)) return { ok: true, text };
  let out = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === "\\") {
      const next = text[++at];
      if (next !== "\\" && next !== "," && next !== "=") return { ok: false, error: `invalid escape sequence: \\${next ?? ""}` };
      out += next;
    } else if (char === "," || char === "=") {
      // Upstream prints the rune as a number.
      return { ok: false, error: `unescaped character in value: ${char.charCodeAt(0)}` };
    } else out += char;
  }
  return { ok: true, text: out };
}

/** Whether the fields satisfy all requirements. An absent field is "". */
export function matchesFields(requirements: readonly FieldRequirement[], valueOf: (field: string) => string): boolean {
  return requirements.every(({ field, operator, value }) => (valueOf(field) === value) === (operator === "="));
}
