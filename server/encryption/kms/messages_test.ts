// In Deno's suite only: messages are bytes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encryptMethod, kmsAnnotationsMax } from "./messages.ts";

test("an answer with too many annotations is refused before they are read", () => {
  /** Field 3, with an entry of the name "a" and no value. */
  const entry = [0x1a, 3, 0x0a, 1, 0x61];
  const answer = (count: number) => Buffer.from(Array.from({ length: count }, () => entry).flat());
  assert.deepEqual([...encryptMethod.decode(answer(kmsAnnotationsMax)).annotations.keys()], ["a"]);
  assert.throws(() => encryptMethod.decode(answer(kmsAnnotationsMax + 1)), /annotations, more than/);
});
