// Access reviews that are under way end when the client of their request leaves, as in kube-apiserver.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startTestServer } from "./harness.ts";
import { httpsClient } from "./https.ts";
import { until } from "./real-server.ts";
import { receivedBody } from "./received-body.ts";

/** A webhook that allows the server's own users and never answers about others. `open` and `closed` are the users of those requests. */
async function silentReviewer() {
  const open: string[] = [], closed: string[] = [];
  const server = createServer(async (request, response) => {
    const text = await receivedBody(request);
    if (text === undefined) return;
    const { user } = JSON.parse(text).spec; // our own server sends it
    if (user.startsWith("system:")) return void response.end(JSON.stringify({ status: { allowed: true } }));
    open.push(user);
    request.socket.once("close", () => closed.push(user));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${port}/`, open, closed, close };
}

test("a review ends when its client leaves: of a request itself, of impersonation, and of a SubjectAccessReview", async () => {
  const reviewer = await silentReviewer(), folder = await mkdtemp(join(tmpdir(), "thole-reviews-"));
  const file = join(folder, "webhook.yaml");
  const clusters = [{ name: "w", cluster: { server: reviewer.url } }];
  await writeFile(file, JSON.stringify({ "current-context": "w", contexts: [{ name: "w", context: { cluster: "w" } }], clusters }));
  const server = await startTestServer({ args: ["--authorization-mode=Webhook,RBAC", `--authorization-webhook-config-file=${file}`] });
  const alice = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.alice, single: true });
  const admin = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin, single: true });
  const review = { spec: { user: "bob", resourceAttributes: { verb: "get", resource: "secrets" } } };
  try {
    for (
      const [about, ask] of [
        ["alice", (signal: AbortSignal) => alice.ask("/api/v1/namespaces/default/configmaps", { signal })],
        ["alice", (signal: AbortSignal) => alice.ask("/api/v1/secrets", { signal, headers: { "impersonate-user": "carol" } })],
        [
          "bob",
          (signal: AbortSignal) =>
            admin.ask("/apis/authorization.k8s.io/v1/subjectaccessreviews", { method: "POST", body: review, signal }),
        ],
      ] as const
    ) {
      reviewer.open.length = reviewer.closed.length = 0;
      const leaving = new AbortController(), asked = assert.rejects(ask(leaving.signal));
      await until(() => assert.ok(reviewer.open.includes(about)));
      assert.deepEqual(reviewer.closed, []);
      leaving.abort();
      await asked;
      await until(() => assert.ok(reviewer.closed.includes(about)));
    }
    assert.deepEqual(server.logged.filter((line) => line.includes("has no answer") || line.includes("unexpected")), []);
  } finally {
    alice.close();
    admin.close();
    await server.close();
    await reviewer.close();
    await rm(folder, { recursive: true, force: true });
  }
});
