/** What is wrong with data items, in upstream's words, and the tags in front of them, which matter before the items do. */
import { CborFloat, type CborItem, CborSimple, CborTag, isLaterEncoding, nameOfItem, tags } from "./item.ts";
import { unacceptableText } from "./read.ts";

/** Why an item is no value of a type. A value, because bad input is expected. */
export class CborFailure {
  readonly #said: string;
  readonly #goType: string | undefined;
  readonly #detail: string;
  #field: string | undefined;

  /** `said` is the whole message, or the name of an item that is no value of the Go type. */
  constructor(said: string, goType?: string, detail = "") {
    this.#said = said;
    this.#goType = goType;
    this.#detail = detail;
  }
  /** Records the struct and field of the item. Of nested ones the outermost is reported. */
  under(field: string): void {
    this.#field = field;
  }
  get text(): string {
    if (this.#goType === undefined) return this.#said;
    const where = this.#field === undefined ? "value" : `struct field ${this.#field}`;
    const detail = this.#detail === "" ? "" : ` (${this.#detail})`;
    return `cbor: cannot unmarshal ${this.#said} into Go ${where} of type ${this.#goType}${detail}`;
  }
}

/** `item` is no value of a Go type; what an own reader of the API reads never comes here. */
export function wrongType(item: CborItem, goType: string, detail = ""): CborFailure {
  if (!(item instanceof CborSimple)) return new CborFailure(nameOfItem(item), goType, detail);
  return new CborFailure(unacceptableText(nameOfItem(item), `simple value ${item.value} is not recognized`));
}

/** A key, quoted if it is a text, stands in a map once more, at its `index`-th entry. */
export function duplicateKey(key: string, index: number): CborFailure {
  return new CborFailure(`cbor: found duplicate map key ${key} at map element index ${index}`);
}

/** The tag that says how byte strings are shown as text, if there is one above them. */
export type Later = number | bigint | undefined;

/** An item without the tags in front of it, and what they mean for the byte strings in it. */
export type Bare = Exclude<CborItem, CborTag>;

/** `read` for items in whose way no tags are; a failure for tags that do not go with what they stand before. */
export function untagged<R, C = void>(
  read: (item: Bare, later: Later, run: C) => R,
): (item: CborItem, later: Later, run: C) => R | CborFailure {
  return (item, later, run) => {
    let at = item, last = later;
    while (at instanceof CborTag) {
      const { number, content } = at;
      const why = misplaced(number, content);
      if (why !== undefined) return why;
      if (isLaterEncoding(number)) last = number;
      at = content;
    }
    return read(at, last, run);
  };
}

/** Times under a tag are texts or numbers. */
export function misplaced(number: number | bigint, content: CborItem): CborFailure | undefined {
  const name = nameOfItem(content);
  if (number === tags.time && name !== "UTF-8 text string") return followed(number, "text string", name);
  if (number === tags.epoch && !isNumber(content)) return followed(number, "integer or floating-point number", name);
  return undefined;
}
function followed(number: number, by: string, name: string): CborFailure {
  return new CborFailure(`cbor: tag number ${number} must be followed by ${by}, got ${name}`);
}
function isNumber(item: CborItem): boolean {
  return typeof item === "number" || typeof item === "bigint" || item instanceof CborFloat;
}
