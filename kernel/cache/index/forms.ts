/**
 * Entries in forms other than the stored one, mostly protobuf. Each is made at its first use and kept with its entry. When the bound
 * is exceeded, all are dropped and made again at their next use.
 */
import { limits } from "../../../core/limits.ts";

export class Forms {
  readonly #bytesMax: number;
  #kept = new WeakMap<object, Map<string, Uint8Array>>();
  #bytes = 0;

  constructor(bytesMax = limits.formsBytesMax) {
    this.#bytesMax = bytesMax;
  }

  get(of: object, name: string, make: () => Uint8Array): Uint8Array {
    const some = this.#kept.get(of);
    const known = some?.get(name);
    if (known !== undefined) return known;
    const made = make();
    this.#bytes += made.length;
    if (this.#bytes > this.#bytesMax) {
      this.#kept = new WeakMap();
      this.#bytes = made.length;
    }
    const forms = this.#kept.get(of);
    if (forms === undefined) this.#kept.set(of, new Map([[name, made]]));
    else forms.set(name, made);
    return made;
  }
}
