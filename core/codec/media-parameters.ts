/** Parameters of a media type in Content-Type, checked as Go's mime.ParseMediaType does. */

const tokenCharacter = /[!#$%&'*+\-.0-9A-Z^_`a-z|~]/;

/** Whether the parameters after the type (`; charset=utf-8`, or empty) are valid: every name has exactly one value. */
export function areMediaParameters(text: string): boolean {
  const known = new Map<string, string>();
  for (let at = afterBlanks(text, 0); at < text.length; at = afterBlanks(text, at)) {
    const start = at;
    if (text[at] !== ";") return false;
    const nameAt = afterBlanks(text, at + 1), nameEnd = afterToken(text, nameAt);
    // A semicolon at the end is ignored.
    if (nameEnd === nameAt) return text.slice(start).trim() === ";";
    const equals = afterBlanks(text, nameEnd);
    if (text[equals] !== "=") return false;
    const valueAt = afterBlanks(text, equals + 1);
    at = text[valueAt] === '"' ? afterQuoted(text, valueAt) : afterToken(text, valueAt);
    if (at === valueAt) return false;
    const name = text.slice(nameAt, nameEnd).toLowerCase(), value = unquote(text.slice(valueAt, at));
    if ((known.get(name) ?? value) !== value) return false;
    known.set(name, value);
  }
  return true;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at++;
  return at;
}
function afterToken(text: string, from: number): number {
  let at = from;
  while (at < text.length && tokenCharacter.test(text[at]!)) at++;
  return at;
}
/** Returns the index after a quoted string; `from` if the closing quote is missing. */
function afterQuoted(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] === "\\") at++;
  }
  return from;
}
function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;
}
