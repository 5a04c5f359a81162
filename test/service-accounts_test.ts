// Tokens of service accounts from a client's view: their acceptance, its end, and the logged and returned data.
// In Deno's suite only: which tokens are accepted does not depend on the runtime; signatures are tested beside the code on both.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Exchange } from "../kernel/request/exchange.ts";
import { handle } from "../kernel/handle.ts";
import { startHeavyThread } from "../server/heavy/thread.ts";
import { withDefaults } from "../server/config/parse.ts";
import { silentLog } from "../kernel/observe/log.ts";
import { openServer } from "../server/startup/open-server.ts";
import { plugins } from "../plugins/mod.ts";
import { issueToken, legacyToken, makeAccount, reviewOf, rsaPair, signedWith } from "./flags/issuing.ts";
import { inFolder, type Served, served } from "./flags/served.ts";
import { until } from "./real-server.ts";
import { stores } from "./stores.ts";
import { inlineBodyBytesMax } from "../kernel/request-context.ts";
import { headerBytesMax } from "../kernel/access/authentication/token-chain.ts";

const core = "/api/v1/namespaces/default", accounts = `${core}/serviceaccounts`, secrets = `${core}/secrets`;
const robot = "system:serviceaccount:default:robot";

/** 200 for an authenticated user with any rights, and 401 for a rejected token. */
async function statusWith({ client }: Served, token: string): Promise<number> {
  const { status } = await client.ask("/api", { headers: { authorization: `Bearer ${token}` } });
  return status === 403 ? 200 : status;
}
async function remove({ client }: Served, path: string): Promise<void> {
  assert.equal((await client.ask(path, { method: "DELETE" })).status, 200);
}

for (const { store, on, skip } of stores) {
  test(
    `a token is rejected from the response on that confirms the deletion of its account or its Secret, on ${store}`,
    { skip },
    () =>
      on(async (_open, args) => {
        await served(args, async (server) => {
          for (let times = 0; times < 10; times++) {
            await makeAccount(server);
            assert.equal((await server.client.ask(secrets, { method: "POST", body: { metadata: { name: "anchor" } } })).status, 201);
            const { token } = await issueToken(server);
            const bound = (await issueToken(server, { boundObjectRef: { kind: "Secret", name: "anchor" } })).token;
            const legacy = await legacyToken(server);
            for (const each of [token, bound, legacy]) assert.equal(await statusWith(server, each), 200);
            await remove(server, `${secrets}/anchor`);
            assert.deepEqual([await statusWith(server, bound), await statusWith(server, token)], [401, 200]);
            await remove(server, `${secrets}/legacy`);
            assert.deepEqual([await statusWith(server, legacy), await statusWith(server, token)], [401, 200]);
            await remove(server, `${accounts}/robot`);
            assert.equal(await statusWith(server, token), 401);
            await makeAccount(server);
            assert.equal(await statusWith(server, token), 401, "another account of that name");
            await remove(server, `${accounts}/robot`);
          }
        });
      }),
  );
}

test(
  "servers on one etcd with one key accept each other's tokens, and apply each other's deletions",
  { skip: stores[1]!.skip },
  () =>
    stores[1]!.on((_open, args) =>
      inFolder(async (folder) => {
        const file = join(folder, "signing.pem");
        await writeFile(file, rsaPair().privateKey);
        const flags = [...args, `--service-account-signing-key-file=${file}`];
        await served(flags, (one) =>
          served(flags, async (other) => {
            await makeAccount(one);
            const { token } = await issueToken(one);
            assert.equal(await statusWith(other, token), 200);
            await remove(other, `${accounts}/robot`);
            assert.equal(await statusWith(other, token), 401);
            await until(async () => assert.equal(await statusWith(one, token), 401));
          }));
        await served(args, async (alone) => {
          await makeAccount(alone);
          const { token } = await issueToken(alone);
          assert.ok(alone.logged.some((line) => line.includes("signed with this server's own key, which other servers")));
          await served(flags, async (stranger) => assert.equal(await statusWith(stranger, token), 401));
        });
      })
    ),
);

test("a key is replaced while the server runs: the old one verifies while it is listed, and not afterwards", () =>
  inFolder(async (folder) => {
    const signing = join(folder, "signing.pem"), others = join(folder, "others.pem"), [old, next] = [rsaPair(), rsaPair()];
    await writeFile(signing, old.privateKey);
    await writeFile(others, next.publicKey);
    await served([`--service-account-signing-key-file=${signing}`, `--service-account-key-file=${others}`], async (server) => {
      await makeAccount(server);
      const before = await issueToken(server);
      await writeFile(others, old.publicKey);
      await writeFile(signing, next.privateKey);
      await server.running.reload();
      const after = await issueToken(server);
      assert.notEqual(after.header["kid"], before.header["kid"]);
      assert.deepEqual([await statusWith(server, before.token), await statusWith(server, after.token)], [200, 200]);
      const published = (await server.client.ask("/openid/v1/jwks", { headers: { accept: "*/*" } })).json().keys;
      assert.deepEqual(published.map((key: { readonly kid: string }) => key.kid), [after.header["kid"], before.header["kid"]]);
      await writeFile(others, next.publicKey);
      await server.running.reload();
      assert.deepEqual([await statusWith(server, before.token), await statusWith(server, after.token)], [401, 200]);
      await writeFile(signing, "nothing");
      await server.running.reload();
      assert.equal(await statusWith(server, (await issueToken(server)).token), 200, "a broken file changes nothing");
    });
  }));

test("uses of legacy tokens are counted, and recorded on their Secrets once a day", () =>
  served([], async (server) => {
    await makeAccount(server);
    const token = await legacyToken(server), count = (name: string) => counted(server, name);
    for (let times = 0; times < 3; times++) assert.equal(await reviewOf(server, token), robot);
    assert.deepEqual([await count("serviceaccount_legacy_tokens_total"), await count("serviceaccount_legacy_manual_token_uses_total")], [
      3,
      3,
    ]);
    const label = "kubernetes.io/legacy-token-last-used";
    const labels = async () => (await server.client.ask(`${secrets}/legacy`)).json().metadata.labels ?? {};
    await until(async () => assert.match((await labels())[label] ?? "", /^\d{4}-\d\d-\d\d$/));
    const headers = { "content-type": "application/merge-patch+json" };
    await server.client.ask(`${accounts}/robot`, { method: "PATCH", headers, body: { secrets: [{ name: "legacy" }] } });
    await reviewOf(server, token);
    assert.equal(await count("serviceaccount_legacy_auto_token_uses_total"), 1);
    const marked = { metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" } } };
    await server.client.ask(`${secrets}/legacy`, { method: "PATCH", headers, body: marked });
    assert.match(await reviewOf(server, token), /has been marked invalid/);
    assert.equal(await count("serviceaccount_invalid_legacy_auto_token_uses_total"), 1);
  }));

test("uses of extended tokens are counted as valid, and as stale after the time at which they should have been replaced", () =>
  inFolder(async (folder) => {
    const file = join(folder, "signing.pem"), { privateKey } = rsaPair();
    await writeFile(file, privateKey);
    await served([`--service-account-signing-key-file=${file}`], async (server) => {
      const uid = await makeAccount(server), now = Math.floor(Date.now() / 1000);
      for (const warnafter of [now + 600, now - 600, now - 600]) {
        assert.equal(await reviewOf(server, await signedWith(privateKey, uid, { warnafter })), robot);
      }
      assert.deepEqual([
        await counted(server, "serviceaccount_valid_tokens_total"),
        await counted(server, "serviceaccount_stale_tokens_total"),
      ], [1, 2]);
    });
  }));

async function counted({ client }: Served, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec((await client.ask("/metrics")).text)?.[1]);
}

test("the audit event of a TokenRequest has the id of the token, and so have the events of its requests", () =>
  inFolder(async (folder) => {
    const policy = join(folder, "policy.json"), log = join(folder, "audit.log");
    await writeFile(
      policy,
      '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}],"omitStages":["RequestReceived"]}',
    );
    let issued: Awaited<ReturnType<typeof issueToken>> | undefined;
    await served([`--audit-policy-file=${policy}`, `--audit-log-path=${log}`], async (server) => {
      await makeAccount(server);
      issued = await issueToken(server);
      await statusWith(server, issued.token);
    });
    const text = await readFile(log, "utf8"), { claims, token } = issued!;
    const events = text.trim().split("\n").map((line) => JSON.parse(line));
    const made = events.find(({ objectRef }) => objectRef?.subresource === "token");
    assert.equal(made.annotations["authentication.kubernetes.io/issued-credential-id"], `JTI=${claims["jti"]}`);
    const used = events.find(({ user }) => user.username === robot);
    assert.deepEqual(used.user.extra["authentication.kubernetes.io/credential-id"], [`JTI=${claims["jti"]}`]);
    for (const part of token.split(".")) assert.ok(!text.includes(part));
  }));

test("no log line, metric or error contains a token, a part of one, or a key", () =>
  inFolder(async (folder) => {
    const signing = join(folder, "signing.pem"), { privateKey } = rsaPair();
    await writeFile(signing, privateKey);
    await served(["--v=10", "--slow-request-threshold=1ms", `--service-account-signing-key-file=${signing}`], async (server) => {
      await makeAccount(server);
      const { token } = await issueToken(server), legacy = await legacyToken(server);
      const [head = "", body = "", signature = ""] = token.split(".");
      const bad = [
        `${token}x`,
        `${head}.${body}.${signature.slice(0, -8)}`,
        `x${token}`,
        `${head}.${body}`,
        `${body}.${head}.${signature}`,
      ];
      const answers: string[] = [];
      for (const each of [token, legacy, ...bad]) {
        answers.push((await server.client.ask("/api/v1/secrets", { headers: { authorization: `Bearer ${each}` } })).text);
        answers.push(await reviewOf(server, each), await reviewOf(server, each, ["elsewhere"]));
      }
      await remove(server, `${secrets}/legacy`);
      await remove(server, `${accounts}/robot`);
      for (const each of [token, legacy]) answers.push(await reviewOf(server, each));
      const shown = [...answers, ...server.logged, (await server.client.ask("/metrics")).text].join("\n");
      assert.ok(server.logged.length > 20, "requests are logged");
      for (const part of [...token.split("."), ...legacy.split(".")]) assert.ok(!shown.includes(part.slice(0, 30)), part.slice(0, 12));
      for (const line of privateKey.split("\n").slice(1, -2)) assert.ok(!shown.includes(line), "a line of the key");
    });
  }));

test("a TokenRequest with a large body is answered by the heavy thread, and refused for audiences that make no usable token", async () => {
  const config = withDefaults({ "data-dir": ":memory:" });
  const opened = await openServer({ config, plugins, log: silentLog, startHeavy: startHeavyThread });
  await opened.bootstrapped;
  const { server } = opened;
  const open = {
    ...server,
    catalog: server.catalog,
    requestTimeoutMs: server.requestTimeoutMs,
    authenticate: () => Promise.resolve({ name: "admin", groups: ["system:masters"] }),
  };
  const post = async (url: string, body: unknown) => {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const exchange: Exchange = {
      method: "POST",
      url,
      headers: { "content-type": "application/json", "user-agent": "test" },
      body: () => Promise.resolve(bytes),
      peer: undefined,
      remote: "",
      protocol: "HTTP/1.1",
      signal: new AbortController().signal,
    };
    const reply = await handle(exchange, open);
    const text = new Response(reply.body as BodyInit).text();
    return { status: reply.status, body: JSON.parse(await text) };
  };
  try {
    assert.equal((await post(accounts, { metadata: { name: "robot" } })).status, 201);
    const metadata = { annotations: { a: "x".repeat(inlineBodyBytesMax) } };
    const { status, body } = await post(`${accounts}/robot/token`, { metadata, spec: { audiences: ["https://a.example.com"] } });
    assert.equal(status, 201, JSON.stringify(body).slice(0, 200));
    const review = async (token: string) => {
      const spec = { token, audiences: ["https://a.example.com"] };
      return (await post("/apis/authentication.k8s.io/v1/tokenreviews", { metadata, spec })).body.status;
    };
    assert.deepEqual((await review(body.status.token)).audiences, ["https://a.example.com"]);
    assert.equal((await review(`${body.status.token.slice(0, -9)}AAAAAAAAA`)).authenticated, undefined);
    assert.equal((await review("x".repeat(headerBytesMax + 1))).error, "invalid bearer token");
    const audiences = Array.from({ length: 20_000 }, (_, at) => `https://audience-${at}.example.com`);
    const many = await post(`${accounts}/robot/token`, { spec: { audiences } });
    assert.deepEqual([many.status, many.body.details.causes[0].field], [422, "spec.audiences"]);
    assert.equal((await post(`${accounts}/none/token`, { metadata, spec: {} })).status, 404);
  } finally {
    await opened.close();
  }
});
