// Credentials for webhooks: the user of a kubeconfig for a server, and what the server receives.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";
import { issue } from "../listen/testing/clients.ts";
import { admissionWebhooks } from "./admission-webhooks.ts";
import { filesOfUsers } from "../../client/kubeconfig.ts";
import { credentialsIn, userFor } from "./webhook-credentials.ts";

test("userFor() prefers the exact name, then longer domains, then names without port 443, then the star, then the context", () => {
  const names = ["hook.default.svc:8443", "*.default.svc:443", "*.svc:443", "hook.default.svc", "*.svc", "*"];
  const found = (hostPort: string, ...removed: string[]) =>
    userFor(hostPort, new Set(names.filter((name) => !removed.includes(name))), "me");
  assert.equal(found("hook.default.svc:8443"), "hook.default.svc:8443");
  assert.equal(found("hook.default.svc:443"), "*.default.svc:443");
  assert.equal(found("hook.default.svc:443", "*.default.svc:443"), "*.svc:443");
  assert.equal(found("hook.default.svc:443", "*.default.svc:443", "*.svc:443"), "hook.default.svc");
  assert.equal(found("other.default.svc:443", "*.default.svc:443", "*.svc:443"), "*.svc");
  // Names without a port are for port 443 only.
  assert.equal(found("other.default.svc:8443"), "*");
  assert.equal(found("example.com:443"), "*");
  assert.equal(found("example.com:443", "*"), "me");
  assert.equal(userFor("example.com:443", new Set(), undefined), undefined);
});

test("credentialsIn() reads a kubeconfig without clusters; certificates and tokens may be in files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-credentials-")), path = join(folder, "config");
  const user = (name: string, members: string) => `- name: "${name}"\n  user: {${members}}\n`;
  try {
    await writeFile(join(folder, "token"), "from-file\n");
    await writeFile(
      path,
      `kind: Config\napiVersion: v1\nusers:\n${user("a.example.com", "token: secret")}${user("*.example.com", "tokenFile: token")}` +
        `${user("b.example.com:8443", "client-certificate: cert")}${user("*", "exec: {command: x}")}`,
    );
    assert.deepEqual(await credentialsIn(path, "a.example.com:443"), { authorization: "Bearer secret" });
    assert.deepEqual(await credentialsIn(path, "c.example.com:443"), { authorization: "Bearer from-file" });
    await assert.rejects(credentialsIn(path, "other:443"), {
      message: `cannot use the kubeconfig "${path}": "exec" of a user is not supported`,
    });
    await assert.rejects(credentialsIn(path, "b.example.com:8443"), (error) => error instanceof Error && error.message.includes("cert"));
    await assert.rejects(
      credentialsIn(join(folder, "absent"), "a:443"),
      (error) => error instanceof Error && error.message.includes("absent"),
    );
    const text = `users:\n${user("a", "tokenFile: token, client-key: /keys/k")}`;
    assert.deepEqual(filesOfUsers("/etc/config", text), ["/etc/config", "/keys/k", "/etc/token"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a webhook receives the client certificate and the token of its step; a Service is called at its configured address", async () => {
  const ca = issue({ usage: "ca", commonName: "authority" });
  const serving = issue({ usage: "server", names: ["hook.default.svc"] }, ca),
    identity = issue({ usage: "client", commonName: "thole" }, ca);
  const server = createServer({ ...serving, ca: ca.cert, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate() ?? {};
    const { authorization = "", host } = request.headers;
    response.end(JSON.stringify({ client: subject?.CN ?? "", authorization, host, url: request.url }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server
  const asked: string[] = [];
  const webhooks = admissionWebhooks({
    addresses: new Map([["hook.default.svc:443", address]]),
    async credentialsFor(step, hostPort) {
      asked.push(`${step} ${hostPort}`);
      return step === "One" ? { cert: identity.cert, key: identity.key } : { authorization: "Bearer secret" };
    },
  });
  const webhook = { url: "https://hook.default.svc:443/x", serverName: "hook.default.svc", ca: ca.cert };
  const { signal } = new AbortController();
  try {
    const received = async (step: string) => {
      const outcome = await webhooks.call({ webhook, step, json: "{}", timeoutMs: 10_000 }, signal);
      if (outcome.tag !== "answered") throw new Error(JSON.stringify(outcome));
      return JSON.parse(outcome.body);
    };
    const common = { host: "hook.default.svc", url: "/x?timeout=10s" };
    assert.deepEqual(await received("One"), { client: "thole", authorization: "", ...common });
    assert.deepEqual(await received("Other"), { client: "", authorization: "Bearer secret", ...common });
    assert.deepEqual(asked, ["One hook.default.svc:443", "Other hook.default.svc:443"]);
  } finally {
    webhooks.close();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});
