/** Encodes the heads of responses. */
import { systemClock } from "../../../core/async.ts";
import { encodedField, encodedName, encodedText } from "../../../protocols/http2/header-encoder.ts";
import { consistsOf, nameCharacters, valueCharacters } from "../characters.ts";
import type { HeaderFields } from "../../../core/connect.ts";
import type { Reply } from "../../../kernel/request/exchange.ts";
import { valueText } from "../../../core/value-text.ts";

/** Encodes heads with the last encoded value of each name: most values repeat. */
export class HeadEncoder {
  readonly #last = new Map<string, { readonly value: string; readonly encoded: string }>();
  #second = -1;
  #date = "";

  /** The block of a response as Latin-1 text. `length`: the bytes of its body, if it has a content-length. */
  head(status: number, headers: Reply["headers"], length: number | undefined): string {
    let block = this.#field(":status", String(status));
    for (const name in headers) {
      const value = headers[name]!;
      if (typeof value === "string") block += this.#field(name, value);
      else for (const each of value) block += this.#field(name, each);
    }
    if (length !== undefined) block += encodedName("content-length") + encodedText(String(length));
    return headers["date"] === undefined ? block + this.#dateField() : block;
  }
  /** The block of the trailers of a response. */
  trailers(fields: HeaderFields): string {
    const all = Object.entries(fields).flatMap(([name, value]) => [value ?? []].flat().map((each): [string, string] => [name, each]));
    return all.map(([name, value]) => this.#field(name, value)).join("");
  }
  /** The block of an informational response. */
  informational(status: number): string {
    return this.#field(":status", String(status));
  }
  #field(name: string, value: string): string {
    const last = this.#last.get(name);
    if (last?.value === value) return last.encoded;
    if (name !== ":status" && !consistsOf(name, nameCharacters)) {
      throw new Error(`A response has an invalid header name: ${valueText(name)}`);
    }
    if (!consistsOf(value, valueCharacters)) throw new Error(`The header ${name} of a response has an invalid value`);
    const encoded = encodedField(name, value);
    // Names are those of our own responses.
    if (this.#last.size < namesMax || last !== undefined) this.#last.set(name, { value, encoded });
    return encoded;
  }
  #dateField(): string {
    const second = Math.floor(systemClock.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = encodedField("date", new Date(second * 1000).toUTCString());
    }
    return this.#date;
  }
}

const namesMax = 100;
