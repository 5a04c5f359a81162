/**
 * Bytes of many small entries in few large buffers: the garbage collector then visits one object instead of a thousand.
 *
 *   | {entry},{entry},{gone },{entry},      |   a slab of 1 MiB, filled from the left; a comma after each
 *
 * A slab of whose bytes a quarter or less is live is emptied: its live entries move to the slab that is being filled. The slabs therefore
 * take about four times the live bytes at most, plus the slab that is being filled. An entry that was released keeps its slab in memory for
 * as long as something refers to it. `gather` moves scattered entries that are read together. Views of the old bytes stay valid, because
 * bytes are never overwritten.
 */

/** The position of an entry's bytes. The owner keeps the object; `Slabs` updates it when the bytes move. */
export interface Place {
  slab: Slab;
  offset: number;
  readonly length: number;
  /** False once the place was released. */
  live: boolean;
  /** Index of this place in its slab's list of places. */
  index: number;
}

export interface Slab {
  readonly bytes: Uint8Array;
  used: number;
  /** Number of bytes of live entries in this slab. */
  live: number;
  /** The places of the entries in this slab; undefined stands for one that was released or moved. */
  places: (Place | undefined)[];
}

const slabBytes = 1024 * 1024;
/** Entries above this size, in bytes, get a slab of their own. */
const sharedBytesMax = slabBytes / 8;
/** Views of at least this size, in bytes, cost little compared with the work on their bytes, such as TLS. */
const viewBytes = 8 * 1024;
const comma = 0x2c;
const toBytes = new TextEncoder();

export class Slabs {
  #filling: Slab = slabOf(slabBytes);
  #total = slabBytes;
  readonly #gatherMs: number;
  readonly #now: () => number;
  /** Start of the current gathering period in milliseconds, and the bytes gathered in it. */
  #since = -Infinity;
  #gathered = 0;

  /**
   * @param gatherMs period in milliseconds. In one period no more bytes are gathered than are live, because the old slabs stay in memory
   *   while readers hold views of them
   * @param now monotonic clock in milliseconds
   */
  constructor(gatherMs = 0, now: () => number = () => performance.now()) {
    this.#gatherMs = gatherMs;
    this.#now = now;
  }

  /** Bytes of all slabs with live entries. */
  get bytes(): number {
    return this.#total;
  }

  /** Writes the parts one after the other, then a comma. Returns the place of the bytes. */
  lay(parts: readonly Uint8Array[]): Place {
    const before = this.#filling;
    const place = this.#write(parts);
    this.#sweepFilled(before);
    return place;
  }

  #write(parts: readonly Uint8Array[]): Place {
    let length = 0;
    for (const part of parts) length += part.length;
    const slab = this.#reserve(length + 1);
    const place = { slab, offset: slab.used, length, live: true, index: -1 };
    for (const part of parts) {
      slab.bytes.set(part, slab.used);
      slab.used += part.length;
    }
    slab.bytes[slab.used++] = comma;
    slab.live += length + 1;
    return place;
  }

  /** Writes the part, the text after it and a comma, as `lay` does. */
  layText(part: Uint8Array, text: string): Place {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    if (part.length + text.length * 3 >= sharedBytesMax) return this.lay([part, toBytes.encode(text)]);
    const before = this.#filling;
    const slab = this.#reserve(part.length + text.length * 3 + 1);
    const { bytes, used } = slab;
    bytes.set(part, used);
    const length = part.length + toBytes.encodeInto(text, bytes.subarray(used + part.length)).written;
    bytes[used + length] = comma;
    slab.used += length + 1;
    slab.live += length + 1;
    this.#sweepFilled(before);
    return { slab, offset: used, length, live: true, index: -1 };
  }

  /**
   * Writes `part`, then `source` from index `from` on without its last byte, then a comma. The ASCII text is inserted at index `at` of
   * `source`.
   */
  layInserted(part: Uint8Array, source: Uint8Array, from: number, at: number, text: string): Place {
    const { buffer, byteOffset } = source, end = source.length - 1;
    const length = part.length + end - from + text.length;
    const before = this.#filling;
    const slab = this.#reserve(length + 1);
    const { bytes, used: offset } = slab;
    let to = offset;
    for (let index = 0; index < part.length; index++) bytes[to++] = part[index]!;
    // The bytes before the insertion are few: a view of them would cost more than copying each.
    for (let index = from; index < at; index++) bytes[to++] = source[index]!;
    for (let index = 0; index < text.length; index++) bytes[to++] = text.charCodeAt(index);
    bytes.set(new Uint8Array(buffer, byteOffset + at, end - at), to);
    bytes[offset + length] = comma;
    slab.used += length + 1;
    slab.live += length + 1;
    this.#sweepFilled(before);
    return { slab, offset, length, live: true, index: -1 };
  }

  /** Registers `place`, a copy of a registered one, as the place that is updated when the bytes move. */
  keep(place: Place): void {
    place.index = place.slab.places.push(place) - 1;
  }

  /** Releases a place; views of its bytes stay valid. */
  release(place: Place): void {
    if (!place.live) return;
    place.live = false;
    const { slab } = place;
    this.#leave(slab, place);
    this.#sweep(slab);
  }

  /**
   * Makes places that are read in this order adjacent, unless they nearly are: a read then needs few views. Does nothing if one of
   * them was released, because only live places move.
   */
  gather(places: readonly Place[]): void {
    let bytes = 0, views = 0, end = 0;
    let slab: Slab | undefined;
    for (const place of places) {
      if (!place.live) return;
      if (place.slab !== slab || place.offset !== end) views++;
      slab = place.slab;
      end = place.offset + place.length + 1;
      bytes += place.length + 1;
    }
    if ((views - 1) * viewBytes <= bytes || !this.#mayGather(bytes)) return;
    const left = new Set<Slab>();
    for (const place of places) {
      const { slab, length, index } = place;
      if (length >= sharedBytesMax) continue;
      this.#move(place);
      this.#leave(slab, { length, index });
      left.add(slab);
    }
    // Slabs are swept only after all entries have moved: otherwise their other entries would be written between the moved ones.
    for (const slab of left) this.#sweep(slab);
  }

  #mayGather(bytes: number): boolean {
    const now = this.#now();
    if (now - this.#since >= this.#gatherMs) [this.#since, this.#gathered] = [now, 0];
    if (this.#gathered + bytes > this.#total) return false;
    this.#gathered += bytes;
    return true;
  }

  #leave(slab: Slab, { length, index }: Pick<Place, "length" | "index">): void {
    slab.live -= length + 1;
    slab.places[index] = undefined;
  }

  /** Sweeps the slab that was being filled before, if another one is being filled now. Its entries may have been released meanwhile. */
  #sweepFilled(slab: Slab): void {
    if (slab.live > 0) this.#sweep(slab);
  }

  /** Empties a slab with few live bytes, by moving its live entries. */
  #sweep(slab: Slab): void {
    if (slab === this.#filling || slab.live * 4 > slab.used) return;
    this.#total -= slab.bytes.length;
    const { places } = slab;
    slab.places = [];
    slab.live = 0;
    for (const place of places) if (place !== undefined) this.#move(place);
  }

  #move(place: Place): void {
    const { slab, offset } = this.#write([place.slab.bytes.subarray(place.offset, place.offset + place.length)]);
    place.slab = slab;
    place.offset = offset;
    this.keep(place);
  }

  #reserve(bytes: number): Slab {
    if (bytes > sharedBytesMax) {
      this.#total += bytes;
      return slabOf(bytes);
    }
    if (this.#filling.used + bytes > slabBytes) {
      const full = this.#filling;
      this.#filling = slabOf(slabBytes);
      this.#total += slabBytes;
      // A slab that is being filled is not swept when it has no live bytes left. It is therefore counted here.
      if (full.live === 0) this.#total -= slabBytes;
    }
    return this.#filling;
  }
}

function slabOf(bytes: number): Slab {
  return { bytes: new Uint8Array(bytes), used: 0, live: 0, places: [] };
}
