import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry } from "../../../metrics/mod.ts";
import { storedBytes } from "../../objects/objects.ts";
import type { Framing } from "../../reads/reads.ts";
import { attributesReader } from "../index/attributes.ts";
import { entryMaker } from "../index/entry.ts";
import { RecentObjects } from "../index/recent-objects.ts";
import { Slabs } from "../index/slabs.ts";
import { cacheMeter, cacheMetrics } from "../metrics.ts";
import { catalog, endpointOf, noteOf, prefix } from "../../../test/reads/fixture.ts";
import { KindCache } from "./kind-cache.ts";

const { stored } = endpointOf("notes");
const key = `${prefix}/notes/default/a`;

/** An empty cache of notes that keeps two events, and its recent objects. */
function cacheOfNotes() {
  const recent = new RecentObjects();
  const cache = new KindCache({
    maker: entryMaker(stored, new Slabs(), recent, attributesReader(stored, catalog)),
    prefix: `${prefix}/notes/`,
    meter: cacheMeter(createRegistry(cacheMetrics).record, stored),
    bounds: { keptMs: 1_000, bytesMax: 1_000_000, eventsMax: 2 },
    snapshotMs: 1_000,
  });
  cache.reset({ revision: 1, entries: [], broken: [] });
  /** Applies the event of a value; undefined: of a deletion. */
  const take = (revision: number, value: Uint8Array | undefined) => {
    cache.take({ key, revision, value, previous: undefined }, 0);
    cache.publish();
    return cache.index.get(key);
  };
  return { cache, recent, take, own: () => storedBytes(stored, noteOf("a")) };
}

test("KindCache keeps the object of an own write until the entry is deleted", () => {
  const { recent, take, own } = cacheOfNotes();
  const entry = take(2, own())!;
  assert.equal(recent.get(entry)?.metadata.name, "a");
  take(3, undefined);
  assert.equal(recent.get(entry), undefined);
});

test("KindCache keeps no object of an entry that another writer has replaced", () => {
  const { recent, take, own } = cacheOfNotes();
  const entry = take(2, own())!;
  // A copy is not known as the bytes that this process has encoded.
  const next = take(3, new Uint8Array(own()))!;
  assert.notEqual(next, entry);
  assert.equal(recent.get(entry), undefined);
  const last = take(4, own())!;
  assert.equal(recent.get(last)?.metadata.name, "a");
});

test("KindCache drops the frames of events with the events", () => {
  const { cache, take, own } = cacheOfNotes();
  let made = 0;
  // `as`: a framing of a watch that is never opened.
  const framing = { id: "test", plain: false, frame: () => new Uint8Array(++made) } as unknown as Framing;
  take(2, own());
  const first = cache.ring.at(cache.ring.first);
  const frame = cache.frames.frame(first, "ADDED", framing);
  take(3, own());
  assert.equal(cache.frames.frame(first, "ADDED", framing), frame);
  take(4, own());
  assert.equal(cache.ring.start, 2);
  assert.notEqual(cache.frames.frame(first, "ADDED", framing), frame);
  const second = cache.ring.at(cache.ring.first), other = cache.frames.frame(second, "MODIFIED", framing);
  cache.forget(3);
  assert.notEqual(cache.frames.frame(second, "MODIFIED", framing), other);
  const third = cache.ring.at(cache.ring.first), last = cache.frames.frame(third, "MODIFIED", framing);
  cache.expire(1_000);
  assert.equal(cache.frames.frame(third, "MODIFIED", framing), last);
  cache.expire(1_001);
  assert.equal(cache.ring.length, 0);
  assert.notEqual(cache.frames.frame(third, "MODIFIED", framing), last);
});
