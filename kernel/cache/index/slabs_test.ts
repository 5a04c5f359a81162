// In Deno's suite only: the cache uses nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Place, Slabs } from "./slabs.ts";

const size = 1024;
function bytesOf(fill: number, length = size): Uint8Array {
  return new Uint8Array(length).fill(fill);
}
function put(slabs: Slabs, fill: number, length = size): Place {
  const place = slabs.lay([bytesOf(fill, length - 1), Uint8Array.of(fill)]);
  slabs.keep(place);
  return place;
}
function read({ slab, offset, length }: Place): Uint8Array {
  return slab.bytes.subarray(offset, offset + length);
}

test("Slabs lay entries side by side with a comma after each", () => {
  const slabs = new Slabs();
  const text = (value: string) => new TextEncoder().encode(value);
  const places = ["{a}", "{bb}", "{}"].map((value) => slabs.lay([text("{"), text(value.slice(1))]));
  const slab = places[0]!.slab;
  assert.ok(places.every((place) => place.slab === slab));
  assert.equal(new TextDecoder().decode(slab.bytes.subarray(0, slab.used)), "{a},{bb},{},");
});

test("Slabs.layInserted() inserts a text into the bytes of a view, and leaves out what is before and the last byte", () => {
  const slabs = new Slabs(), toBytes = new TextEncoder();
  const source = toBytes.encode('xx{"kind":"A","m":{"n":1}}\n').subarray(2);
  const first = slabs.layInserted(toBytes.encode("{"), source, 12, 22, ',"v":"7"');
  const second = slabs.layInserted(new Uint8Array(), source, 0, 0, "");
  assert.equal(
    new TextDecoder().decode(first.slab.bytes.subarray(0, first.slab.used)),
    '{"m":{"n":1,"v":"7"}},{"kind":"A","m":{"n":1}}' + ",",
  );
  assert.equal(new TextDecoder().decode(read(second)), '{"kind":"A","m":{"n":1}}');
  const large = toBytes.encode(`{${"a".repeat(2 ** 20)}}\n`);
  assert.equal(new TextDecoder().decode(read(slabs.layInserted(new Uint8Array(), large, 0, 1, "bb"))), `{bb${"a".repeat(2 ** 20)}}`);
});

test("Slabs release memory when most bytes are dead, and live entries keep their bytes", () => {
  const slabs = new Slabs();
  const places = Array.from({ length: 8000 }, (_, index) => put(slabs, index % 251));
  const views = places.slice(0, 5).map(read);
  const before = slabs.bytes;
  for (const [index, place] of places.entries()) if (index % 10 !== 0) slabs.release(place);
  assert.ok(slabs.bytes <= before / 4, `${slabs.bytes} of ${before}`);
  for (const [index, place] of places.entries()) if (index % 10 === 0) assert.deepEqual(read(place), bytesOf(index % 251));
  for (const [index, view] of views.entries()) assert.deepEqual(view, bytesOf(index));
  for (const place of places) slabs.release(place);
  assert.ok(slabs.bytes <= 2 * 1024 * 1024);
});

test("Slabs release a slab whose entries were released while it was being filled", () => {
  const slabs = new Slabs();
  const kept: Place[] = [];
  for (let round = 0; round < 20; round++) {
    kept.push(put(slabs, round));
    for (let count = 0; count < 1100; count++) slabs.release(put(slabs, 99));
  }
  assert.ok(slabs.bytes <= 2 * 1024 * 1024, `${slabs.bytes}`);
  for (const [round, place] of kept.entries()) assert.deepEqual(read(place), bytesOf(round));
});

test("Slabs count their bytes correctly through many changes", () => {
  const slabs = new Slabs();
  const places = Array.from({ length: 1000 }, (_, index) => put(slabs, index % 251));
  for (let round = 0; round < 20_000; round++) {
    const index = (round * 7919) % places.length;
    slabs.release(places[index]!);
    places[index] = put(slabs, round % 251);
  }
  assert.ok(slabs.bytes < 8 * 1000 * size, `${slabs.bytes}`);
});

test("Slabs put a large entry into a slab of its own", () => {
  const slabs = new Slabs();
  const before = slabs.bytes;
  const large = put(slabs, 7, 300_000);
  const small = put(slabs, 1);
  assert.notEqual(large.slab, small.slab);
  assert.deepEqual(read(large), bytesOf(7, 300_000));
  assert.equal(slabs.bytes, before + 300_001);
  slabs.release(large);
  slabs.release(large);
  assert.equal(slabs.bytes, before);
});

test("Slabs lay text as bytes, up to the bound of shared slabs and beyond it", () => {
  const slabs = new Slabs();
  const brace = new TextEncoder().encode("{");
  for (const text of ["}", "é}", "\u{1f600}}", "x".repeat(43_690), "x".repeat(43_691), "é".repeat(100_000)]) {
    const place = slabs.layText(brace, text);
    assert.deepEqual(read(place), new TextEncoder().encode(`{${text}`));
    assert.equal(place.slab.bytes[place.offset + place.length], 0x2c);
  }
});

/** The number of views that a read of the places in this order needs. */
function viewsOf(places: readonly Place[]): number {
  let views = 0;
  for (const [index, { slab, offset }] of places.entries()) {
    const before = places[index - 1];
    if (before === undefined || before.slab !== slab || before.offset + before.length + 1 !== offset) views++;
  }
  return views;
}

test("Slabs gather scattered entries that are read together, and earlier views stay valid", () => {
  const slabs = new Slabs();
  const places = Array.from({ length: 4000 }, (_, index) => put(slabs, index % 251));
  const fills = places.map((place) => read(place)[0]);
  const order = places.map((_, index) => (index * 1663) % places.length);
  const read256 = order.slice(0, 256).map((index) => places[index]!);
  const views = read256.map(read);
  assert.equal(viewsOf(read256), 256);
  slabs.gather(read256);
  assert.equal(viewsOf(read256), 2, "a nearly full slab, and the next one");
  for (const [index, place] of places.entries()) assert.deepEqual(read(place), bytesOf(fills[index]!));
  for (const [index, view] of views.entries()) assert.deepEqual(view, bytesOf(fills[order[index]!]!));
  for (let at = 256; at < order.length; at += 256) slabs.gather(order.slice(at, at + 256).map((index) => places[index]!));
  assert.ok(viewsOf(order.map((index) => places[index]!)) <= 100);
  assert.ok(slabs.bytes <= 3 * places.length * (size + 1), `${slabs.bytes}`);
});

test("Slabs do not gather nearly adjacent, large or released entries", () => {
  const slabs = new Slabs();
  const places = Array.from({ length: 200 }, (_, index) => put(slabs, index));
  const few = places.filter((_, index) => index % 20 !== 0);
  const before = few.map(({ offset }) => offset);
  slabs.gather(few);
  assert.deepEqual(few.map(({ offset }) => offset), before);
  const large = [put(slabs, 1, 300_000), put(slabs, 2, 300_000)];
  const [first, second] = large.map(({ slab }) => slab);
  slabs.gather(large);
  assert.deepEqual(large.map(({ slab }) => slab), [first, second]);
  const apart = places.toReversed();
  slabs.release(apart[7]!);
  const offsets = apart.map(({ offset }) => offset);
  slabs.gather(apart);
  assert.deepEqual(apart.map(({ offset }) => offset), offsets);
});

test("Slabs count their bytes correctly through random changes and gathering", () => {
  const slabs = new Slabs();
  const empty = slabs.bytes;
  let state = 42;
  const random = (below: number) => (state = (state * 1103515245 + 12345) & 0x7fffffff) % below;
  const length = () => random(50) === 0 ? 200_000 + random(1000) : 10 + random(3000);
  const held = new Map<number, { readonly place: Place; readonly fill: number }>();
  for (let round = 0; round < 4000; round++) {
    const key = random(1500), old = held.get(key), fill = random(251);
    if (old !== undefined) slabs.release(old.place);
    if (old !== undefined && random(4) === 0) held.delete(key);
    else held.set(key, { place: put(slabs, fill, length()), fill });
    if (round % 20 === 0) slabs.gather([...held.values()].slice(0, 256).map(({ place }) => place));
    if (round % 100 !== 0) continue;
    for (const { place, fill } of held.values()) {
      assert.ok(read(place).every((byte) => byte === fill));
      for (const other of place.slab.places) assert.ok(other === undefined || (other.live && other.slab === place.slab));
      assert.equal(place.slab.places[place.index], place);
    }
    const alive = new Set([...held.values()].map(({ place }) => place.slab.bytes));
    const bytes = [...alive].reduce((sum, each) => sum + each.length, 0);
    assert.ok(slabs.bytes === bytes || slabs.bytes === bytes + empty, `${slabs.bytes} are summaries, ${bytes} are held`);
  }
  for (const { place } of held.values()) slabs.release(place);
  assert.equal(slabs.bytes, empty);
});

test("Slabs gather at most their live bytes in one period, because readers may hold the old slabs", () => {
  let now = 0;
  const slabs = new Slabs(1000, () => now);
  const places = Array.from({ length: 256 }, (_, index) => put(slabs, index % 251));
  const offsets = () => places.map(({ offset }) => offset);
  const gathers = (order: readonly Place[]) => {
    const before = offsets();
    slabs.gather(order);
    return offsets().some((offset, index) => offset !== before[index]);
  };
  // With their commas they fill a little more than a quarter of the only slab of 1 MiB.
  const turns = Array.from({ length: 6 }, (_, turn) => gathers(places.toSorted((a, b) => (a.index % (7 + turn)) - (b.index % (7 + turn)))));
  assert.deepEqual(turns, [true, true, true, false, false, false]);
  const backwards = places.toSorted((a, b) => b.index - a.index);
  now = 999;
  assert.ok(!gathers(backwards));
  now = 1000;
  assert.ok(gathers(backwards));
});
