/** Warning headers of one response (RFC 7234, section 5.5), each text once, with kube-apiserver's bounds. */
import { bound } from "../../core/bound.ts";

/** Runes of all Warning headers of a response. */
export const warningRunesMax = bound(4096);
/** Runes of each warning of a response whose warnings exceed `warningRunesMax`. */
export const warningRunesTruncated = bound(256);

export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    this.#texts.add(text);
  }
  /** Returns a function that removes the texts added since. */
  checkpoint(): () => void {
    const { size } = this.#texts;
    return () => {
      for (const text of [...this.#texts].slice(size)) this.#texts.delete(text);
    };
  }
  /** In the order of `add`. */
  get texts(): Iterable<string> {
    return this.#texts;
  }

  /**
   * Values of the `warning` headers, in the order of `add`. If the total exceeds `warningRunesMax`, every text is truncated to
   * `warningRunesTruncated`, and texts are added until the truncated total reaches the maximum.
   */
  headers(): readonly string[] {
    const texts: string[] = [];
    const headers: string[] = [];
    let runes = 0, cutting = false;
    const send = (text: string): void => {
      const cut = cutting ? firstRunes(text, warningRunesTruncated) : text;
      if (control.test(cut)) return;
      runes += runeCount(cut);
      headers.push(warningHeader(cut));
    };
    for (const text of this.#texts) {
      if (cutting && runes >= warningRunesMax) break;
      if (text === "") continue;
      texts.push(text);
      const tooLong = !cutting && !control.test(text) && runes + runeCount(text) > warningRunesMax;
      if (!tooLong) {
        send(text);
        continue;
      }
      cutting = true;
      runes = 0;
      headers.length = 0;
      for (const each of texts) send(each);
    }
    return headers;
  }
}

/** Characters that a header cannot contain (Go's unicode.IsControl). */
// deno-lint-ignore no-control-regex
const control = /[\x00-\x1f\x7f-\x9f]/;

function runeCount(text: string): number {
  let runes = 0;
  for (const _ of text) runes++;
  return runes;
}
function firstRunes(text: string, count: number): string {
  if (text.length <= count) return text;
  let at = 0;
  for (let runes = 0; runes < count && at < text.length; runes++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return text.slice(0, at);
}

/** `299 - "text"` with quotes and backslashes escaped. */
function warningHeader(text: string): string {
  const clean = text.replace(/[\\"]/g, "\\$&");
  // Header values are sent as Latin-1, so each UTF-8 byte becomes one character.
  const bytes = new TextEncoder().encode(`299 - "${clean}"`);
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
