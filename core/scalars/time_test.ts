import assert from "node:assert/strict";
import { test } from "node:test";
import { fractionNanos, isWritable, microTimeOf, parseMicroTime, parseTime, secondsOf, timeOfSeconds } from "./time.ts";
import { Unreadable } from "./unreadable.ts";

const layout = '"2006-01-02T15:04:05Z07:00"', microLayout = '"2006-01-02T15:04:05.000000Z07:00"';

test("parseTime() returns every accepted format in UTC with whole seconds", () => {
  for (
    const [text, canonical] of [
      ["2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"],
      ["2024-01-02T03:04:05.999999999Z", "2024-01-02T03:04:05Z"],
      ["2024-01-02T03:04:05,5Z", "2024-01-02T03:04:05Z"],
      ["2024-01-02T3:04:05Z", "2024-01-02T03:04:05Z"],
      ["2024-01-02T03:04:05+01:00", "2024-01-02T02:04:05Z"],
      ["2023-12-31T23:30:00-01:30", "2024-01-01T01:00:00Z"],
      ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
      ["0001-01-02T00:00:00Z", "0001-01-02T00:00:00Z"],
      ["0099-03-01T00:00:00+00:00", "0099-03-01T00:00:00Z"],
      ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"],
    ] as const
  ) assert.equal(parseTime(text), canonical, text);
});

test("parseTime() returns null for the zero time", () => {
  assert.equal(parseTime("0001-01-01T00:00:00Z"), null);
  assert.equal(parseTime("0001-01-01T01:00:00+01:00"), null);
});

test("parseTime() returns Go's errors with the invalid element", () => {
  for (
    const [text, error] of [
      ["", `parsing time "" as ${layout}: cannot parse "" as "2006"`],
      ["yesterday", `parsing time "yesterday" as ${layout}: cannot parse "yesterday" as "2006"`],
      ["2024-01-02", `parsing time "2024-01-02" as ${layout}: cannot parse "" as "T"`],
      ["2024-01-02 03:04:05Z", `parsing time "2024-01-02 03:04:05Z" as ${layout}: cannot parse " 03:04:05Z" as "T"`],
      ["2024-1-02T03:04:05Z", `parsing time "2024-1-02T03:04:05Z" as ${layout}: cannot parse "1-02T03:04:05Z" as "01"`],
      ["2024-01-02T03:04:05", `parsing time "2024-01-02T03:04:05" as ${layout}: cannot parse "" as "Z07:00"`],
      ["2024-13-02T03:04:05Z", 'parsing time "2024-13-02T03:04:05Z": month out of range'],
      ["2023-02-29T03:04:05Z", 'parsing time "2023-02-29T03:04:05Z": day out of range'],
      ["2024-01-02T24:00:00Z", 'parsing time "2024-01-02T24:00:00Z": hour out of range'],
      ["2024-01-02T03:04:60Z", 'parsing time "2024-01-02T03:04:60Z": second out of range'],
      ["2024-01-02T03:04:05Zx", 'parsing time "2024-01-02T03:04:05Zx": extra text: "x"'],
      ["2024-01-02T03:04:05+25:00", 'parsing time "2024-01-02T03:04:05+25:00": time zone offset hour out of range'],
      ["\u00e9", `parsing time "\\xc3\\xa9" as ${layout}: cannot parse "\\xc3\\xa9" as "2006"`],
    ] as const
  ) assert.deepEqual(parseTime(text), new Unreadable(error), text);
});

test("parseTime() rejects years outside of the text format", () => {
  for (const text of ["0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"]) {
    assert.deepEqual(parseTime(text), new Unreadable(`parsing time "${text}": year out of range`));
  }
});

test("parseTime() and parseMicroTime() accept the year 0", () => {
  assert.equal(parseTime("0000-01-01T00:00:00Z"), "0000-01-01T00:00:00Z");
  assert.equal(parseTime("0001-01-01T00:00:00+00:01"), "0000-12-31T23:59:00Z");
  assert.equal(parseMicroTime("0000-12-31T23:59:59.000001Z"), "0000-12-31T23:59:59.000001Z");
});

test("parseMicroTime() requires exactly six digits after the point", () => {
  assert.equal(parseMicroTime("2024-01-02T03:04:05.123456Z"), "2024-01-02T03:04:05.123456Z");
  assert.equal(parseMicroTime("2024-01-02T03:04:05.000001+01:00"), "2024-01-02T02:04:05.000001Z");
  for (
    const [text, rest, element] of [
      ["2024-01-02T03:04:05Z", "Z", ".000000"],
      ["2024-01-02T03:04:05.5Z", ".5Z", ".000000"],
      ["2024-01-02T03:04:05.1234567Z", "7Z", "Z07:00"],
      ["2024-02-29 00:00:00Z", " 00:00:00Z", "T"],
    ] as const
  ) {
    assert.deepEqual(
      parseMicroTime(text),
      new Unreadable(`parsing time "${text}" as ${microLayout}: cannot parse "${rest}" as "${element}"`),
    );
  }
  assert.equal(parseMicroTime("0001-01-01T00:00:00.000000Z"), null);
});

test("secondsOf() and timeOfSeconds() are inverse for all years of the text format", () => {
  for (const seconds of [-62167219200, -62135596799, -62135596800 + 86400 * 365, -1, 0, 951782400, 1704164645, 253402300799]) {
    assert.ok(isWritable(seconds));
    assert.equal(secondsOf(timeOfSeconds(seconds)!), seconds);
  }
  assert.equal(timeOfSeconds(-62135596800), null);
  assert.ok(!isWritable(253402300800) && !isWritable(-62167219201) && !isWritable(0.5));
});

test("microTimeOf() truncates to microseconds", () => {
  assert.equal(microTimeOf(0, 1999), "1970-01-01T00:00:00.000001Z");
  assert.equal(fractionNanos("1970-01-01T00:00:00.000001Z"), 1000);
  assert.equal(microTimeOf(-62135596800, 0), null);
});
