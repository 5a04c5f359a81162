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

test("Slabs lay things side by side with a comma after each", () => {
  const slabs = new Slabs();
  const text = (value: string) => new TextEncoder().encode(value);
  const places = ["{a}", "{bb}", "{}"].map((value) => slabs.lay([text("{"), text(value.slice(1))]));
  const slab = places[0]!.slab;
  assert.ok(places.every((place) => place.slab === slab));
  assert.equal(new TextDecoder().decode(slab.bytes.subarray(0, slab.used)), "{a},{bb},{},");
});

test("Slabs give their memory back when most of it is dead, and what lives has its bytes", () => {
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

test("Slabs keep their count through endless changes", () => {
  const slabs = new Slabs();
  const places = Array.from({ length: 1000 }, (_, index) => put(slabs, index % 251));
  for (let round = 0; round < 20_000; round++) {
    const index = (round * 7919) % places.length;
    slabs.release(places[index]!);
    places[index] = put(slabs, round % 251);
  }
  assert.ok(slabs.bytes < 8 * 1000 * size, `${slabs.bytes}`);
});

test("Slabs put what is large into a slab of its own", () => {
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

test("Slabs lay text as bytes, up to the bound of what shares a slab and beyond it", () => {
  const slabs = new Slabs();
  const brace = new TextEncoder().encode("{");
  for (const text of ["}", "é}", "\u{1f600}}", "x".repeat(43_690), "x".repeat(43_691), "é".repeat(100_000)]) {
    const place = slabs.layText(brace, text);
    assert.deepEqual(read(place), new TextEncoder().encode(`{${text}`));
    assert.equal(place.slab.bytes[place.offset + place.length], 0x2c);
  }
});
