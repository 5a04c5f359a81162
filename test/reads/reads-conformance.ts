/** The suite that every `Reads` passes: directly on a store, and on the cache over it. */
import { test } from "node:test";
import { initialState } from "./initial-state.ts";
import { bytes } from "./bytes.ts";
import type { Case } from "./case.ts";
import { chunks } from "./chunks.ts";
import { gets } from "./gets.ts";
import { exactLists, lists } from "./lists.ts";
import { races } from "./races.ts";
import { selectors, watchSelectors } from "./selectors.ts";
import { uncached } from "./uncached.ts";
import { watches } from "./watches.ts";
import type { Fixture } from "./fixture.ts";

/** Registers the suite that every Reads passes. `open` returns a fixture without objects; the suite closes it. */
export function readsConformance(name: string, open: () => Promise<Fixture>): void {
  const promise: Case = (what, prove) => {
    test(`${name}: ${what}`, async () => {
      const fixture = await open();
      try {
        await prove(fixture);
      } finally {
        await fixture.close();
      }
    });
  };
  for (const cases of [gets, lists, exactLists, chunks, selectors, uncached, watches, initialState, watchSelectors, bytes, races]) {
    cases(promise);
  }
}
