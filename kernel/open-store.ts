/** The store that the settings name. */
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { openEtcd } from "./store/etcd.ts";
import { openSqlite } from "./store/sqlite.ts";
import type { Store } from "./store/store.ts";

/** Whether nothing is to be left on disk. */
export function isInMemory(config: Config): boolean {
  return config["data-dir"] === ":memory:";
}

/** Opens etcd where servers are named, else the embedded store in the data folder, which must exist, or in memory. */
export async function openStore(config: Config): Promise<Store> {
  const endpoints = config["etcd-servers"];
  if (endpoints.length === 0) {
    return await openSqlite(isInMemory(config) ? ":memory:" : await privateFile(join(config["data-dir"], "store.sqlite")));
  }
  const file = async (path: string) => path === "" ? undefined : await readFile(path, "utf8");
  const [ca, cert, key] = await Promise.all([file(config["etcd-cafile"]), file(config["etcd-certfile"]), file(config["etcd-keyfile"])]);
  const tls = ca === undefined ? {} : { tls: { ca, ...(cert === undefined || key === undefined ? {} : { cert, key }) } };
  return await openEtcd({ endpoints, ...tls });
}

/** Secrets lie in it: made here, so that nobody else may read it (sqlite's other files take over its mode). */
async function privateFile(path: string): Promise<string> {
  await (await open(path, "a", 0o600)).close();
  return path;
}
