import { directReads } from "../direct-reads.ts";
import { openSqlite } from "../store/sqlite.ts";
import { readsConformance } from "./reads-conformance.ts";
import { cached, fastClock, type Room } from "./test-room.ts";

readsConformance("straight from sqlite", async (): Promise<Room> => {
  const store = await openSqlite(":memory:");
  return { store, reads: directReads(store, fastClock), close: () => store.close() };
});

readsConformance("cache over sqlite", async () => cached(await openSqlite(":memory:")));
