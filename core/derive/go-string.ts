/** A JSON string as Go's encoder writes it: `<`, `>`, `&`, U+2028 and U+2029 escaped, lone surrogates replaced. */
export function goString(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text.isWellFormed() ? text : text.toWellFormed()).replace(special, escapeOf);
}
// deno-lint-ignore no-control-regex -- control characters are what must not stand in JSON
const plain = /^[^\u0000-\u001f"\\<>&\u2028\u2029\ud800-\udfff]*$/;
const special = /[<>&\u2028\u2029]/g;
function escapeOf(rune: string): string {
  return "\\u" + rune.charCodeAt(0).toString(16).padStart(4, "0");
}
