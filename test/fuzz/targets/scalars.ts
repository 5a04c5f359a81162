import assert from "node:assert/strict";
import type { Target } from "../fuzz.ts";

/** Quantities, durations, times, base64 and object keys. */
export const scalars: Target = {
  name: "scalars",
  grammar: {
    text: ["<quantity>", "<duration>", "<time>", "<base64>", " <quantity> "],
    quantity: ["<sign><number><suffix>"],
    sign: ["", "-", "+"],
    number: ["1", (w) => w.many("digit"), (w) => `${w.many("digit")}.${w.many("digit")}`, "."],
    digit: ["0", "1", "9", "5"],
    suffix: [
      "",
      "n",
      "u",
      "m",
      "k",
      "M",
      "G",
      "T",
      "P",
      "E",
      "Ki",
      "Mi",
      "Gi",
      "Ti",
      "Pi",
      "Ei",
      "e3",
      "E-9",
      "e1000000",
      "ee",
      "e99999999999",
    ],
    duration: [(w) => `${w.write("sign")}${w.write("part")}${w.many("part")}`],
    part: ["1h", "<number>m", "1.5s", "<number>ms", "1us", "1µs", "1ns", "0"],
    time: ["<date>T<clock><zone>", "<date> <clock><zone>", "<date>"],
    date: ["2024-02-29", "0001-01-01", "9999-12-31", "2023-02-29", "20240102"],
    clock: ["03:04:05", "23:59:60", "03:04:05.<fraction>", "24:00:00", "03:04"],
    fraction: [(w) => `1${w.many("digit")}`, "123456", ""],
    zone: ["Z", "+01:00", "-24:00", "z", ""],
    base64: [(w) => w.many("group"), "<group>YQ==", "<group>YWI=", "Y\nQ==", "YR=="],
    group: ["QUJD", "+/+/", "----", "\r\n"],
  },
  start: "text",
  binary: false,
  stepsPerCharacter: 150,
  async open(code) {
    const { storedQuantity, compareQuantities } = await code.load("core/scalars/quantity.ts");
    const { parseDuration, durationText } = await code.load("core/scalars/duration.ts");
    const { parseTime, parseMicroTime } = await code.load("core/scalars/time.ts");
    const { parseBase64 } = await code.load("core/scalars/base64.ts");
    const { Unreadable } = await code.load("core/scalars/unreadable.ts");
    const { qualifiedName, dns1123Subdomain, labelValue } = await code.load("core/meta/names.ts");
    const { goQuote } = await code.load("core/tree/go-quote.ts");
    return (input) => {
      const canonical = storedQuantity(input);
      if (!(canonical instanceof Unreadable)) {
        assert.equal(storedQuantity(canonical), canonical, "canonical text stays");
        assert.equal(compareQuantities(canonical, canonical), 0);
      }
      const nanos = parseDuration(input);
      if (typeof nanos === "bigint") assert.equal(parseDuration(durationText(nanos)), nanos);
      for (const parse of [parseTime, parseMicroTime]) {
        const time = parse(input);
        if (typeof time === "string") assert.equal(parse(time), time);
      }
      parseBase64(input);
      for (const rule of [qualifiedName, dns1123Subdomain, labelValue]) rule(input);
      goQuote(input);
    };
  },
};
