/**
 * Objects as the stores keep them, for a long time: without what the simulation does not read, and with texts of their own. A text that was cut out
 * of a JSON document keeps that whole document in memory, and equal texts of many objects are the same text.
 */
import type { ApiObject } from "../../../plugin.ts";
import { bound } from "../../../core/bound.ts";
import { plainJson } from "../../../core/tree/plain-json.ts";
import { valueText } from "../../../toolbox.ts";

/** Texts that objects share, and the length of the longest of them in UTF-16 units. When there are more, a new table begins. */
const sharedTextsMax = bound(20_000), sharedLengthMax = bound(256);

/** Makes the kept form of objects. */
export class Compactor {
  #texts = new Map<string, string>();

  /**
   * Returns a copy of the object, without the owners of its fields: an update that has none keeps those that are stored. Parts that are equal in
   * `like`, an earlier copy, are shared with it. The pods of a workload differ in a few texts only.
   */
  of<T extends ApiObject>(object: T, like?: T): T {
    const { managedFields: _, ...metadata } = object.metadata;
    return this.#copy({ ...object, metadata }, like) as T; // it has the members of the object
  }

  #copy(value: unknown, like: unknown): unknown {
    if (typeof value === "string") return value === like ? like : this.#text(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return this.#items(value, Array.isArray(like) ? like : []);
    return this.#members(value, typeof like === "object" && like !== null ? like as Readonly<Record<string, unknown>> : {});
  }

  #items(value: readonly unknown[], like: readonly unknown[]): readonly unknown[] {
    let isShared = value.length === like.length;
    const copy = value.map((each, index) => {
      const item = this.#copy(each, like[index]);
      isShared &&= item === like[index];
      return item;
    });
    return isShared ? like : copy;
  }

  #members(value: object, like: Readonly<Record<string, unknown>>): unknown {
    const copy: Record<string, unknown> = {}, entries = Object.entries(value), names = Object.keys(like);
    let isShared = entries.length === names.length;
    for (const [index, [name, each]] of entries.entries()) {
      const known = Object.hasOwn(like, name) ? like[name] : undefined, member = this.#copy(each, known);
      isShared &&= name === names[index] && member === known;
      define(copy, name, member);
    }
    return isShared ? like : copy;
  }

  #text(text: string): string {
    if (text.length > sharedLengthMax) return ownText(text);
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size === sharedTextsMax) this.#texts = new Map();
    const own = ownText(text);
    this.#texts.set(own, own);
    return own;
  }
}

/** UTF-16 units of the longest text that engines copy when they cut it out. */
const copiedLengthMax = 12;

/** A text with characters of its own: engines cut longer texts without copying them. */
function ownText(text: string): string {
  if (text.length <= copiedLengthMax) return text;
  return plainJson(valueText(text)) as string; // the same text
}

/** `__proto__` is a name like others. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}
