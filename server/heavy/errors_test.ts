import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../../core/status-error.ts";
import { StoreError } from "../../kernel/store/store.ts";
import { errorOf, plainError } from "./errors.ts";

test("errorOf() restores the error of plainError(), with its class", () => {
  const errors = [
    new StatusError("Invalid", "wrong", { details: { name: "a", causes: [{ field: "b" }] } }),
    new StatusError("Expired", "late", { continue: "token", code: 410 }),
    new StoreError("compacted", "gone", { oldest: 3 }),
    new StoreError("too-large", "large"),
    new DOMException("slow", "TimeoutError"),
    new RangeError("a bug"),
  ];
  for (const error of errors) {
    const back = errorOf(structuredClone(plainError(error)));
    assert.equal(back.name, error.name);
    assert.equal(back.message, error.message);
    for (const Class of [StatusError, StoreError, DOMException]) assert.equal(back instanceof Class, error instanceof Class);
    if (error instanceof StatusError) {
      const { reason, code, details, continue: next } = back as StatusError;
      assert.deepEqual({ reason, code, details, next }, {
        reason: error.reason,
        code: error.code,
        details: error.details,
        next: error.continue,
      });
    }
    if (error instanceof StoreError) assert.equal((back as StoreError).oldest, error.oldest);
    if (error instanceof RangeError) assert.equal(back.stack, error.stack);
  }
  assert.equal(errorOf(plainError("text")).message, "text");
});
