import assert from "node:assert/strict";
import { test } from "node:test";
import { isExpected, readIfMatch } from "./if-match.ts";

test("readIfMatch() reads strong, weak and unquoted versions alike, and lists of them", () => {
  for (const header of ['"41"', "41", 'W/"41"', "W/41", ' "41" ', '"40", "41"', "40,41", '"40",W/"41",,']) {
    const expected = readIfMatch(header);
    assert.ok(expected && isExpected(expected, 41), header);
    assert.ok(!isExpected(expected, 42), header);
  }
});

test("readIfMatch() accepts any version for an asterisk, also in a list", () => {
  for (const header of ["*", " * ", '"1", *']) assert.ok(isExpected(readIfMatch(header)!, 41), header);
});

test("readIfMatch() ignores an absent or empty header, and a value that is not a version matches no object", () => {
  for (const header of ["", " ", ",", " , "]) assert.equal(readIfMatch(header), undefined);
  for (const header of ['""', '"041"', '"41', '41"', "w/41", '"4 1"', "x", "*41", '"*"']) {
    assert.ok(!isExpected(readIfMatch(header)!, 41), header);
  }
});
