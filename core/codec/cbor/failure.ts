/** Errors of data items with upstream's messages, and the checks of tags, which come before those of the tagged items. */
import { CborFloat, type CborItem, CborSimple, CborTag, isLaterEncoding, nameOfItem, tags } from "./item.ts";
import { unacceptableText } from "./read.ts";

/** The error for an item that is not a value of a type. Returned, not thrown, because invalid input is expected. */
export class CborFailure {
  readonly #message: string;
  readonly #goType: string | undefined;
  readonly #detail: string;
  #field: string | undefined;

  /** `message` is the whole message; with `goType` it is the name of the item that is not a value of the Go type. */
  constructor(message: string, goType?: string, detail = "") {
    this.#message = message;
    this.#goType = goType;
    this.#detail = detail;
  }
  /** Sets the struct and field of the item. A later call for an outer field replaces it. */
  under(field: string): void {
    this.#field = field;
  }
  get text(): string {
    if (this.#goType === undefined) return this.#message;
    const where = this.#field === undefined ? "value" : `struct field ${this.#field}`;
    const detail = this.#detail === "" ? "" : ` (${this.#detail})`;
    return `cbor: cannot unmarshal ${this.#message} into Go ${where} of type ${this.#goType}${detail}`;
  }
}

/** Returns the error for an item that is not a value of a Go type. */
export function wrongType(item: CborItem, goType: string, detail = ""): CborFailure {
  if (!(item instanceof CborSimple)) return new CborFailure(nameOfItem(item), goType, detail);
  return new CborFailure(unacceptableText(nameOfItem(item), `simple value ${item.value} is not recognized`));
}

/** Returns the error for a duplicate key at entry `index` of a map. `key` is quoted if it is a text. */
export function duplicateKey(key: string, index: number): CborFailure {
  return new CborFailure(`cbor: found duplicate map key ${key} at map element index ${index}`);
}

/** The tag of an expected later encoding of byte strings (RFC 8949 section 3.4.5.2) in force; undefined if there is none. */
export type Later = number | bigint | undefined;

/** An item without its tags. */
export type Bare = Exclude<CborItem, CborTag>;

/** Returns a reader that removes the tags of an item and passes the content to `read`. Fails for a tag that does not match its content. */
export function untaggingReader<R, C = void>(
  read: (item: Bare, later: Later, run: C) => R,
): (item: CborItem, later: Later, run: C) => R | CborFailure {
  return (item, later, run) => {
    let at = item, last = later;
    while (at instanceof CborTag) {
      const { number, content } = at;
      const why = misplacedTag(number, content);
      if (why !== undefined) return why;
      if (isLaterEncoding(number)) last = number;
      at = content;
    }
    return read(at, last, run);
  };
}

/** Returns the error for a time tag on an item of the wrong type; undefined for a valid one. */
export function misplacedTag(number: number | bigint, content: CborItem): CborFailure | undefined {
  const name = nameOfItem(content);
  if (number === tags.time && name !== "UTF-8 text string") return wrongContent(number, "text string", name);
  if (number === tags.epoch && !isNumber(content)) return wrongContent(number, "integer or floating-point number", name);
  return undefined;
}
function wrongContent(number: number, by: string, name: string): CborFailure {
  return new CborFailure(`cbor: tag number ${number} must be followed by ${by}, got ${name}`);
}
function isNumber(item: CborItem): boolean {
  return typeof item === "number" || typeof item === "bigint" || item instanceof CborFloat;
}
