// The addresses of a block.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AddressBlock, addressText } from "./address-block.ts";

test("AddressBlock gives each owner one address, and none when all are taken", () => {
  const block = AddressBlock.of("10.0.0.7/29")!;
  assert.deepEqual(
    ["a", "b", "a", "c", "d", "e", "f"].map((owner) => block.take(owner)),
    [1, 2, 1, 3, 4, 5, 6].map((last) => `10.0.0.${last}`),
  );
  assert.equal(block.take("g"), undefined);
  block.release("c");
  assert.equal(block.take("g"), "10.0.0.3");
});

test("AddressBlock keeps an address that an owner has, unless it is of another block or owner", () => {
  const block = AddressBlock.of("10.0.0.0/29")!;
  block.keep("a", "10.0.0.2");
  block.keep("b", "10.0.0.2");
  block.keep("c", "10.0.1.2");
  assert.deepEqual(["b", "c", "a"].map((owner) => block.take(owner)), ["10.0.0.1", "10.0.0.3", "10.0.0.2"]);
});

test("AddressBlock.of() refuses what is no IPv4 block with room", () => {
  for (const text of ["", "10.0.0.0", "10.0.0.0/31", "fd00::/64", "x/8"]) assert.equal(AddressBlock.of(text), undefined, text);
  assert.equal(addressText(0xffffffff), "255.255.255.255");
});
