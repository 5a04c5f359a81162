/** Semantic versions, by the specification 2.0.0. */

/** Whether a text is a semantic version, such as `1.2.3-rc.1+build.5`. */
export function isSemanticVersion(text: string): boolean {
  const plus = text.indexOf("+"), version = plus < 0 ? text : text.slice(0, plus);
  if (plus >= 0 && !areParts(text.slice(plus + 1), isBuild)) return false;
  const minus = version.indexOf("-"), core = minus < 0 ? version : version.slice(0, minus);
  if (minus >= 0 && !areParts(version.slice(minus + 1), isPreRelease)) return false;
  const numbers = core.split(".");
  return numbers.length === 3 && numbers.every(isNumber);
}

function areParts(text: string, isPart: (part: string) => boolean): boolean {
  return text.split(".").every(isPart);
}
function isNumber(part: string): boolean {
  return /^[0-9]+$/.test(part) && (part === "0" || !part.startsWith("0"));
}
function isBuild(part: string): boolean {
  return /^[0-9a-zA-Z-]+$/.test(part);
}
/** A part of digits has no leading zeros. */
function isPreRelease(part: string): boolean {
  return isBuild(part) && (!/^[0-9]+$/.test(part) || isNumber(part));
}
