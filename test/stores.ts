/** Both stores, for tests that access them directly while no server runs. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plugin } from "../core/plugin.ts";
import { openEtcd } from "../kernel/store/etcd/etcd.ts";
import { openSqlite } from "../kernel/store/sqlite/sqlite.ts";
import type { Store } from "../kernel/store/store.ts";
import { etcdMissing, startEtcd } from "./etcd.ts";
import { startTestServer } from "./harness.ts";
import { type Client, httpsClient } from "./https.ts";

/** `open` opens the store, `args` are the flags of a server on it. */
type Work = (open: () => Promise<Store>, args: readonly string[]) => Promise<void>;

async function onSqlite(work: Work): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-stores-"));
  try {
    await work(() => openSqlite(join(folder, "store.sqlite")), [`--data-dir=${folder}`]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
async function onEtcd(work: Work): Promise<void> {
  const etcd = await startEtcd();
  try {
    await work(() => openEtcd({ endpoints: [etcd.endpoint] }), [`--etcd-servers=${etcd.endpoint}`]);
  } finally {
    await etcd.stop();
  }
}

/** `on` passes a temporary store to the work; `skip` is the reason if it cannot. */
export const stores: readonly { readonly store: string; readonly on: (work: Work) => Promise<void>; readonly skip: string | false }[] = [
  { store: "sqlite", on: onSqlite, skip: false },
  { store: "etcd", on: onEtcd, skip: etcdMissing() },
];

/** Sends requests to a server with these flags as its administrator, and closes it. `logged` gets the lines of its log. */
export async function within(
  args: readonly string[],
  work: (client: Client) => Promise<void>,
  plugins?: readonly Plugin[],
  logged: (lines: readonly string[]) => void = () => {},
): Promise<void> {
  const server = await startTestServer({ args, ...(plugins === undefined ? {} : { plugins }) });
  const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  try {
    await work(client);
  } finally {
    client.close();
    await server.close();
  }
  logged(server.logged);
}
