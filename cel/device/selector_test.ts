// In Deno's suite only: the language uses nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { selectorMistake } from "./selector.ts";

const mistakeIn = (text: string, hasConsumableCapacity = false) => {
  const mistake = selectorMistake(text, { minCompatibility: "1.34", hasConsumableCapacity });
  return mistake === undefined || mistake.tag === "expensive" ? mistake?.tag : mistake.detail.split("\n")[0];
};

test("a selector is true or false, or an attribute, whose type is not known", () => {
  const a = 'device.attributes["a"]';
  for (
    const text of [
      `${a}.b`,
      `${a}.b == "x" && ${a}.c > 5`,
      "google.protobuf.Any{}",
      `device.capacity["a"].b.compareTo(quantity("1")) > 0`,
      `cel.bind(x, ${a}, x.b && x.c)`,
      `true ? ${a}.b : 1`,
      'kubernetes.DRADevice{driver: "x"}.driver == "x"',
    ]
  ) assert.equal(mistakeIn(text), undefined, text);
  const type = (name: string) => `must evaluate to bool or the unknown type, not ${name}`;
  const failed = (message: string) => `compilation failed: ERROR: <input>:1:${message}`;
  for (
    const [text, mistake] of [
      ["device.driver", type("string")],
      ["dyn(true)", type("dyn")],
      [`${a}.b.c`, type("dyn")],
      ["device.attributes", type("map(string, map(string, google.protobuf.Any))")],
      [`[${a}.b, 1]`, failed("28: expected type 'any' but found 'int'")],
      [
        `${a}.b.exists(x, x)`,
        failed("23: expression of type 'any' cannot be range of a comprehension (must be list, map, or dynamic)"),
      ],
      ["cel.bind(1, 2, true)", failed("10: cel.bind() variable names must be simple identifiers")],
      ["foo.bind(x, 2, true)", failed("1: undeclared reference to 'foo' (in container '')")],
      ["type(1) == google.protobuf.Any", "program instantiation failed: reference to undefined type: google.protobuf.Any"],
    ] as const
  ) assert.equal(mistakeIn(text), mistake, text);
  assert.match(mistakeIn("") ?? "", /<input>:1:0: Syntax error/);
});

test("allowMultipleAllocations belongs to a gate", () => {
  assert.match(mistakeIn("device.allowMultipleAllocations") ?? "", /undefined field 'allowMultipleAllocations'/);
  assert.equal(mistakeIn("device.allowMultipleAllocations", true), undefined);
});

test("the worst case of a selector is bounded by the sizes of a device", () => {
  const within = 'device.attributes["a"]',
    loops = (depth: number) => "abcd".slice(0, depth).split("").reduceRight((body, name) => `${within}.all(${name}, ${body})`, "a == b");
  assert.equal(mistakeIn(loops(3)), undefined);
  assert.equal(mistakeIn(loops(4)), "expensive");
  // The size of a map that is selected as a field is not known, as upstream.
  assert.equal(mistakeIn('device.attributes.a.all(k, k == "x")'), "expensive");
  assert.equal(mistakeIn("device.attributes.all(k, device.attributes[k].all(l, l == k))"), undefined);
});
