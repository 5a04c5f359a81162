import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../field-error.ts";
import {
  double,
  field,
  int32,
  int64,
  lazy,
  list,
  mapBy,
  type Node,
  record,
  string,
  struct,
  type StructNode,
  type Typed,
} from "../schema.ts";
import { boundChecks } from "./field-bounds.ts";

function errors(node: Node, next: unknown, prior?: unknown): readonly string[] {
  const check = boundChecks(node as Typed<unknown>);
  assert.ok(check !== undefined);
  return check(next, prior).map(fieldErrorText);
}

test("boundChecks() checks each bound at and past it, with the errors of custom resources", () => {
  const Shop = struct("Shop", {
    names: field(1, list(string), "Names.", { publish: { maxItems: 2, minItems: 1 } }),
    limits: field(2, record(string), "Limits.", { publish: { maxProperties: 1 } }),
    code: field(3, string, "Code.", { publish: { maxLength: 3, minLength: 2, pattern: "^[a-z]+$" } }),
    size: field(4, int32, "Size.", { pointer: true, publish: { minimum: 1, maximum: 5 } }),
    count: field(5, int64, "Count.", { publish: { maximum: 9007199254740992 } }),
    share: field(6, double, "Share.", { publish: { maximum: 1, exclusiveMaximum: true } }),
    address: field(7, string, "Address.", { publish: { format: "ipv4" } }),
  });
  assert.deepEqual(errors(Shop, { names: ["a", "b"], limits: { a: "" }, code: "abc", size: 5, share: 0.5, address: "10.0.0.1" }), []);
  assert.deepEqual(errors(Shop, { names: ["a"], code: "ab", size: 1 }), []);
  const wrong = {
    names: ["a", "b", "c"],
    limits: { a: "", b: "" },
    code: "abcd",
    size: 6,
    count: 9007199254740993n,
    share: 1,
    address: "x",
  };
  assert.deepEqual(errors(Shop, wrong), [
    "names: Too many: 3: must have at most 2 items",
    "limits: Too many: 2: must have at most 1 item",
    "code: Too long: may not be more than 3 bytes",
    "size: Invalid value: 6: size in body should be less than or equal to 5",
    "count: Invalid value: 9007199254740993: count in body should be less than or equal to 9007199254740992",
    "share: Invalid value: 1: share in body should be less than 1",
    'address: Invalid value: "x": address in body must be of type ipv4: "x"',
  ]);
  assert.deepEqual(errors(Shop, { code: "a", size: 0 }), [
    'code: Invalid value: "a": code in body should be at least 2 chars long',
    "size: Invalid value: 0: size in body should be greater than or equal to 1",
  ]);
  assert.deepEqual(errors(Shop, { code: "AB" }), [`code: Invalid value: "AB": code in body should match '^[a-z]+$'`]);
  assert.deepEqual(errors(Shop, wrong, wrong), [], "an update that changes nothing");
});

test("boundChecks() takes a zero without presence for absent, and checks what is always written", () => {
  const Shop = struct("Shop", {
    optional: field(1, list(string), "Optional.", { publish: { minItems: 1 } }),
    needed: field(2, list(string), "Needed.", { required: true, publish: { minItems: 1 } }),
    size: field(3, int32, "Size.", { publish: { minimum: 1 } }),
    shown: field(4, int32, "Shown.", { written: "always", publish: { minimum: 1 } }),
  });
  const expected = [
    "needed: Invalid value: 0: needed in body should have at least 1 items",
    "shown: Invalid value: 0: shown in body should be greater than or equal to 1",
  ];
  assert.deepEqual(errors(Shop, {}), expected);
  assert.deepEqual(errors(Shop, { optional: [], needed: null, size: 0, shown: 0 }), expected);
});

test("boundChecks() finds bounds in lists, maps and recursive structs; items with keys keep a stored excess", () => {
  const Part: Typed<any, StructNode> = struct("Part", {
    name: field(1, string, "Name.", { required: true, publish: { maxLength: 2 } }),
    parts: field(2, mapBy(["name"], lazy((): Typed<any> => Part)), "Parts."),
    byName: field(3, record(lazy((): Typed<any> => Part)), "Parts by name."),
  });
  const stored = { name: "a", parts: [{ name: "long" }], byName: { x: { name: "long" } } };
  assert.deepEqual(errors(Part, stored), [
    "parts[0].name: Too long: may not be more than 2 bytes",
    "byName[x].name: Too long: may not be more than 2 bytes",
  ]);
  assert.deepEqual(
    errors(Part, { name: "b", parts: [{ name: "x" }, { name: "long" }], byName: { x: { name: "long" }, y: { name: "xyz" } } }, stored),
    [
      "byName[y].name: Too long: may not be more than 2 bytes",
    ],
  );
});

test("boundChecks() is undefined for a schema without bounds, also for a recursive one", () => {
  const Part: Typed<any, StructNode> = struct("Part", {
    parts: field(1, list(lazy((): Typed<any> => Part)), "Parts.", { publish: { "x-kubernetes-list-type": "atomic" } }),
  });
  assert.equal(boundChecks(Part), undefined);
});
