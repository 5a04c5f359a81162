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
