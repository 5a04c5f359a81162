import assert from "node:assert/strict";
import { test } from "node:test";
import type { Framing } from "../../reads/reads.ts";
import type { CachedEntry, EntryMaker } from "../index/entry.ts";
import { FrameShare } from "./frame-share.ts";
import type { RingEvent } from "./ring.ts";

/** A share whose frames are empty; `made` counts the encodings. */
function share() {
  let made = 0;
  // `as`: the test's framing looks neither at the item nor at the kind.
  const framing = { id: "test", plain: false, frame: () => new Uint8Array(++made > 0 ? 10 : 0) } as unknown as Framing;
  const frames = new FrameShare({} as unknown as EntryMaker);
  return {
    frame: (event: RingEvent) => frames.frame(event, "MODIFIED", framing),
    forget: (revision: number) => frames.forget(revision),
    made: () => made,
  };
}
const eventOf = (revision: number): RingEvent => {
  const entry = { attributes: {} } as unknown as CachedEntry; // As above.
  return { key: "a", revision, next: entry, prior: entry, failure: undefined, at: 0 };
};

test("FrameShare.frame() encodes an event once, until its revision is forgotten", () => {
  const { frame, forget, made } = share(), [first, second, last] = [eventOf(1), eventOf(2), eventOf(3)];
  const before = frame(first);
  assert.equal(frame(first), before);
  for (const event of [second, last]) frame(event);
  forget(0);
  assert.equal(frame(first), before);
  assert.equal(made(), 3);
  forget(2);
  assert.notEqual(frame(first), before, "it was dropped, with the entries of its event");
  frame(second);
  assert.equal(made(), 5);
  frame(last);
  assert.equal(made(), 5, "it was not forgotten");
});

test("FrameShare.piece() is the one from this position while no event is newer, and for good if it is whole", () => {
  const frames = new FrameShare({} as unknown as EntryMaker); // Pieces need none.
  const pieceOf = (from: number, to: number, isWhole: boolean, bytes = 10) => ({
    name: "all",
    from,
    to,
    isWhole,
    bytes: new Uint8Array(bytes),
    sizes: [bytes],
  });
  const [whole, last] = [pieceOf(0, 64, true), pieceOf(64, 70, false)];
  for (const piece of [whole, last]) frames.keep(piece);
  assert.equal(frames.piece("all", 0, 70), whole);
  assert.equal(frames.piece("all", 0, 71), whole, "later events are in the next piece");
  assert.equal(frames.piece("all", 64, 70), last);
  assert.equal(frames.piece("all", 64, 71), undefined, "it lacks an event");
  assert.equal(frames.piece("some", 0, 70), undefined);
  assert.equal(frames.piece("all", 1, 70), undefined);
  frames.keep(pieceOf(128, 129, false, 4 * 1024 * 1024 - 300));
  assert.equal(frames.piece("all", 0, 129), undefined, "they were dropped, because all together exceed the bound");
});
