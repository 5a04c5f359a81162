/** A process that commits to the given store file until it is killed, and prints each key once it is acknowledged. */
import process from "node:process";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";

const store = await openSqlite(process.argv[2] ?? "");
await Promise.all(Array.from({ length: 8 }, async (_, writer) => {
  for (let round = 0;; round++) {
    const key = `${writer}/${round}`;
    const commit = await store.commit({ key, expect: "absent", value: new Uint8Array(2000).fill(writer) });
    if (commit.done) process.stdout.write(`${key} ${commit.revision}\n`);
  }
}));
