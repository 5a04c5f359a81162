import assert from "node:assert/strict";
import { bytesOf, type Target } from "../fuzz.ts";
import { jsonGrammar } from "./json.ts";
import { thingKeys, thingOf } from "./things.ts";

/** What writes the value of each field. */
const values: Readonly<Record<typeof thingKeys[number], string>> = {
  flag: "flag",
  text: "text-value",
  small: "number-value",
  large: "number-value",
  double: "number-value",
  bytes: "bytes-value",
  quantity: "quantity-value",
  port: "port-value",
  time: "moment",
  micro: "micro-value",
  lasts: "duration-value",
  raw: "plain",
  owned: "plain",
  inners: "inners",
  texts: "record",
  blobs: "blobs",
  inner: "inner",
  unknown: "scalar",
};

/**
 * Stored JSON that is recognised from its bytes: only texts that are what decoding with defaults and encoding gives. Most members are in
 * the order of the schema, so that many inputs are recognised.
 */
export const canonicalTexts: Target = {
  name: "canonical-bytes",
  grammar: {
    ...jsonGrammar,
    text: ["<good>\n", "<mixed>\n", "<good><end>", "<value>\n", "<good>\n"],
    end: ["", " \n", "\n\n", "}\n"],
    // Members in the order of the schema: all canonical, or some of them odd, and in any order.
    good: [
      (w) =>
        `{${
          thingKeys.filter((key) => key === "inner" || (key !== "unknown" && w.below(6) === 0)).map((key) =>
            `"${key}":${w.write(values[key])}`
          ).join(",")
        }${w.write("last")}`,
    ],
    mixed: [(w) => `{${w.many("field", ",")}${w.write("last")}`],
    field: [...thingKeys.map((key) => `"${key}":<${values[key]}>`), ...thingKeys.map((key) => `"${key}":<odd>`)],
    last: [
      "}",
      ',"kept":"","mode":"x"}',
      "}",
      ',"kept":"a","mode":"plain"}',
      ',"kept":<text-value>,"mode":<text-value>}',
      ',"mode":"x"}',
      ',"kept":"a"}',
    ],
    odd: ["null", "0", '""', "[]", "{}", "<scalar>", "<plain>"],
    flag: ["true", "false", "1"],
    scalar: ["1", "-1", "7", "123456789", "01", "1.5", "true", "false", "1e3", "2147483648", "999999999999999", "<text-value>", "<moment>"],
    "number-value": ["1", "-12", "123456789", "<scalar>"],
    moment: [
      '"2024-01-02T03:04:05Z"',
      '"2024-02-29T23:59:59Z"',
      '"2023-02-29T00:00:00Z"',
      '"0001-01-01T00:00:00Z"',
      '"2024-01-02T03:04:05.123456Z"',
    ],
    "micro-value": ['"2024-01-02T03:04:05.123456Z"', '"2024-02-29T23:59:59.000000Z"', "<moment>"],
    "text-value": ['"a"', '""', '"\\u003c\\n\\\\"', '"<"', '"\xc3\xa9"', '"\\u0061"', (w) => `"${w.many("letter")}"`],
    letter: ["a", "\\n", '\\"', "\\\\", "\\u0026", "0", "~", "\x7f", "\x00"],
    "bytes-value": ['"YQ=="', '"YWE="', '"YR=="', '"YQ"', '"+/+/"', '""'],
    "quantity-value": ['"1Gi"', '"1024Mi"', '"100m"', '"1e3"', '"0"', "1"],
    "port-value": ["80", '"80%"', "0", '""'],
    "duration-value": ['"5m0s"', '"5m"', '"1.5s"', '"0s"'],
    // Records and values without a schema.
    plain: ["{}", "[<scalar>]", (w) => `[${w.write("plain")},${w.write("scalar")}]`, "<record>", '{"f:a":{},"f:b":<plain>}', "true"],
    record: [
      '{"a":<text-value>}',
      (w) => `{${w.many("entry", "\n").split("\n").filter((each) => each !== "").toSorted().join(",")}}`,
      (w) => `{${w.many("entry", ",")}}`,
      '{"__proto__":<plain>}',
      '{"1":<plain>,"a":<plain>}',
    ],
    entry: ['"a":<text-value>', '"a.b":"x"', '"b\\n":"x"', '"__proto__":"x"', '"10":"x"', '"2":<text-value>', '"constructor":"x"'],
    blobs: ['{"a":<bytes-value>}', '{"a":"YQ==","b":<bytes-value>}', '{"1":<bytes-value>}'],
    inner: ['{"text":<text-value>}', '{"text":"a","number":<scalar>}', "{}", '{"number":0}', '{"number":1,"text":"a"}'],
    inners: ["[<inner>]", "[<inner>,<inner>]", "[<inner>,]", "[]"],
  },
  start: "text",
  binary: true,
  stepsPerCharacter: 80,
  async open(code) {
    const load = code.load;
    const { canonicalBytes } = await load("core/derive/canonical-bytes.ts");
    const { readJson } = await load("core/tree/json.ts");
    const { decodeStored } = await load("core/derive/decode.ts");
    const { defaulter } = await load("core/derive/apply-defaults.ts");
    const { encoder } = await load("core/derive/encode.ts");
    const { field, string, struct } = await load("core/schema.ts");
    const Thing = await thingOf(load);
    const WithDefaults = struct("WithDefaults", {
      ...Thing.fields,
      kept: field(18, string, "Always written.", { required: true }),
      mode: field(19, string, "With a default.", { default: "plain" }),
    });
    const schemas = [Thing, WithDefaults].map((schema) => ({
      isCanonical: canonicalBytes(schema),
      decode: decodeStored(schema),
      withDefaults: defaulter(schema),
      encode: encoder(schema),
    }));
    return (input) => {
      const bytes = onlyInside(bytesOf(input));
      for (const { isCanonical, decode, withDefaults, encode } of schemas) {
        if (!isCanonical(bytes)) continue;
        assert.equal(input.at(-1), "\n");
        const read = readJson(input.slice(0, -1));
        assert.ok(read.ok);
        const object = decode(read.tree);
        assert.equal(withDefaults(object, () => true), object);
        assert.equal(`${encode(object)}\n`, input);
      }
    };
  },
};

/** The bytes; an index outside of them throws. */
function onlyInside(bytes: Uint8Array): Uint8Array {
  return new Proxy(bytes, {
    get(target, key) {
      const index = typeof key === "string" ? Number(key) : NaN;
      if (Number.isInteger(index)) {
        assert.ok(index >= 0 && index < target.length, `index ${index} of ${target.length} bytes`);
        return target[index];
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
