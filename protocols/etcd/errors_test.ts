import assert from "node:assert/strict";
import { test } from "node:test";
import { causeText } from "./errors.ts";

test("causeText() describes errors without a message", () => {
  assert.equal(causeText(new AggregateError([Object.assign(new Error(""), { code: "ECONNREFUSED" })], "")), "ECONNREFUSED");
  assert.equal(causeText(Object.assign(new Error("no such name"), { code: "ENOTFOUND" })), "no such name (ENOTFOUND)");
  assert.equal(causeText("the connection was closed"), "the connection was closed");
});
