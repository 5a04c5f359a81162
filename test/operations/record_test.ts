// `thole record` in front of a server, with clients over HTTP/1.1 and HTTP/2: the recording has no secrets, and a test server replays it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run as runRecord } from "../../commands/record.ts";
import { openTestServer } from "../../testing.ts";
import { readRecording } from "../../testing/recording/read-recording.ts";
import { http2Client } from "../http2.ts";
import { type Client, documents, httpsClient, type Place } from "../https.ts";
import { type Runtime, runtimePath, startCommand, startRealServer, startSkipped, until } from "../real-server.ts";

const namespace = "/api/v1/namespaces/default", main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));

function words(runtime: Runtime, ...args: readonly string[]): [string, ...string[]] {
  const flags = runtime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
  return [runtimePath(runtime), ...flags, main, ...args];
}

/** A client with the certificate of a kubeconfig. */
function clientOf(kubeconfig: string, open: (place: Place) => Client = httpsClient): Client {
  const member = (name: string) => atob(new RegExp(`${name}: "?([A-Za-z0-9+/=]+)`).exec(kubeconfig)?.[1] ?? "");
  const port = Number(/server: "?https:\/\/127\.0\.0\.1:(\d+)/.exec(kubeconfig)?.[1]);
  const identity = { cert: member("client-certificate-data"), key: member("client-key-data") };
  return open({ port, ca: member("certificate-authority-data"), identity });
}

/** What a client does, with secrets of all kinds. */
async function session(client: Client): Promise<readonly string[]> {
  const watch = await client.stream(`${namespace}/configmaps?watch=1&fieldSelector=metadata.name=a`), seen: string[] = [];
  const made = await client.ask(`${namespace}/configmaps`, { method: "POST", body: { metadata: { name: "a" }, data: { n: "1" } } });
  assert.equal(made.status, 201, made.text);
  for await (const { type } of documents(watch.chunks)) {
    seen.push(type); // it arrives while the watch is open: nothing is buffered
    break;
  }
  assert.deepEqual(seen, ["ADDED"]);
  const body = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { p: btoa("hunter-two") } };
  assert.equal((await client.ask(`${namespace}/secrets`, { method: "POST", body })).status, 201);
  assert.equal((await client.ask(`${namespace}/secrets/s`, { headers: { "accept-encoding": "gzip" } })).status, 200);
  const token = await client.ask(`${namespace}/serviceaccounts/default/token`, { method: "POST", body: { spec: {} } });
  assert.equal(token.status, 201, token.text);
  const patched = await client.ask(`${namespace}/configmaps/a?fieldManager=me`, {
    method: "PATCH",
    headers: { "content-type": "application/apply-patch+yaml" },
    body: { apiVersion: "v1", kind: "ConfigMap", data: { m: "2" } },
  });
  assert.equal(patched.status, 200, patched.text);
  assert.equal((await client.ask(`${namespace}/configmaps/none`)).status, 404);
  const headers = {
    connection: "upgrade",
    upgrade: "websocket",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "sec-websocket-version": "13",
  };
  const upgrade = await client.ask(`${namespace}/pods/p/exec?command=ls&stdout=true`, { headers });
  assert.equal(upgrade.status, 405);
  assert.match(upgrade.text, /passes no exec/);
  assert.equal((await client.ask(`${namespace}/configmaps/a`, { method: "DELETE" })).status, 200);
  return ["hunter-two", btoa("hunter-two"), token.json().status.token];
}

for (const runtime of ["deno", "node"] as const) {
  test(
    `thole record on ${runtime} records a session without its secrets, and another server replays it`,
    { skip: startSkipped(runtime) },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "thole-record-test-")), home = join(folder, "home"), to = join(home, "recording.yaml");
      const temporary = join(folder, "tmp");
      for (const each of [home, temporary]) await mkdir(each);
      const server = await startRealServer({ runtime });
      try {
        const command = words(runtime, "record", `--to=${to}`, `--kubeconfig=${server.kubeconfig}`);
        const proxy = await startCommand(command, { cwd: folder, env: { ...process.env, TMPDIR: temporary } });
        const path = await until(() => /^export KUBECONFIG=(.+)$/m.exec(proxy.output())?.[1] ?? assert.fail(proxy.errors()));
        const kubeconfig = await readFile(path, "utf8"), client = clientOf(kubeconfig);
        const secrets = [...await session(client), server.token];
        client.close();
        const second = clientOf(kubeconfig, http2Client);
        assert.equal((await second.ask(`${namespace}/configmaps/over-http2`)).status, 404);
        second.close();
        const [, port] = /:(\d+)$/m.exec(proxy.output())!,
          stranger = httpsClient({ port: Number(port), ca: clientCa(kubeconfig), token: server.token });
        assert.equal((await stranger.ask("/api")).status, 401);
        stranger.close();
        // Nowhere to write: what was recorded is kept until there is.
        for (const each of [home, temporary]) await rename(each, `${each}-moved`);
        proxy.signal("SIGINT");
        await until(() => assert.match(proxy.errors(), /keeps the recording in memory: make room, and send a signal/));
        for (const each of [home, temporary]) await rename(`${each}-moved`, each);
        proxy.signal("SIGTERM");
        assert.equal(await proxy.exited, 0, proxy.errors());
        assert.deepEqual([await readdir(home), await readdir(temporary)], [["recording.yaml"], []], "the kubeconfig is removed");
        const text = await readFile(to, "utf8"), requests = readRecording(text);
        for (const secret of secrets) assert.ok(!text.includes(secret), secret);
        assert.ok(!/authorization|Bearer|PRIVATE KEY/i.test(text));
        const shown = requests.map(({ verb, status }) => `${verb} ${status}`);
        assert.deepEqual(shown, [
          "watch 200",
          "create 201",
          "create 201",
          "get 200",
          "create 201",
          "patch 200",
          "get 404",
          "delete 200",
          "get 404",
        ]);
        await using other = await openTestServer();
        const report = await other.replay({ path: to });
        assert.deepEqual(report.differences, [], report.text());
        assert.deepEqual([report.sent, report.skipped.length], [9, 0]);
        const again = runRecord([`--to=${to}`, `--kubeconfig=${server.kubeconfig}`]);
        await assert.rejects(again, /exists, and is not overwritten/);
      } finally {
        await server.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
}

for (const runtime of ["deno", "node"] as const) {
  test(`thole record on ${runtime} leaves nothing if a signal ends its first request`, { skip: startSkipped(runtime) }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "thole-record-test-")), silent = createServer();
    try {
      await once(silent.listen(0, "127.0.0.1"), "listening");
      const kubeconfig = join(folder, "kubeconfig"), { port } = silent.address() as AddressInfo, asked = once(silent, "connection");
      const clusters = `[{name: a, cluster: {server: "http://127.0.0.1:${port}"}}]`,
        contexts = "[{name: a, context: {cluster: a, user: a}}]";
      await writeFile(kubeconfig, `{clusters: ${clusters}, contexts: ${contexts}, users: [{name: a, user: {}}], current-context: a}`);
      const env = { ...process.env, TMPDIR: folder };
      const program = await startCommand(words(runtime, "record", "--to=a.yaml", `--kubeconfig=${kubeconfig}`), { cwd: folder, env });
      await Promise.race([asked, program.exited]);
      program.signal("SIGINT");
      assert.equal(await program.exited, 1, program.errors());
      assert.match(program.errors(), /ended before it recorded anything: there is no recording/);
      assert.deepEqual(await readdir(folder), ["kubeconfig"]);
    } finally {
      silent.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
}

function clientCa(kubeconfig: string): string {
  return atob(/certificate-authority-data: "?([A-Za-z0-9+/=]+)/.exec(kubeconfig)?.[1] ?? "");
}
