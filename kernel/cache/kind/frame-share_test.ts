import assert from "node:assert/strict";
import { test } from "node:test";
import type { Framing } from "../../reads/reads.ts";
import type { CachedEntry, EntryMaker } from "../index/entry.ts";
import { frameShare } from "./frame-share.ts";
import type { RingEvent } from "./ring.ts";

/** A share whose frames are empty; `made` counts the encodings. */
function share(keptMs: number) {
  let made = 0;
  // `as`: the test's framing looks neither at the item nor at the kind.
  const framing = { id: "test", plain: false, frame: () => new Uint8Array(++made > 0 ? 10 : 0) } as unknown as Framing;
  const frames = frameShare({} as unknown as EntryMaker, keptMs);
  return { frame: (event: RingEvent) => frames.frame(event, "MODIFIED", framing), made: () => made };
}
const eventAt = (at: number): RingEvent => {
  const entry = { attributes: {} } as unknown as CachedEntry; // As above.
  return { key: "a", revision: at, next: entry, prior: entry, failure: undefined, at };
};

test("FrameShare.frame() encodes an event once, until it is older than the newest by more than the ring keeps", () => {
  const { frame, made } = share(1_000), [first, second, last] = [eventAt(1), eventAt(1_001), eventAt(1_002)];
  const before = frame(first);
  assert.equal(frame(first), before);
  frame(second);
  assert.equal(frame(first), before);
  assert.equal(made(), 2);
  frame(last);
  assert.equal(made(), 3);
  assert.notEqual(frame(first), before, "it was dropped, with the entries of its event");
  assert.equal(made(), 4);
  frame(second);
  frame(last);
  assert.equal(made(), 4);
});
