// The guarantee of quotas: whichever server creates, neither the number of objects nor the usage ever exceeds the limit.
// In Deno's suite only: the guarantee is the order of writes to the store, whatever the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { startTestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { until } from "../real-server.ts";

const base = "/api/v1/namespaces/shop", hard = 12, rounds = 40, writers = 4;

const usedIn = async (client: Client) => Number((await (await client.ask(`${base}/resourcequotas/q`)).json()).status.used?.secrets ?? NaN);
const numberOf = async (client: Client) => ((await client.ask(`${base}/secrets`)).json().items as readonly unknown[]).length;

/** Creates and deletes secrets. Returns the numbers of accepted and of rejected creates. */
async function churn(client: Client, name: string): Promise<readonly [accepted: number, rejected: number]> {
  let accepted = 0, rejected = 0;
  for (let round = 0; round < rounds; round++) {
    const { status, text } = await client.ask(`${base}/secrets`, { method: "POST", body: { metadata: { name: `${name}-${round}` } } });
    if (status === 201) accepted++;
    else {
      rejected++;
      assert.equal(status, 403, text);
      assert.match(text, /exceeded quota: q, requested: secrets=1/);
    }
    if (status === 201 && round % 2 === 0) await client.ask(`${base}/secrets/${name}-${round}`, { method: "DELETE" });
  }
  return [accepted, rejected];
}

test("concurrent creates and deletions over two servers of one etcd never exceed a quota", { skip: etcdMissing() }, async () => {
  const etcd = await startEtcd();
  const servers = await Promise.all([1, 2].map(() => startTestServer({ args: [`--etcd-servers=${etcd.endpoint}`] })));
  const clients = servers.map(({ port, ca, tokens }) => httpsClient({ port, ca, token: tokens.admin }));
  const [first, second] = clients as [Client, Client];
  try {
    await until(async () =>
      assert.equal((await first.ask("/api/v1/namespaces", { method: "POST", body: { metadata: { name: "shop" } } })).status, 201)
    );
    await first.ask(`${base}/resourcequotas`, {
      method: "POST",
      body: { metadata: { name: "q" }, spec: { hard: { secrets: `${hard}` } } },
    });
    for (const client of clients) await until(async () => assert.equal(await usedIn(client), 0));
    // The limit is known to both servers when their memory has the status.
    for (const client of clients) {
      await until(async () =>
        assert.equal((await client.ask(`${base}/resourcequotas?resourceVersion=0`)).json().items[0]?.status.used?.secrets, "0")
      );
    }

    let working = true;
    const seen: { number: number; used: number }[] = [];
    const observer = (async () => {
      while (working) seen.push({ number: await numberOf(second), used: await usedIn(first) });
    })();
    const results = await Promise.all(
      Array.from({ length: writers }, (_, i) => [churn(first, `a${i}`), churn(second, `b${i}`)]).flat(),
    );
    working = false;
    await observer;

    const accepted = results.reduce((sum, [yes]) => sum + yes, 0), rejected = results.reduce((sum, [, no]) => sum + no, 0);
    assert.ok(accepted >= hard && rejected > 0, `${accepted} accepted, ${rejected} rejected`);
    assert.deepEqual(seen.filter(({ number, used }) => number > hard || used > hard), []);
    // The controller brings the usage to the number of objects, and the room can be used again.
    await until(async () => assert.equal(await usedIn(first), await numberOf(first)));
    const left = hard - await numberOf(first);
    const more = await Promise.all(
      Array.from(
        { length: left + 10 },
        (_, i) => clients[i % 2]!.ask(`${base}/secrets`, { method: "POST", body: { metadata: { name: `more-${i}` } } }),
      ),
    );
    assert.equal(more.filter(({ status }) => status === 201).length, left);
    assert.equal(await numberOf(first), hard);
  } finally {
    for (const client of clients) client.close();
    for (const server of servers) await server.close();
    await etcd.stop();
  }
});
