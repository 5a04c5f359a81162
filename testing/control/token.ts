/** The token of the test control. */
import { bound } from "../../core/bound.ts";

/** Bytes of a token. */
const tokenBytes = 32;
/** Characters of the header that are compared. */
const headerCharactersMax = bound(1024);

/** A secret that requests have to know. */
export class ControlToken {
  /** The text of the token. It is printed once, and never logged. */
  readonly text: string;
  readonly #key: CryptoKey;
  readonly #expected: ArrayBuffer;

  private constructor(text: string, key: CryptoKey, expected: ArrayBuffer) {
    this.text = text;
    this.#key = key;
    this.#expected = expected;
  }

  /** Makes a token. */
  static async make(): Promise<ControlToken> {
    const text = Array.from(crypto.getRandomValues(new Uint8Array(tokenBytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const key = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
    return new ControlToken(text, key, await crypto.subtle.sign("HMAC", key, utf8(text)));
  }

  /** Whether a header `Authorization` has the token. The time that this takes says nothing about the token. */
  async isIn(header: string): Promise<boolean> {
    const [, given] = /^Bearer (\S+)$/i.exec(header.slice(0, headerCharactersMax)) ?? [];
    return await crypto.subtle.verify("HMAC", this.#key, this.#expected, utf8(given ?? ""));
  }
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
