/**
 * A body before it has a type: what readers of JSON and YAML produce (of CBOR only where no type is known) and what patches work on.
 * Numbers stay lexical until a schema says what they are; objects keep document order and duplicate keys.
 */

/** A number as it was written. `source` matters: `15.0` is refused as an integer in JSON and accepted in YAML. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const digits: readonly NumberText[] = Array.from({ length: 10 }, (_, digit) => new NumberText(String(digit)));

/** A number of that text. Numbers of one digit are shared: a long list of them would take twenty times its bytes otherwise. */
export function numberTextOf(text: string): NumberText {
  return (text.length === 1 ? digits[text.charCodeAt(0) - 0x30] : undefined) ?? new NumberText(text);
}

/** An object as it was written: parallel arrays of keys and values in document order, duplicates kept. */
export class TreeObject {
  readonly keys: string[];
  readonly values: Tree[];
  constructor(keys: string[] = [], values: Tree[] = []) {
    this.keys = keys;
    this.values = values;
  }
  /** The value of the last member of that name, which is the one that counts for custom resources; undefined if absent. */
  get(key: string): Tree | undefined {
    const at = this.keys.lastIndexOf(key);
    return at < 0 ? undefined : this.values[at];
  }
  has(key: string): boolean {
    return this.keys.includes(key);
  }
}

export type Tree = null | boolean | string | NumberText | Tree[] | TreeObject;

/** Result of reading a document: a tree, or what is wrong with it in upstream's words. */
export type Read =
  | {
    readonly ok: true;
    readonly tree:
      Tree; /** Duplicate keys found while reading, for readers that must report them (YAML: `line 2: key "a" already set in map`). */
    readonly duplicates: readonly string[];
  }
  | { readonly ok: false; readonly error: string };
