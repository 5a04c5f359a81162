/** The number of values of a JSON text, without parsing it. */

const quote = 0x22, backslash = 0x5c, comma = 0x2c, bracket = 0x5b, brace = 0x7b;

/** About how many values the text has: an empty list or object counts twice. Counts to one more than `most`. */
export function countValues(text: string, most = Infinity): number {
  let count = 1, inString = false;
  for (let at = 0; at < text.length && count <= most; at++) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === backslash) at++;
      else if (unit === quote) inString = false;
    } else if (unit === quote) inString = true;
    else if (unit === comma || unit === bracket || unit === brace) count++;
  }
  return count;
}
