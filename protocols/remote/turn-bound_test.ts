import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "../../core/turns.ts";
import { remoteTurnBytesMax, remoteTurnRequestsMax } from "./remote-client.ts";
import { TurnBound } from "./turn-bound.ts";

const pieceBytes = 64 * 1024;

test("readers go on at once within the bound of a turn, and wait past it", async () => {
  const turns = new TurnBound(remoteTurnBytesMax);
  assert.equal(turns.took(remoteTurnBytesMax), undefined);
  await turns.took(1);
  await nextTurn();
  assert.equal(turns.took(remoteTurnBytesMax), undefined, "the next turn has its own bytes");
});

test("however many answers arrive, the bytes of one turn have a bound over all of them", async () => {
  const turns = new TurnBound(remoteTurnBytesMax), readers = 16, pieces = 40;
  let bytes = 0, most = 0, isOver = false;
  const count = (): void => {
    most = Math.max(most, bytes);
    bytes = 0;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const read = Array.from({ length: readers }, async () => {
    for (let piece = 0; piece < pieces; piece++) {
      bytes += pieceBytes;
      await turns.took(pieceBytes);
    }
  });
  await Promise.all(read);
  isOver = true;
  // Each reader has one piece in its hands when the bound is reached.
  assert.ok(most > 0 && most <= remoteTurnBytesMax + readers * pieceBytes, `${most} bytes in one turn`);
});

test("amounts above the bound are done in separate turns", async () => {
  const turns = new TurnBound(remoteTurnBytesMax), doneIn: number[] = [];
  let turn = 0, isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 4 }, async () => {
    await turns.took(remoteTurnBytesMax + 1);
    doneIn.push(turn);
  }));
  isOver = true;
  assert.equal(new Set(doneIn).size, 4, String(doneIn));
});

test("requests that begin together are opened in several turns, in their order", async () => {
  const turns = new TurnBound(remoteTurnRequestsMax), opened: number[] = [];
  const requests = Array.from({ length: 3 * remoteTurnRequestsMax }, async (_, index) => {
    const turn = turns.took(1);
    if (turn !== undefined) await turn;
    opened.push(index);
  });
  assert.equal(opened.length, remoteTurnRequestsMax);
  await Promise.all(requests);
  assert.deepEqual(opened, requests.map((_, index) => index));
});
