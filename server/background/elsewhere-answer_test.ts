// In Deno's suite only: replies are values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { elsewhereAnswer, elsewhereBytesMax } from "./elsewhere-answer.ts";

async function* pieces(...all: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const each of all) yield typeof each === "string" ? new TextEncoder().encode(each) : each;
}
const refused = (body: string | AsyncIterable<Uint8Array>, status: number, expected: object) =>
  assert.rejects(elsewhereAnswer({ status, headers: {}, body }, "get"), expected);

test("elsewhereAnswer() returns the object, in pieces or whole", async () => {
  assert.deepEqual(await elsewhereAnswer({ status: 201, headers: {}, body: pieces('{"a":', "1}") }, "create"), {
    status: 201,
    value: { a: 1 },
  });
  assert.deepEqual(await elsewhereAnswer({ status: 200, headers: {}, body: "{}" }, "get"), { status: 200, value: {} });
});

test("elsewhereAnswer() rejects with the Status, with the text of another error, and for nonsense", async () => {
  await refused('{"kind":"Status","reason":"NotFound","message":"no a","code":404}', 404, {
    reason: "NotFound",
    message: "no a",
    code: 404,
  });
  await refused("service unavailable\n", 503, { reason: "ServiceUnavailable", message: "service unavailable\n", code: 503 });
  for (const body of ["", "<html>", "[]", '"a"', "[".repeat(200_000)]) await refused(body, 200, { reason: "InternalError" });
});

test("elsewhereAnswer() bounds a reply and the events of a watch", async () => {
  const whole = new Uint8Array(elsewhereBytesMax).fill(0x20);
  await refused(pieces(whole, "{}"), 200, { message: /more than/ });
  const watch = async (...all: readonly (string | Uint8Array)[]) => {
    const answer = await elsewhereAnswer({ status: 200, headers: {}, body: pieces(...all) }, "watch");
    assert.ok("frames" in answer);
    let bytes = 0;
    const frames = answer.frames[Symbol.asyncIterator]();
    for (let next = await frames.next(); next.done !== true; next = await frames.next()) bytes += next.value.length;
    return bytes;
  };
  assert.equal(await watch(whole, "\n", whole, "\n"), 2 * elsewhereBytesMax + 2);
  await assert.rejects(watch(whole, "a"), { message: /an event of the other server has more than/ });
});
