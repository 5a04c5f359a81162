/**
 * Bytes of many small things in few large buffers: a garbage collector has one thing to look at where there would be a
 * thousand.
 *
 *   | {entry},{entry},{gone },{entry},      |   a slab of 1 MiB, filled from the left; a comma after each
 *
 * A slab in which little is left alive is emptied: what lives moves into the slab that is being filled. So does what is read
 * together and lies apart. Views of the old bytes stay valid, because nothing is ever written over.
 */

/** Where bytes are. The owner of a place keeps it; `Slabs` moves it. */
export interface Place {
  slab: Slab;
  offset: number;
  readonly length: number;
  /** False once nobody looks for it any more. */
  live: boolean;
  /** Where it stands among the places of its slab. */
  index: number;
}

export interface Slab {
  readonly bytes: Uint8Array;
  used: number;
  /** Bytes of what is alive. */
  live: number;
  /** What is alive; undefined stands for what has died or moved away. */
  places: (Place | undefined)[];
}

const slabBytes = 1024 * 1024;
/** What is larger gets a slab of its own. */
const sharedBytesMax = slabBytes / 8;
/** A view of so many bytes costs little beside what becomes of them, such as their encryption. */
const viewBytes = 8 * 1024;
const comma = 0x2c;
const toBytes = new TextEncoder();

export class Slabs {
  #filling: Slab = slabOf(slabBytes);
  #total = slabBytes;
  readonly #gatherMs: number;
  readonly #now: () => number;
  /** Since when bytes that were gathered are counted, and how many there are. */
  #since = -Infinity;
  #gathered = 0;

  /** `gatherMs`: within so many milliseconds no more bytes are gathered than there are, because what is left behind stays in memory for
   *  those who still hold on to something in it. */
  constructor(gatherMs = 0, now: () => number = () => performance.now()) {
    this.#gatherMs = gatherMs;
    this.#now = now;
  }

  /** Bytes of all slabs that hold something alive. */
  get bytes(): number {
    return this.#total;
  }

  /** Lays the parts one behind the other, a comma after them, and says where. */
  lay(parts: readonly Uint8Array[]): Place {
    let length = 0;
    for (const part of parts) length += part.length;
    const slab = this.#room(length + 1);
    const place = { slab, offset: slab.used, length, live: true, index: -1 };
    for (const part of parts) {
      slab.bytes.set(part, slab.used);
      slab.used += part.length;
    }
    slab.bytes[slab.used++] = comma;
    slab.live += length + 1;
    return place;
  }

  /** Lays the parts, and the text behind them, as `lay` does. */
  layText(part: Uint8Array, text: string): Place {
    // Three bytes for each unit of text are enough for all texts.
    if (part.length + text.length * 3 >= sharedBytesMax) return this.lay([part, toBytes.encode(text)]);
    const slab = this.#room(part.length + text.length * 3 + 1);
    const { bytes, used } = slab;
    bytes.set(part, used);
    const length = part.length + toBytes.encodeInto(text, bytes.subarray(used + part.length)).written;
    bytes[used + length] = comma;
    slab.used += length + 1;
    slab.live += length + 1;
    return { slab, offset: used, length, live: true, index: -1 };
  }

  /** Makes `place`, or what copied it, the one that moves with its bytes. */
  keep(place: Place): void {
    place.index = place.slab.places.push(place) - 1;
  }

  /** Nobody looks for it any more; views that were handed out stay as they are. */
  release(place: Place): void {
    if (!place.live) return;
    place.live = false;
    const { slab } = place;
    this.#leave(slab, place);
    this.#sweep(slab);
  }

  /**
   * Lays places that are read in this order one behind the other, unless that is so, or nearly: few views are enough for them. Does
   * nothing where one of them is no longer alive, because only what is alive moves.
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
    // Not before all have moved: what else lived there would come to lie between them.
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

  /** Empties a slab in which little is alive. */
  #sweep(slab: Slab): void {
    if (slab === this.#filling || slab.live * 4 > slab.used) return;
    this.#total -= slab.bytes.length;
    const { places } = slab;
    slab.places = [];
    slab.live = 0;
    for (const place of places) if (place !== undefined) this.#move(place);
  }

  #move(place: Place): void {
    const { slab, offset } = this.lay([place.slab.bytes.subarray(place.offset, place.offset + place.length)]);
    place.slab = slab;
    place.offset = offset;
    this.keep(place);
  }

  #room(bytes: number): Slab {
    if (bytes > sharedBytesMax) {
      this.#total += bytes;
      return slabOf(bytes);
    }
    if (this.#filling.used + bytes > slabBytes) {
      const full = this.#filling;
      this.#filling = slabOf(slabBytes);
      this.#total += slabBytes;
      // It was spared while it was being filled.
      if (full.live === 0) this.#total -= slabBytes;
    }
    return this.#filling;
  }
}

function slabOf(bytes: number): Slab {
  return { bytes: new Uint8Array(bytes), used: 0, live: 0, places: [] };
}
