// etcd does not respond, cannot be reached, or rejects requests: the log has its address and the cause once, and so has /readyz.
import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { etcdFlags, makeCertificates } from "../store/certificates.ts";
import { startProxy } from "../store/proxy.ts";
import { etcdGateway, etcdMissing, startEtcd } from "../etcd.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { freePort } from "../ports.ts";
import { programWords, run, signal, startSkipped, until } from "../real-server.ts";

const skip = etcdMissing();
const configMaps = "/api/v1/namespaces/default/configmaps";
const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;

function lines(server: TestServer, part: string): readonly { readonly message: string; readonly todo?: string }[] {
  return server.logged.map((line) => JSON.parse(line)).filter(({ message }) => message.includes(part));
}

/** Asserts one line at the start of the fault, with the reason that /readyz and a metric show, and one line at its end. */
async function assertTold(
  { server, client, address, cause }: { server: TestServer; client: Client; address: string; cause: RegExp },
  begin: () => unknown,
  end: () => unknown,
): Promise<void> {
  const from = server.logged.length;
  const told = (part: string) => lines(server, part).length;
  const before = told(`etcd at ${address} unreachable`), back = told(`etcd at ${address} is back`);
  await begin();
  await until(async () => {
    const ready = await client.ask("/readyz/etcd-readiness");
    assert.equal(ready.status, 500);
    assert.match(ready.text, new RegExp(`etcd at ${address} unreachable since ${time}: `));
    assert.match(ready.text, cause);
  });
  const mine = lines(server, `etcd at ${address} unreachable`);
  assert.equal(mine.length, before + 1, JSON.stringify(mine));
  assert.match(mine.at(-1)!.message, cause);
  assert.match(mine.at(-1)!.todo ?? "", /docs\/operators-guide\.md#etcd-is-unreachable/);
  assert.match((await client.ask("/metrics")).text, /^thole_store_trouble\{cause="unreachable"\} 1$/m);
  const messages = server.logged.slice(from).map((line) => JSON.parse(line).message as string);
  const first = (part: string) => messages.findIndex((message) => message.includes(part));
  const lease = first("the lease of the controllers cannot be renewed");
  assert.ok(lease < 0 || lease > first("unreachable since"), messages.join("\n"));
  await end();
  await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
  await until(() => assert.equal(told(`etcd at ${address} is back after `), back + 1));
  assert.match((await client.ask("/metrics")).text, /^thole_store_trouble\{cause="unreachable"\} 0$/m);
}

/** Asserts that a read that waits for a silent etcd until its time is over is told so. */
async function assertTimeoutNamesStore(client: Client, address: string): Promise<void> {
  // A call of another request that the read shares may fail first.
  const { message, details: { causes } } = await until(async () => {
    const { status, text } = await client.ask(`${configMaps}?timeout=100ms`);
    const failure = JSON.parse(text);
    assert.deepEqual([status, failure.reason], [504, "Timeout"], text);
    return failure;
  });
  const { reason, message: cause } = causes[0];
  assert.deepEqual([causes.length, reason], [1, "StoreUnavailable"]);
  assert.match(cause, new RegExp(`^etcd at ${address} unreachable since ${time}: no answer for \\d+ s$`));
  assert.equal(message, `Timeout: request did not complete within requested timeout - context deadline exceeded; ${cause}`);
}

/** Asserts what is answered from memory while etcd is unreachable, and that each refusal names the store and its trouble. */
async function assertReadsGoOn(client: Client): Promise<void> {
  const asked = (path: string) => client.ask(path);
  for (const path of [`${configMaps}/kept?resourceVersion=0`, `${configMaps}?resourceVersion=0`]) {
    const { status, text } = await asked(path);
    assert.deepEqual([status, text.includes('"kept"')], [200, true], `${path}: ${text}`);
  }
  const watched = await asked(`${configMaps}?watch=true&resourceVersion=0&timeoutSeconds=1`);
  assert.deepEqual([watched.status, watched.text.includes('"ADDED"')], [200, true], watched.text);
  const refusals = [
    await asked(`${configMaps}/kept`),
    await asked(configMaps),
    await client.ask(configMaps, { method: "POST", body: { metadata: { name: "new" } } }),
    await client.ask(`${configMaps}/kept`, { method: "DELETE" }),
  ];
  for (const { status, text } of refusals) {
    assert.equal(status, 500, text);
    const { reason, message, details } = JSON.parse(text);
    assert.equal(reason, "ServerTimeout");
    assert.match(message, /could not be completed at this time, please try again\. etcd is unavailable: .*(ECONNREFUSED|refused)/);
    const [{ reason: why, message: cause }] = details.causes;
    assert.deepEqual([why, message.endsWith(cause), details.retryAfterSeconds], ["StoreUnavailable", true, 2]);
  }
  assert.equal((await asked("/livez?exclude=etcd")).status, 200, "the chart's liveness probe");
  assert.equal((await asked("/livez")).status, 500);
}

test(
  "an etcd that is silent, refuses or breaks connections, or is frozen is logged once with the cause, and again when it recovers",
  { skip },
  async () => {
    const etcd = await startEtcd();
    const proxy = await startProxy(etcd.endpoint);
    const server = await startTestServer({ args: [`--etcd-servers=${proxy.endpoint}`] });
    const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
    const place = { server, client, address: proxy.endpoint };
    try {
      await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
      await assertTold({ ...place, cause: /: no answer for \d/ }, () => proxy.hold(), async () => {
        await assertTimeoutNamesStore(client, proxy.endpoint);
        proxy.cut(); // Existing connections stay silent.
        await proxy.restore();
      });
      const kept = await client.ask(configMaps, { method: "POST", body: { metadata: { name: "kept" } } });
      assert.equal(kept.status, 201, kept.text);
      // A read at 0 is as old as the cache.
      await until(async () => assert.equal((await client.ask(`${configMaps}/kept?resourceVersion=0`)).status, 200));
      await assertTold({ ...place, cause: /ECONNREFUSED|refused/ }, () => proxy.refuse(), async () => {
        await assertReadsGoOn(client);
        await proxy.restore();
      });
      await assertTold({ ...place, cause: /closed|ECONNRESET|EPIPE|reset/ }, () => proxy.cut(), () => proxy.restore());
      await assertTold({ ...place, cause: /: no answer for \d/ }, () => signal(etcd.pid, "SIGSTOP"), () => signal(etcd.pid, "SIGCONT"));
      assert.equal((await client.ask("/livez")).status, 200);
    } finally {
      client.close();
      signal(etcd.pid, "SIGCONT");
      await server.close();
      await proxy.close();
      await etcd.stop();
    }
  },
);

test("of several members the unavailable one is logged, and the server stays ready", { skip }, async () => {
  const etcd = await startEtcd();
  const [gone, there] = [await startProxy(etcd.endpoint), await startProxy(etcd.endpoint)];
  const server = await startTestServer({ args: [`--etcd-servers=${gone.endpoint},${there.endpoint}`] });
  const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  const text = async () => (await client.ask("/metrics")).text;
  try {
    await gone.refuse();
    await until(() => assert.equal(lines(server, `etcd at ${gone.endpoint} unreachable since`).length, 1));
    await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
    assert.match(await text(), /^thole_store_trouble\{cause="member"\} 1$/m);
    assert.match(await text(), /^thole_store_trouble\{cause="unreachable"\} 0$/m);
    await there.refuse();
    const all = `etcd at ${gone.endpoint}, ${there.endpoint}`;
    await until(async () => assert.match((await client.ask("/readyz/etcd-readiness")).text, new RegExp(`${all} unreachable since`)));
    assert.match(await text(), /^thole_store_trouble\{cause="unreachable"\} 1$/m);
    await gone.restore();
    await there.restore();
    await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
    await until(() => assert.equal(lines(server, `${all} is back after`).length, 1));
    assert.equal(lines(server, `${all} unreachable`).length, 1);
  } finally {
    client.close();
    await server.close();
    await gone.close();
    await there.close();
    await etcd.stop();
  }
});

/** The output of a program that cannot start. */
async function startFailure(runtime: "deno" | "node", args: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "thole-etcd-start-"));
  try {
    const [command, ...words] = programWords(runtime, [`--data-dir=${join(folder, "data")}`, "--secure-port=0", ...args], folder);
    const ran = await run(command, words, { cwd: folder });
    assert.equal(ran.code, 1, ran.output + ran.errors);
    return ran.errors;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const runtime of ["deno", "node"] as const) {
  test(`${runtime}: a start without etcd reports its address and the cause`, { skip: skip || startSkipped(runtime) }, async (t) => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const said = await startFailure(runtime, [`--etcd-servers=${nobody}`]);
    assert.match(said, new RegExp(`"etcd at ${nobody} unreachable since ${time}: .*(ECONNREFUSED|refused)`));
    assert.match(said, new RegExp(`thole: cannot start: Cannot reach etcd at ${nobody}: .*docs/operators-guide.md#etcd-is-unreachable`));
    const folder = await mkdtemp(join(tmpdir(), "thole-etcd-tls-"));
    try {
      await mkdir(join(folder, "other"));
      const made = await makeCertificates(folder), other = await makeCertificates(join(folder, "other"));
      if (made === undefined || other === undefined) return t.skip("no openssl on PATH to make certificates with");
      const etcd = await startEtcd({ flags: etcdFlags(made) });
      try {
        const wrong = await startFailure(runtime, [`--etcd-servers=${etcd.endpoint}`, `--etcd-cafile=${other.ca.certFile}`]);
        assert.match(
          wrong,
          new RegExp(`"etcd at ${etcd.endpoint} unreachable since ${time}: .*(certificate|UnknownIssuer|signature)`, "i"),
        );
        const bare = await startFailure(runtime, [`--etcd-servers=${etcd.endpoint}`, `--etcd-cafile=${made.ca.certFile}`]);
        assert.match(
          bare,
          new RegExp(
            `"etcd at ${etcd.endpoint} unreachable since ${time}: .*(certificate|alert|CertificateRequired|reset|closed|EPIPE)`,
            "i",
          ),
        );
      } finally {
        await etcd.stop();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

test("an etcd with a certificate of another CA than before is logged while the server runs", { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "thole-etcd-tls-"));
  try {
    await mkdir(join(folder, "other"));
    const made = await makeCertificates(folder), other = await makeCertificates(join(folder, "other"));
    if (made === undefined || other === undefined) return t.skip("no openssl on PATH to make certificates with");
    const kept = { cert: join(folder, "kept.crt"), key: join(folder, "kept.key") };
    await copyFile(made.server.certFile, kept.cert);
    await copyFile(made.server.keyFile, kept.key);
    const etcd = await startEtcd({ flags: [`--cert-file=${made.server.certFile}`, `--key-file=${made.server.keyFile}`] });
    const server = await startTestServer({ args: [`--etcd-servers=${etcd.endpoint}`, `--etcd-cafile=${made.ca.certFile}`] });
    const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
    const show = async (cert: string, key: string) => {
      await etcd.kill();
      await copyFile(cert, made.server.certFile);
      await copyFile(key, made.server.keyFile);
      await etcd.restart();
    };
    try {
      await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
      await assertTold(
        { server, client, address: etcd.endpoint, cause: /unreachable since/ },
        () => show(other.server.certFile, other.server.keyFile),
        () => show(kept.cert, kept.key),
      );
    } finally {
      client.close();
      await server.close();
      await etcd.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("an etcd that requires users is logged once with its error, and when the fault ends", { skip }, async () => {
  const etcd = await startEtcd();
  const server = await startTestServer({ args: [`--etcd-servers=${etcd.endpoint}`] });
  const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  try {
    await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
    await etcdGateway(etcd.endpoint, "auth/role/add", { name: "root" });
    await etcdGateway(etcd.endpoint, "auth/user/add", { name: "root", password: "root" });
    await etcdGateway(etcd.endpoint, "auth/user/grant", { user: "root", role: "root" });
    await etcdGateway(etcd.endpoint, "auth/enable");
    const refused = `etcd at ${etcd.endpoint} refuses reads since`;
    await until(async () =>
      assert.match((await client.ask("/readyz/etcd-readiness")).text, new RegExp(`${refused} ${time}: .*user name is empty`))
    );
    assert.match((await client.ask("/metrics")).text, /^thole_store_trouble\{cause="refused"\} 1$/m);
    const { token } = await etcdGateway(etcd.endpoint, "auth/authenticate", { name: "root", password: "root" }) as { token: string };
    const disabled = await fetch(`${etcd.endpoint}/v3/auth/disable`, { method: "POST", body: "{}", headers: { authorization: token } });
    assert.equal(disabled.status, 200, await disabled.text());
    await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
    await until(() => assert.equal(lines(server, `etcd at ${etcd.endpoint} takes reads again after`).length, 1));
    assert.equal(lines(server, refused).length, 1);
  } finally {
    client.close();
    await server.close();
    await etcd.stop();
  }
});

test("a full etcd rejects writes: its error is logged, the server stays ready, and the end is logged", { skip }, async () => {
  const etcd = await startEtcd({ flags: [`--quota-backend-bytes=${2 * 1024 * 1024}`] });
  const server = await startTestServer({ args: [`--etcd-servers=${etcd.endpoint}`] });
  const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  const create = async (bytes: number) => {
    const body = { metadata: { generateName: "a-" }, data: { filler: "x".repeat(bytes) } };
    return (await client.ask("/api/v1/namespaces/default/configmaps", { method: "POST", body })).status;
  };
  try {
    await until(async () => assert.equal((await client.ask("/readyz")).status, 200)); // The default roles take space.
    await until(async () => assert.equal(await create(500_000), 500));
    await until(() => assert.equal(lines(server, `etcd at ${etcd.endpoint} takes no writes since`).length, 1));
    const [line] = lines(server, "takes no writes");
    assert.match(line!.message, /database space exceeded/);
    assert.match(line!.todo ?? "", /docs\/operators-guide\.md#etcd-is-full/);
    assert.equal((await client.ask("/readyz")).status, 200, "reads go on");
    assert.match((await client.ask("/metrics")).text, /^thole_store_trouble\{cause="full"\} 1$/m);
    await client.ask("/api/v1/namespaces/default/configmaps", { method: "DELETE" });
    const status = await etcdGateway(etcd.endpoint, "maintenance/status") as { header: { revision: string } };
    await etcdGateway(etcd.endpoint, "kv/compaction", { revision: status.header.revision, physical: true });
    await etcdGateway(etcd.endpoint, "maintenance/defragment");
    const { alarms } = await etcdGateway(etcd.endpoint, "maintenance/alarm", { action: "GET" }) as { alarms: readonly object[] };
    for (const alarm of alarms) await etcdGateway(etcd.endpoint, "maintenance/alarm", { ...alarm, action: "DEACTIVATE" });
    await until(async () => assert.equal(await create(10), 201));
    await until(() => assert.equal(lines(server, `etcd at ${etcd.endpoint} takes writes again after`).length, 1));
  } finally {
    client.close();
    await server.close();
    await etcd.stop();
  }
});
