/** The values of JSON texts that several readers in the process get at about the same time, such as controllers that list one resource at the start. */
import type { Json } from "../../core/json.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { bound } from "../../core/bound.ts";

/** Characters of the shortest page of a list that readers in the process share. */
export const sharedTextLengthMin = bound(4_096);
/** Characters of all pages of lists that readers in the process share. */
export const sharedTextsLengthMax = bound(64 * 1024 * 1024);
/** Milliseconds for which the pages of lists are kept that readers in the process share. */
const sharedTextsMs = bound(10_000);

/** Parses each text once while it is kept. Values are shared, so readers must not change them. */
export class SharedValues {
  readonly #values = new Map<string, Json>();
  #length = 0;
  #timer: { unref(): unknown } | undefined;

  /** The value of a JSON text. Short texts are parsed again each time, which costs less than their memory. */
  of(text: string): Json {
    if (text.length < sharedTextLengthMin) return plainJson(text);
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const value = plainJson(text);
    this.#keep(text, value);
    return value;
  }

  #keep(text: string, value: Json): void {
    this.#values.set(text, value);
    this.#length += text.length;
    for (const oldest of this.#values.keys()) {
      if (this.#length <= sharedTextsLengthMax) break;
      this.#values.delete(oldest);
      this.#length -= oldest.length;
    }
    this.#timer ??= setTimeout(() => this.#forget(), sharedTextsMs).unref();
  }

  #forget(): void {
    this.#values.clear();
    this.#length = 0;
    this.#timer = undefined;
  }
}
