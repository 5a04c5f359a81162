/**
 * Entries in other forms than the stored one, protobuf most of all: made when somebody first asks, kept as long as the entry
 * is there and there is room. When there is none, all are forgotten, and those that are asked for are made again.
 */
const keptBytesMax = 64 * 1024 * 1024;

export class Forms {
  readonly #bytesMax: number;
  #kept = new WeakMap<object, Map<string, Uint8Array>>();
  #bytes = 0;

  constructor(bytesMax = keptBytesMax) {
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
