// In Deno's suite only: it uses nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { boolean, field, int32, int64, plainList, string, struct, time } from "../schema.ts";
import { OptionError, optionsOfQuery } from "./query-options.ts";

const Options = struct("Options", {
  follow: field(1, boolean, "A boolean."),
  container: field(2, string, "A text."),
  command: field(3, plainList(string), "Texts."),
  ports: field(4, plainList(int32), "Numbers."),
  tailLines: field(5, int64, "A number."),
  sinceTime: field(6, time, "A time."),
}, { doc: "Options." });

function read(...pairs: readonly (readonly [string, string])[]): unknown {
  const all = (key: string) => pairs.filter(([name]) => name === key).map(([, value]) => value);
  return optionsOfQuery(Options, { all, has: (key) => all(key).length > 0 });
}

test("optionsOfQuery() reads the fields of the schema, and ignores other keys", () => {
  assert.deepEqual(read(), {});
  assert.deepEqual(
    read(["follow", ""], ["container", "c"], ["container", "d"], ["command", "ls"], ["command", ""], ["ports", "80"], ["other", "x"]),
    { follow: true, container: "c", command: ["ls", ""], ports: [80] },
  );
  for (const [text, expected] of [["", true], ["1", true], ["no", true], ["0", false], ["False", false]] as const) {
    assert.deepEqual(read(["follow", text]), { follow: expected }, text);
  }
  assert.deepEqual(read(["tailLines", "+5"]), { tailLines: 5 });
  assert.deepEqual(read(["tailLines", "9223372036854775807"]), { tailLines: 9223372036854775807n });
  assert.deepEqual(read(["sinceTime", "2020-01-02T03:04:05+01:00"]), { sinceTime: "2020-01-02T02:04:05Z" });
  assert.deepEqual(read(["sinceTime", ""]), {});
});

test("optionsOfQuery() refuses numbers and times that it cannot read, in the words of Go", () => {
  const wrong: readonly (readonly [string, string, string])[] = [
    ["tailLines", "x", 'strconv.ParseInt: parsing "x": invalid syntax'],
    ["tailLines", "", 'strconv.ParseInt: parsing "": invalid syntax'],
    ["tailLines", "9223372036854775808", 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
    ["tailLines", "1".repeat(41), `strconv.ParseInt: parsing "${"1".repeat(41)}": value out of range`],
    ["ports", "2147483648", 'strconv.ParseInt: parsing "2147483648": value out of range'],
  ];
  for (const [key, text, message] of wrong) {
    assert.throws(() => read([key, text]), (error: Error) => error instanceof OptionError && error.message === message, text);
  }
  assert.throws(() => read(["sinceTime", "yesterday"]), OptionError);
});
