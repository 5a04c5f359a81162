/** How long the command of a container would run, as far as it says so by itself. */

interface Container {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

const unitMs: Readonly<Record<string, number>> = Object.freeze({ "": 1_000, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 });

/**
 * Returns the milliseconds that a container runs because it sleeps: its words, or the text that a shell gets, are `sleep 30` (also with a unit, or
 * `infinity`), and the image `pause` sleeps for ever. Undefined for any other container.
 */
export function sleepMs({ image = "", command = [], args = [] }: Container): number | undefined {
  const words = [...command, ...args];
  if (words.length === 0) return nameOf(image) === "pause" ? Infinity : undefined;
  const isShell = words.length === 3 && ["sh", "bash"].includes(lastPart(words[0]!)) && words[1] === "-c"; // three words
  const [program = "", time = "", ...more] = isShell ? words[2]!.trim().split(" ") : words; // the third word
  if (lastPart(program) !== "sleep" || more.length > 0) return undefined;
  if (time === "infinity" || time === "inf") return Infinity;
  const [, number, unit = ""] = /^([0-9]{1,15}(?:\.[0-9]{1,9})?)([smhd]?)$/.exec(time) ?? [];
  return number === undefined ? undefined : Number(number) * unitMs[unit]!; // the units of the expression
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The name of an image without its registry, tag and digest. */
const nameOf = (image: string): string => lastPart(image).split(/[:@]/)[0]!; // a split has one part at least
