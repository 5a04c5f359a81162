// The page at `/` for browsers: who may read it, and a real browser that shows it.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { definePlugin } from "../plugin.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { send, type SendOptions } from "./requests.ts";
import { ownRuntime, run, startCommand, startRealServer, startSkipped, until } from "./real-server.ts";
import { freePort } from "./ports.ts";

import { kubectlMissing, kubectls } from "./clients/kubectl.ts";

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const get = (server: TestServer, accept: string, user?: SendOptions["user"], path = "/") =>
  send(server, "GET", path, undefined, { accept, ...(user === undefined ? {} : { user }) });

test("the page is for browsers only; other clients get the index of paths", async () => {
  await using server = await openTestServer();
  const page = await get(server, browser);
  assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  assert.match(page.headers.get("content-security-policy")!, /^default-src 'none'; style-src 'sha256-/);
  const text = await page.text();
  assert.match(text, /<a href="\/api\/v1\/namespaces\?limit=50">Namespace<\/a>/);
  const row = (first: string, state: string) => new RegExp(`<td>${first}</td><td><span class="[a-z]+">${state}</span></td>`);
  // One with a work queue, one without.
  for (const name of ["clusterrole-aggregation", "root-ca-certificate-publisher"]) {
    await until(async () => assert.match(await (await get(server, browser)).text(), row(name, "running")));
  }
  assert.match(
    text,
    /<td>create<\/td><td class="number">[\d.]+<\/td><td class="number">[\d.]+ ms<\/td><td class="number">[\d.]+ m?s<\/td>/,
  );
  assert.doesNotMatch(text, /<script| on\w+=|https?:\/\//);
  for (const accept of ["application/json", "*/*", "", "application/json, text/html", "application/vnd.kubernetes.protobuf"]) {
    const index = await get(server, accept);
    assert.deepEqual([index.status, index.headers.get("content-type")], [200, "application/json"], accept);
  }
});

test("the page needs the right to read /metrics beside that to read /", async () => {
  await using server = await openTestServer();
  const reader = { name: "reader", groups: ["system:authenticated"] };
  const rules = (...nonResourceURLs: readonly string[]) => [{ nonResourceURLs, verbs: ["get"] }];
  const made = await server.api.create("rbac.authorization.k8s.io/v1", "clusterroles", "", {
    metadata: { name: "index" },
    rules: rules("/"),
  });
  await server.api.create("rbac.authorization.k8s.io/v1", "clusterrolebindings", "", {
    metadata: { name: "index" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "index" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }],
  });
  await until(async () => assert.equal((await get(server, "application/json", reader)).status, 200));
  const refused = await get(server, browser, reader);
  assert.deepEqual([refused.status, refused.headers.get("content-type")], [403, "text/html; charset=utf-8"]);
  assert.match(await refused.text(), /User &quot;reader&quot; cannot get path &quot;\/metrics&quot;/);
  await server.api.update("rbac.authorization.k8s.io/v1", "clusterroles", "", "index", { ...made, rules: rules("/", "/metrics") });
  await until(async () => assert.equal((await get(server, browser, reader)).status, 200));
  assert.equal((await get(server, browser, null)).status, 403);
});

test("a browser without a right, or with credentials that are not accepted, gets a page that says how to get one", async () => {
  await using server = await openTestServer();
  const stranger = await get(server, browser, null), page = await stranger.text();
  assert.deepEqual([stranger.status, stranger.headers.get("content-type")], [403, "text/html; charset=utf-8"]);
  assert.match(stranger.headers.get("content-security-policy")!, /^default-src 'none'; style-src 'sha256-/);
  assert.match(page, /system:anonymous[\s\S]*kubectl proxy --port=8001/);
  const refused = await send(server, "GET", "/", undefined, { accept: browser, headers: { authorization: "Bearer no" }, user: null });
  assert.deepEqual([refused.status, refused.headers.get("content-type")], [401, "text/html; charset=utf-8"]);
  // Other clients, and other paths, get the Status.
  for (
    const [accept, path] of [["application/json", "/"], ["*/*", "/"], ["", "/"], [browser, "/apis/none"], [browser, "/metrics"]] as const
  ) {
    const reply = await get(server, accept, null, path);
    assert.deepEqual([reply.status, reply.headers.get("content-type")], [403, "application/json"], `${accept} ${path}`);
    assert.equal((await reply.json() as { kind: string }).kind, "Status");
  }
});

test("the page shows why the server is not ready, each reason to those who may read that check", async () => {
  const broken = definePlugin({
    name: "broken",
    summary: "A check that fails.",
    healthChecks: [{ name: "disk", endpoints: ["readyz"], check: () => Promise.reject(new Error("the disk is <full>")) }],
  });
  await using server = await openTestServer({ plugins: [broken] });
  assert.match(
    await (await get(server, browser)).text(),
    /<b class="bad">not ready<\/b>[\s\S]*<b class="bad">disk<\/b><\/td><td>the disk is &lt;full&gt;</,
  );
  const reader = { name: "reader", groups: ["system:authenticated"] };
  await server.api.create("rbac.authorization.k8s.io/v1", "clusterroles", "", {
    metadata: { name: "page" },
    rules: [{ nonResourceURLs: ["/", "/metrics"], verbs: ["get"] }],
  });
  await server.api.create("rbac.authorization.k8s.io/v1", "clusterrolebindings", "", {
    metadata: { name: "page" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "page" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }],
  });
  await until(async () => {
    const page = await (await get(server, browser, reader)).text();
    assert.match(page, /the reason needs the right to get \/readyz\/disk/);
    assert.doesNotMatch(page, /the disk is/);
  });
});

const chromium = await run("chromium", ["--version"]).then(({ code }) => code === 0, () => false);

test("Chromium shows the page behind kubectl proxy without violating its policy", {
  skip: startSkipped(ownRuntime) || kubectlMissing() || !chromium && "no chromium on PATH (Debian's package chromium has it)",
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-browser-"));
  const server = await startRealServer({ runtime: ownRuntime, args: [] });
  const port = await freePort();
  const proxy = await startCommand([kubectls()[0]!, "proxy", `--port=${port}`], { env: { ...process.env, KUBECONFIG: server.kubeconfig } });
  try {
    await until(() => assert.match(proxy.output(), /Starting to serve/));
    const flags = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--enable-logging=stderr",
      `--user-data-dir=${folder}`,
    ];
    const { code, output, errors } = await run("chromium", [...flags, "--dump-dom", `http://127.0.0.1:${port}/?refresh=0`]);
    assert.equal(code, 0, errors);
    assert.match(output, /<b class="good">ready<\/b>/);
    assert.match(output, /Namespace<\/a>/);
    assert.doesNotMatch(errors, /CONSOLE|Content Security Policy/);
  } finally {
    proxy.signal("SIGTERM");
    await proxy.exited;
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
