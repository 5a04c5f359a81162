// In Deno's suite only: the language uses nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileMatcher, deviceValue } from "./matcher.ts";

const device = deviceValue({
  driver: "gpu.example.com",
  attributes: { model: { string: "a" }, cores: { int: 5 }, "other.example.com/fast": { bool: true }, release: { version: "1.10.0" } },
  capacity: { memory: { value: "8Gi" } },
});
const own = 'device.attributes["gpu.example.com"]';

test("a selector is evaluated for the attributes and capacities of a device", () => {
  for (
    const [text, expected] of [
      ['device.driver == "gpu.example.com"', true],
      [`${own}.model == "a" && ${own}.cores == 5`, true],
      [`${own}.model == "b"`, false],
      ['device.attributes["other.example.com"].fast', true],
      [`${own}.release.isGreaterThan(semver("1.9.0"))`, true],
      ['device.capacity["gpu.example.com"].memory.compareTo(quantity("9Gi")) < 0', true],
      ['has(device.attributes["absent.example.com"].x)', false],
      ['"absent.example.com" in device.attributes || !("gpu.example.com" in device.attributes)', false],
      ["device.allowMultipleAllocations", false],
    ] as const
  ) assert.equal(compileMatcher(text)(device), expected, text);
});

test("a selector that fails says why", () => {
  const problemOf = (text: string) => (compileMatcher(text)(device) as { problem: string }).problem;
  assert.equal(problemOf(`${own}.absent`), "CEL runtime error: no such key: absent");
  assert.match(problemOf(`${own}.model`), /^CEL runtime error: CEL result of type string could not be converted to bool/);
  assert.match(problemOf("device.x"), /^CEL compile error: .*undefined field 'x'/);
  const unreadable = deviceValue({ driver: "d", attributes: { v: { version: "x" } } });
  assert.match(
    (compileMatcher("true")(unreadable) as { problem: string }).problem,
    /^CEL runtime error: attribute v: parse semantic version/,
  );
});
