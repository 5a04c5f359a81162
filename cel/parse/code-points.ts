/** Offsets in code points from UTF-16 offsets. */
export function codePointOffsets(text: string): (unit: number) => number {
  let first = 0;
  while (first < text.length && !isHighSurrogate(text.charCodeAt(first))) first++;
  if (first === text.length) return (unit) => unit;
  const offsets = new Uint32Array(text.length + 1);
  let points = 0;
  for (let unit = 0; unit < text.length; unit++) {
    offsets[unit] = points;
    if (!(isHighSurrogate(text.charCodeAt(unit)) && isLowSurrogate(text.charCodeAt(unit + 1)))) points++;
  }
  offsets[text.length] = points;
  return (unit) => offsets[unit]!;
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code < 0xdc00;
const isLowSurrogate = (code: number) => code >= 0xdc00 && code < 0xe000;
