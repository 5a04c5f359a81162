import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "../../core/turns.ts";
import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { bodiesPerTurnMax, bodyTurnBytes, BodyTurns } from "./body-turns.ts";
import { ConnectionInput } from "./input.ts";

const piece = 64 * 1024;

/** An input that reads a piece of a body whenever it is not held. */
function reader(turns: BodyTurns, bytes: number, log: { read: number; released(): void }) {
  let left = bytes, holds = 0;
  const input = {
    hold: () => void holds++,
    release: () => {
      holds--;
      log.released();
      queueMicrotask(() => input.run());
    },
    run(): void {
      while (holds === 0 && left > 0) {
        left -= piece;
        log.read += piece;
        turns.read(piece, input);
      }
    },
    get left() {
      return left;
    },
    get holds() {
      return holds;
    },
  };
  return input;
}

test(
  "BodyTurns.read() bounds the bytes that one turn reads over all connections, and reads every body to its end",
  { timeout: 60_000 },
  async () => {
    let before = 0, longest = 0, isReleasing = false;
    const log = {
      read: 0,
      // A turn ends with the first release of the next one, which are all in one callback.
      released() {
        if (isReleasing) return;
        isReleasing = true;
        queueMicrotask(() => isReleasing = false);
        longest = Math.max(longest, log.read - before);
        before = log.read;
      },
    };
    const turns = new BodyTurns();
    const inputs = Array.from({ length: 16 }, () => reader(turns, 3 * 1024 * 1024, log));
    for (const input of inputs) input.run();
    // The first turn: each connection has read at least one piece before it is held.
    before = log.read;
    assert.ok(log.read <= bodyTurnBytes + inputs.length * piece, `${log.read} bytes in the first turn`);
    for (let at = 0; inputs.some(({ left }) => left > 0); at++) {
      assert.ok(at < 10_000);
      await nextTurn();
    }
    assert.ok(longest > 0 && longest <= bodyTurnBytes + bodiesPerTurnMax * piece, `${longest} bytes in one turn`);
    for (let at = 0; at < 100 && inputs.some(({ holds }) => holds > 0); at++) await nextTurn();
    assert.deepEqual(inputs.map(({ holds }) => holds), inputs.map(() => 0));
  },
);

test("BodyTurns.read() holds no input while turns read little", async () => {
  const turns = new BodyTurns();
  let holds = 0;
  for (let at = 0; at < 20; at++) {
    turns.read(bodyTurnBytes - 1, { hold: () => void holds++, release() {} });
    for (let turn = 0; turn < 3; turn++) await nextTurn();
  }
  assert.equal(holds, 0);
});

test("ConnectionInput.share() counts small input of all connections: above the bytes of a turn, the connections are held until a later one", async () => {
  const turns = new BodyTurns(), bytes = bodyTurnBytes / 64;
  const inputs = Array.from({ length: 80 }, () => new ConnectionInput(new TLSSocket(new Socket()), new Socket(), turns));
  for (const input of inputs) input.share(bytes);
  assert.deepEqual(inputs.map(({ holds }) => holds), inputs.map((_, at) => at < 63 ? 0 : 1));
  for (let at = 0; at < 100 && inputs.some(({ holds }) => holds > 0); at++) await nextTurn();
  assert.deepEqual(inputs.filter(({ holds }) => holds > 0), []);
});
