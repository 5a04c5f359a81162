import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { openHeap } from "../heavy/heap.ts";
import { fillGarbage, fillGarbageBytesMax, fillGarbageObjectsMin } from "./fill-garbage.ts";

/** A fill that adds so many bytes with each page after the first, large one; returns what was done with the heap. */
function filled(bytes: readonly number[], { objects = fillGarbageObjectsMin, hasLimit = true } = {}): readonly string[] {
  const done: string[] = [];
  let used = 1_000;
  const garbage = fillGarbage(() => ({
    usedBytes: () => used,
    collect(flavor = "last-resort") {
      done.push(flavor);
      used -= 500;
    },
    limitTogether(isOn) {
      done.push(isOn ? "together" : "apart");
      return hasLimit;
    },
  }));
  garbage.onPage(objects);
  for (const more of bytes) {
    used += more;
    garbage.onPage(1);
  }
  garbage.end();
  used += fillGarbageBytesMax * 2;
  garbage.onPage(fillGarbageObjectsMin);
  return done;
}

test("fillGarbage() collects a large fill at its bound, and once at its end; later fills are left to V8", () => {
  assert.deepEqual(filled([fillGarbageBytesMax - 1, 1, fillGarbageBytesMax - 1, 1]), [
    ...["together", "regular", "regular", "apart", "last-resort"],
  ]);
  assert.deepEqual(filled([fillGarbageBytesMax - 1]), ["together", "apart", "last-resort"]);
});

test("fillGarbage() leaves the collections before the end to a V8 that limits heap and buffers together", () => {
  assert.deepEqual(filled([fillGarbageBytesMax * 3], { hasLimit: false }), ["together", "apart", "last-resort"]);
});

test("fillGarbage() leaves a small fill alone", () => {
  assert.deepEqual(filled([], { objects: fillGarbageObjectsMin - 1 }), []);
});

test("openHeap().limitTogether() has its effect in V8 13 only, and can be undone", () => {
  const heap = openHeap();
  assert.equal(heap.limitTogether(true), process.versions.v8.startsWith("13."));
  assert.equal(heap.limitTogether(false), process.versions.v8.startsWith("13."));
});
