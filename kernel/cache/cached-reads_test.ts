import { directReads } from "../reads/direct-reads.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import { readsConformance } from "../../test/reads/reads-conformance.ts";
import { cached, fastClock, type Fixture } from "../../test/reads/fixture.ts";

readsConformance("directly from sqlite", async (): Promise<Fixture> => {
  const store = await openSqlite(":memory:");
  return { store, reads: directReads(store, fastClock), close: () => store.close() };
});

readsConformance("cache over sqlite", async () => cached(await openSqlite(":memory:")));
