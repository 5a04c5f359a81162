/**
 * Entries in other forms than the stored one, protobuf most of all: made when they are first asked for, and kept as long as the entry
 * is there and there is room. Without room all are dropped, and made again when they are asked for.
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
    const room = this.#kept.get(of);
    if (room === undefined) this.#kept.set(of, new Map([[name, made]]));
    else room.set(name, made);
    return made;
  }
}
