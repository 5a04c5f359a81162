// Source maps by lines: the first mapping of each line is kept. Stack traces show the right lines, and the maps take a tenth of the space.

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The numbers of a segment: each is a sequence of base64 digits of five bits, the lowest first; its first bit is the sign. */
function decoded(segment) {
  const numbers = [];
  let value = 0, shift = 0;
  for (const digit of segment) {
    const bits = digits.indexOf(digit);
    value += (bits & 31) * 2 ** shift;
    shift += 5;
    if ((bits & 32) !== 0) continue;
    numbers.push(value % 2 === 1 ? -(value - 1) / 2 : value / 2);
    value = shift = 0;
  }
  return numbers;
}

function encoded(numbers) {
  return numbers.map((number) => {
    let text = "", rest = number < 0 ? -number * 2 + 1 : number * 2;
    do {
      const bits = rest % 32;
      rest = (rest - bits) / 32;
      text += digits[rest > 0 ? bits + 32 : bits];
    } while (rest > 0);
    return text;
  }).join("");
}

/** The `mappings` of a source map with the first segment of each line. Numbers of a segment are differences to the segment before. */
export function lineMappings(mappings) {
  const read = { source: 0, line: 0, column: 0 }, written = { source: 0, line: 0, column: 0 };
  return mappings.split(";").map((line) => {
    let first = "";
    for (const segment of line === "" ? [] : line.split(",")) {
      const [, source, sourceLine, sourceColumn] = decoded(segment);
      if (source === undefined) continue;
      read.source += source;
      read.line += sourceLine;
      read.column += sourceColumn;
      if (first !== "") continue;
      first = encoded([0, read.source - written.source, read.line - written.line, read.column - written.column]);
      Object.assign(written, read);
    }
    return first;
  }).join(";");
}
