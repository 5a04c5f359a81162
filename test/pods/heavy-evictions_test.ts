// In Deno's suite only: where a request runs is decided in kernel/, which is the same on both runtimes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { responseOf, statusOf, withHeavyThread } from "../heavy-server.ts";
import { startSkipped } from "../real-server.ts";

test("a server with a heavy thread runs an action's steps, such as an eviction, in its own thread", {
  skip: startSkipped("deno"),
}, async () => {
  await withHeavyThread(async (server, jobs) => {
    const pods = "/api/v1/namespaces/default/pods";
    const pod = { metadata: { name: "a" }, spec: { containers: [{ name: "a", image: "a" }] } };
    assert.equal(await statusOf(server, "POST", pods, pod), 201);
    const eviction = { kind: "Eviction", apiVersion: "policy/v1", metadata: { name: "a" }, deleteOptions: { gracePeriodSeconds: 0 } };
    const { status, body } = await responseOf(server, "POST", `${pods}/a/eviction`, eviction);
    assert.equal(status, 201, String(body));
    assert.equal(await statusOf(server, "GET", `${pods}/a`), 404);
    assert.equal(jobs(), 0);
  }, { "disable-admission-plugins": ["ServiceAccount"], "authorization-mode": ["AlwaysAllow"] });
});
