/** The suite that every `Store` passes. */
import { test } from "node:test";
import { commits } from "./commits.ts";
import { compactions } from "./compactions.ts";
import { bounds, ends } from "./ends.ts";
import { orders } from "./orders.ts";
import { races } from "./races.ts";
import { reads } from "./reads.ts";
import { watches } from "./watches.ts";
import type { Store } from "../../kernel/store/store.ts";

/** Registers the suite that every Store passes. `open` returns a store without keys; the suite closes it. */
export function storeConformance(name: string, open: () => Promise<Store>, without: Readonly<Record<string, string>> = {}): void {
  const names = new Set<string>();
  const promise = (what: string, prove: (store: Store) => Promise<void>): void => {
    names.add(what);
    test(`${name}: ${what}`, { skip: without[what] ?? false }, async () => {
      const store = await open();
      try {
        await prove(store);
      } finally {
        await store.close();
      }
    });
  };
  for (const cases of [commits, reads, orders, watches, compactions, races, bounds, ends]) cases(promise);
  const unknown = Object.keys(without).filter((what) => !names.has(what));
  if (unknown.length > 0) throw new Error(`no such promise: ${unknown.join(", ")}`);
}
