/** The suite that every `Reads` passes: straight from a store, and from the cache over it. */
import { test } from "node:test";
import { beginnings } from "./conformance/beginnings.ts";
import { bytes } from "./conformance/bytes.ts";
import type { Case } from "./conformance/case.ts";
import { chunks } from "./conformance/chunks.ts";
import { gets } from "./conformance/gets.ts";
import { exactLists, lists } from "./conformance/lists.ts";
import { races } from "./conformance/races.ts";
import { selectors, watchSelectors } from "./conformance/selectors.ts";
import { uncached } from "./conformance/uncached.ts";
import { watches } from "./conformance/watches.ts";
import type { Room } from "./test-room.ts";

/** Registers the suite that every Reads passes. `open` gives a room without objects; the suite closes it. */
export function readsConformance(name: string, open: () => Promise<Room>): void {
  const promise: Case = (what, prove) => {
    test(`${name}: ${what}`, async () => {
      const room = await open();
      try {
        await prove(room);
      } finally {
        await room.close();
      }
    });
  };
  for (const cases of [gets, lists, exactLists, chunks, selectors, uncached, watches, beginnings, watchSelectors, bytes, races]) {
    cases(promise);
  }
}
