/** Warning headers of one answer (RFC 7234 section 5.5), each text once, bounded as kube-apiserver bounds them. */
import { limits } from "../../core/limits.ts";

export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    this.#texts.add(text);
  }
  /** In the order of `add`. */
  get texts(): Iterable<string> {
    return this.#texts;
  }

  /** Values of the `warning` headers, in the order of `add`. Once the total is too long, each text is cut. */
  headers(): readonly string[] {
    const texts = [...this.#texts].filter((text) => text !== "");
    const total = texts.reduce((sum, text) => sum + [...text].length, 0);
    if (total <= limits.warningRunesMax) return texts.map(warningHeader);
    const headers: string[] = [];
    let left = limits.warningRunesMax;
    for (const text of texts) {
      // The one that crosses the bound still goes out.
      if (left <= 0) break;
      const runes = [...text].slice(0, limits.warningRunesTruncated);
      left -= runes.length;
      headers.push(warningHeader(runes.join("")));
    }
    return headers;
  }
}

/** `299 - "text"` with quotes and backslashes escaped; what a header cannot carry is left out. */
function warningHeader(text: string): string {
  // deno-lint-ignore no-control-regex
  const clean = text.replace(/[\x00-\x08\x0a-\x1f\x7f]/g, " ").replace(/[\\"]/g, "\\$&");
  // Header values go out byte by byte: UTF-8 bytes as Latin-1 characters.
  const bytes = new TextEncoder().encode(`299 - "${clean}"`);
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
