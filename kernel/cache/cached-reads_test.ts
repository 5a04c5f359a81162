import { directReads } from "../direct-reads.ts";
import { openSqlite } from "../store/sqlite.ts";
import { openReads } from "./mod.ts";
import { readsConformance } from "./reads-conformance.ts";
import { catalog, fastClock, prefix, type Room } from "./test-room.ts";

readsConformance("straight from sqlite", async (): Promise<Room> => {
  const store = await openSqlite(":memory:");
  return { store, reads: directReads(store, fastClock), close: () => store.close() };
});

readsConformance("cache over sqlite", async (): Promise<Room> => {
  const store = await openSqlite(":memory:");
  const cache = await openReads(store, catalog, prefix, { clock: fastClock });
  return {
    store: cache.store,
    reads: cache.reads,
    async close() {
      await cache.close();
      await store.close();
    },
  };
});
