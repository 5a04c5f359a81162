// Custom resources of one server through another one in front of it, which names the users.
// In Deno's suite only: forwarded_test.ts runs on both runtimes.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { issue } from "../../server/listen/testing/clients.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Client, documents, httpsClient } from "../https.ts";
import { until } from "../real-server.ts";
import { register, untilReason } from "./backend.ts";

const group = "shop.example", things = `/apis/${group}/v1/namespaces/default/boats`;

/** Files of an authority of front proxies, of this server's certificate as one, and of the certificate of the server behind. */
async function certificatesIn(folder: string) {
  const proxies = issue({ usage: "ca", commonName: "front proxies" }), authority = issue({ usage: "ca", commonName: "services" });
  const front = issue({ usage: "client", commonName: "front" }, proxies);
  const inner = issue({ usage: "server", names: ["inner.default.svc", "127.0.0.1"] }, authority);
  const texts = { proxies: proxies.cert, front: front.cert, frontKey: front.key, inner: inner.cert, innerKey: inner.key };
  const files = Object.fromEntries(Object.keys(texts).map((name) => [name, join(folder, name)])) as Record<keyof typeof texts, string>; // of the same names
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  return { files, authority: authority.cert };
}

async function define(client: Client): Promise<void> {
  const schema = { type: "object", properties: { spec: { type: "object", properties: { length: { type: "integer", minimum: 1 } } } } };
  const made = await client.ask("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    method: "POST",
    body: {
      metadata: { name: `boats.${group}` },
      spec: {
        ...{ group, scope: "Namespaced", names: { kind: "Boat", plural: "boats" } },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    },
  });
  assert.equal(made.status, 201, made.text);
  await until(async () => assert.equal((await client.ask(`/apis/${group}/v1/boats`)).status, 200));
}

test("custom resources of a server are served by another one in front of it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-front-")), { files, authority } = await certificatesIn(folder);
  const trust = [
    `--requestheader-client-ca-file=${files.proxies}`,
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
  ];
  let inner: TestServer | undefined, front: TestServer | undefined;
  const clients: Client[] = [];
  try {
    inner = await startTestServer({ args: [...trust, `--tls-cert-file=${files.inner}`, `--tls-private-key-file=${files.innerKey}`] });
    front = await startTestServer({
      args: [...trust, `--proxy-client-cert-file=${files.front}`, `--proxy-client-key-file=${files.frontKey}`],
    });
    const behind = httpsClient({ ...inner, ca: authority, token: inner.tokens.admin });
    const client = httpsClient({ ...front, token: front.tokens.admin });
    clients.push(behind, client);
    await define(behind);
    await register(client, "inner", "v1", inner.port, { caBundle: Buffer.from(authority).toString("base64") }, group);
    await untilReason(client, "v1", "Passed", group);

    const found = (await client.ask(`/apis/${group}/v1`)).json();
    assert.deepEqual(found.resources.map(({ name }: { readonly name: string }) => name), ["boats"]);
    const { chunks } = await client.stream(`${things}?watch=1`), events = documents(chunks)[Symbol.asyncIterator]();
    const boat = { apiVersion: `${group}/v1`, kind: "Boat", metadata: { name: "a" }, spec: { length: 3 } };
    const made = await client.ask(things, { method: "POST", body: boat });
    assert.equal(made.status, 201, made.text);
    const { value: event } = await events.next();
    assert.deepEqual([event.type, event.object.metadata.name], ["ADDED", "a"]);
    await events.return?.(undefined);
    const wrong = await client.ask(things, { method: "POST", body: { ...boat, metadata: { name: "b" }, spec: { length: 0 } } });
    assert.deepEqual([wrong.status, wrong.json().reason], [422, "Invalid"]);
    const applied = await client.ask(`${things}/a?fieldManager=me`, {
      method: "PATCH",
      headers: { "content-type": "application/apply-patch+yaml" },
      body: JSON.stringify({ ...boat, metadata: { name: "a", labels: { a: "b" } } }),
    });
    assert.deepEqual([applied.status, applied.json().metadata.labels], [200, { a: "b" }]);
    const table = await client.ask(things, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
    assert.equal(table.json().kind, "Table");
    assert.equal((await behind.ask(`${things}/a`)).status, 200, "the object is there");
    assert.equal((await client.ask(`${things}/a`, { method: "DELETE" })).status, 200);
    // Neither server gives this user rights.
    const refused = await client.ask(things, { headers: { authorization: `Bearer ${front.tokens.alice}` } });
    assert.deepEqual([refused.status, refused.json().reason], [403, "Forbidden"]);
    const info = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    await until(async () => {
      const { data = {} } = (await client.ask(info)).json();
      assert.equal(data["requestheader-username-headers"], '["X-Remote-User"]');
      assert.match(data["requestheader-client-ca-file"], /^-----BEGIN CERTIFICATE-----/);
    });
  } finally {
    for (const each of clients) each.close();
    await front?.close();
    await inner?.close();
    await rm(folder, { recursive: true });
  }
});
