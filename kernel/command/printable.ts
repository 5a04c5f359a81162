/** Text of another server's objects, for a terminal. */

/** Replaces control characters, which could change what the terminal shows. Lines stay one line. */
export function printable(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "\ufffd");
}
