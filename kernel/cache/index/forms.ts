/**
 * Entries in forms other than the stored one, mostly protobuf. Each is made at its first use and kept with its entry. When the bound
 * is exceeded, all are dropped and made again at their next use.
 */
import type { FormKey } from "../../objects/objects.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum bytes of cached entries in forms other than the stored form. */
const formsBytesMax = bound(64 * 1024 * 1024);

/** What V8 keeps for a form besides its bytes: a map, its entry, an array and its buffer. */
export const formOverheadBytes = 320;

export class Forms {
  readonly #bytesMax: number;
  #kept = new WeakMap<object, Map<FormKey, Uint8Array>>();
  #bytes = 0;

  constructor(bytesMax = formsBytesMax) {
    this.#bytesMax = bytesMax;
  }

  get(of: object, key: FormKey, make: () => Uint8Array): Uint8Array {
    const some = this.#kept.get(of);
    const known = some?.get(key);
    if (known !== undefined) return known;
    const made = separate(make());
    const size = made.length + formOverheadBytes;
    this.#bytes += size;
    if (this.#bytes > this.#bytesMax) {
      this.#kept = new WeakMap();
      this.#bytes = size;
    }
    const forms = this.#kept.get(of);
    if (forms === undefined) this.#kept.set(of, new Map([[key, made]]));
    else forms.set(key, made);
    return made;
  }
}

/**
 * Copies bytes to memory of their own. Encoders return small results as parts of larger blocks, and a kept part would keep its whole block.
 */
function separate(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
