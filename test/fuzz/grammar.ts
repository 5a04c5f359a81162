/** Inputs from a grammar. Binary formats are written as strings of bytes, one character each. */

/** One way to write a symbol: text with other symbols in `<angle>` brackets, or a function for dependent parts. */
export type Production = string | ((writer: Writer) => string);
export type Grammar = Readonly<Record<string, readonly Production[]>>;

/** The functions that productions call. */
export interface Writer {
  /** Writes a symbol. */
  write(symbol: string): string;
  /** Writes a symbol any number of times. */
  many(symbol: string, separator?: string): string;
  /** An integer below `end`. */
  below(end: number): number;
}

/** Beyond this depth the first production of a symbol is used, which must terminate. */
const depthMax = 12;

export interface Generated {
  /** Whole inputs. `size`: about how often `many` repeats, at most. */
  input(size: number): string;
  /** Unused productions, as `symbol 2`. */
  readonly unused: ReadonlySet<string>;
}

/** Writes `start` repeatedly. Prefers unused productions. */
export function generator(grammar: Grammar, start: string, random: () => number): Generated {
  const unused = new Set(Object.entries(grammar).flatMap(([symbol, all]) => all.map((_, index) => `${symbol} ${index}`)));
  let depth = 0, repeats = 1, budget = 0;
  const below = (end: number) => Math.floor(random() * end);
  const writer: Writer = {
    below,
    many: (symbol, separator = "") => {
      const count = depth > 3 || budget <= 0 ? below(3) : below(repeats + 1);
      return Array.from({ length: count }, () => writer.write(symbol)).join(separator);
    },
    write(symbol) {
      const all = grammar[symbol];
      if (all === undefined) throw new Error(`no symbol ${symbol}`);
      depth++;
      budget--;
      const at = depth > depthMax || budget < 0 ? 0 : choose(symbol, all.length);
      unused.delete(`${symbol} ${at}`);
      const production = all[at]!;
      const text = typeof production === "function"
        ? production(writer)
        : production.replace(/<([a-z0-9-]+)>/g, (_whole, inner: string) => writer.write(inner));
      depth--;
      return text;
    },
  };
  function choose(symbol: string, count: number): number {
    for (let at = 0; at < count; at++) if (unused.has(`${symbol} ${at}`)) return at;
    return below(count);
  }
  return {
    unused,
    input(size) {
      [depth, repeats, budget] = [0, size, 20 * size + 50];
      return writer.write(start);
    },
  };
}

/** Changes of an input: characters are replaced, and pieces are removed, repeated, swapped or cut off. */
export function mutated(input: string, random: () => number, binary: boolean): string {
  const below = (end: number) => Math.floor(random() * end);
  const character = () => String.fromCharCode(random() < 0.7 ? below(128) : below(binary ? 256 : 0xffff));
  let text = input;
  for (let left = 1 + below(3); left > 0; left--) {
    const at = below(text.length + 1), length = below(Math.min(40, text.length - at + 1));
    const piece = text.slice(at, at + length);
    const change = below(6);
    if (change === 0) text = text.slice(0, at) + character() + text.slice(at + 1);
    else if (change === 1) text = text.slice(0, at) + text.slice(at + length);
    else if (change === 2) text = text.slice(0, at) + character() + text.slice(at);
    else if (change === 3) text = text.slice(0, at) + piece + text.slice(at);
    else if (change === 4) text = text.slice(0, at);
    else {
      const to = below(text.length + 1);
      text = text.slice(0, to) + piece + text.slice(to);
    }
  }
  return text;
}

/** The input with one of its pieces repeated up to a length: detects superlinear work. */
export function pumped(input: string, random: () => number, length: number): string {
  if (input === "") return input;
  const at = Math.floor(random() * input.length);
  const piece = input.slice(at, at + 1 + Math.floor(random() * Math.min(12, input.length - at)));
  const times = Math.max(1, Math.floor((length - input.length) / piece.length));
  return input.slice(0, at) + piece.repeat(times) + input.slice(random() < 0.5 ? at + piece.length : input.length);
}
