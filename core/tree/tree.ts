/**
 * A body before decoding: the result of the JSON and YAML readers (and of the CBOR reader for untyped values), and the input of patches.
 * Numbers stay text until a schema gives their type; objects keep document order and duplicate keys.
 */

/** A number as written. The reader matters: `15.0` is not an integer in JSON, but is one in YAML. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const digits: readonly NumberText[] = Array.from({ length: 10 }, (_, digit) => new NumberText(String(digit)));

/** Returns the number with that text. Numbers of one digit are shared, because a list of separate ones would take twenty times its bytes. */
export function numberTextOf(text: string): NumberText {
  return (text.length === 1 ? digits[text.charCodeAt(0) - 0x30] : undefined) ?? new NumberText(text);
}

/** An object as written: parallel arrays of keys and values in document order, including duplicates. */
export class TreeObject {
  readonly keys: string[];
  readonly values: Tree[];
  constructor(keys: string[] = [], values: Tree[] = []) {
    this.keys = keys;
    this.values = values;
  }
  /** The value of the last member of that name; undefined if absent. */
  get(key: string): Tree | undefined {
    const at = this.keys.lastIndexOf(key);
    return at < 0 ? undefined : this.values[at];
  }
  has(key: string): boolean {
    return this.keys.includes(key);
  }
}

export type Tree = null | boolean | string | NumberText | Tree[] | TreeObject;

/** Result of reading a document: a tree or upstream's error. */
export type Read =
  | {
    readonly ok: true;
    readonly tree:
      Tree; /** Duplicate keys found while reading, for readers that must report them (YAML: `line 2: key "a" already set in map`). */
    readonly duplicates: readonly string[];
  }
  | { readonly ok: false; readonly error: string };
