// An etcd that is restored from a snapshot while servers use it: reads return no lost state, and watches end with an error.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { type Client, documents, httpsClient } from "../https.ts";
import { startRealServer, startSkipped, until } from "../real-server.ts";
import { bumpingMissing, ctl, restore, restoringMissing } from "./etcd-programs.ts";

const path = "/api/v1/namespaces/default/configmaps";
const missing = startSkipped("deno") || etcdMissing();
/** `etcdutl` adds it to the newest revision of the snapshot. */
const bump = 1_000_000_000;

async function write(client: Client, name: string, value: string): Promise<number> {
  const body = { metadata: { name }, data: { value } };
  const made = await client.ask(path, { method: "POST", body });
  const answer = made.status === 409 ? await client.ask(`${path}/${name}`, { method: "PUT", body }) : made;
  assert.ok(answer.status === 200 || answer.status === 201, answer.text);
  return Number(answer.json().metadata.resourceVersion);
}

async function shown(client: Client, query = ""): Promise<readonly string[]> {
  const list = await client.ask(path + query);
  assert.equal(list.status, 200, list.text);
  return list.json().items.filter(({ data }: any) => data?.value !== undefined) // Others create their own objects.
    .map(({ metadata, data }: any) => `${metadata.name}=${data.value}`);
}

/** Opens a watch. Returns the code of its last event; 0 if it ends without an error. */
async function opened(client: Client, from: number): Promise<() => Promise<number>> {
  const { status, chunks } = await client.stream(`${path}?watch=1&resourceVersion=${from}`);
  assert.equal(status, 200);
  return async () => {
    for await (const { type, object } of documents(chunks)) if (type === "ERROR") return object.code;
    return 0;
  };
}
const endOf = async (client: Client, from: number) => (await opened(client, from))();

for (
  const { how, flags, skip } of [
    { how: "with the revisions of then", flags: [], skip: missing || restoringMissing() },
    {
      how: "with revisions beyond all that were given out",
      flags: [`--bump-revision=${bump}`, "--mark-compacted"],
      skip: missing || bumpingMissing(),
    },
  ]
) {
  test(`servers continue over an etcd that is restored, ${how}`, { skip }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "thole-set-back-"));
    const snapshot = join(folder, "snapshot.db"), data = join(folder, "member-0");
    const etcd = await startEtcd({ dataDir: folder });
    const args = [`--etcd-servers=${etcd.endpoint}`];
    const [first, second] = await Promise.all([startRealServer({ args }), startRealServer({ args })]);
    const clients = [httpsClient(first), httpsClient(second)] as const;
    try {
      await write(clients[0], "kept", "early");
      await ctl(etcd.endpoint, "snapshot", "save", snapshot);
      for (let count = 0; count < 200; count++) await write(clients[0], "lost", `${count}`);
      const last = await write(clients[0], "kept", "late");
      for (const client of clients) assert.deepEqual(await shown(client), ["kept=late", "lost=199"]);
      const open = (await Promise.all(clients.map((client) => opened(client, last)))).map((end) => end());
      for (const each of open) each.catch(() => {}); // Reported below; an earlier error is more useful before that.
      await etcd.kill();
      await rm(data, { recursive: true });
      await restore(snapshot, data, ...flags);
      await etcd.restart();

      // Requests may be rejected for a while; a successful response is correct.
      const wait = (client: Client, query: string) =>
        until(async () => {
          const list = await client.ask(path + query);
          assert.ok(list.status === 200 || list.status === 429 || list.status >= 500, list.text);
          assert.equal(list.status, 200);
        });
      await Promise.all(clients.map((client) => wait(client, "")));
      for (const client of clients) {
        assert.deepEqual(await shown(client), ["kept=early"]);
        assert.deepEqual(await shown(client, "?resourceVersion=0"), ["kept=early"]);
        assert.equal((await client.ask(`${path}/lost`)).status, 404);
      }
      const bumped = flags.length > 0;
      assert.deepEqual(await Promise.all(open), bumped ? [0, 0] : [410, 410]);
      assert.deepEqual(await Promise.all(clients.map((client) => endOf(client, last))), [410, 410]);
      const revision = await write(clients[0], "kept", "again");
      assert.ok(bumped ? revision > bump : revision < last, `${revision}`);
      for (const client of clients) assert.deepEqual(await shown(client), ["kept=again"]);
    } finally {
      for (const client of clients) client.close();
      await Promise.all([first.close(), second.close()]);
      await etcd.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
}
