// Logs and metrics contain no secrets, at any verbosity and with any error.
// In Deno's suite only: what is logged does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { served } from "../flags/served.ts";
import { documents } from "../https.ts";

const secret = "hunter2-correct-horse";
const encoded = btoa(secret);
const path = "/api/v1/namespaces/default/secrets";

test("a run at the highest verbosity logs no token, no data of secrets and no secret of a URL", () =>
  served(["-v=10", "--slow-request-threshold=1ms"], async ({ client, logged, token, tokens }) => {
    const statuses: number[] = [];
    const ask = async (of: string, how: Parameters<typeof client.ask>[1] = {}) => statuses.push((await client.ask(of, how)).status);
    const body = { kind: "Secret", apiVersion: "v1", metadata: { name: "a" }, data: { password: encoded } };
    const json = { "content-type": "application/json" };
    await ask(path, { method: "POST", body });
    await ask(path, { method: "POST", body });
    await ask(`${path}/a`);
    await ask(path);
    await ask(`${path}/a`, { method: "PUT", body: { ...body, stringData: { more: secret } } });
    await ask(`${path}/a`, {
      method: "PATCH",
      body: { data: { password: encoded } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    await ask(`${path}/a`, {
      method: "PATCH",
      body: `[{"op":"test","path":"/data/password","value":"${secret}"}]`,
      headers: { "content-type": "application/json-patch+json" },
    });
    // Bodies that cannot be decoded or stored.
    await ask(path, { method: "POST", body: { ...body, metadata: { name: "b" }, data: { password: `${secret}!` } } });
    await ask(path, { method: "POST", body: `{"data":{"password":"${encoded}"`, headers: json });
    await ask(path, { method: "POST", body: { ...body, metadata: { name: secret.toUpperCase() } } });
    // Invalid credentials, and credentials in wrong places.
    await ask("/api", { headers: { authorization: `Bearer ${secret}` } });
    await ask("/api", { headers: { authorization: `Basic ${encoded}` } });
    await ask(`${path}?token=${secret}&access_token=${secret}&Authorization=Bearer%20${secret}&to%6ben=${secret}`);
    await ask(`/api/v1/namespaces/default/nothing?client_secret=${secret}&password=${secret}`);
    const watch = await client.stream(`${path}?watch=1&resourceVersion=0&timeoutSeconds=1`);
    for await (const _ of documents(watch.chunks));
    const metrics = (await client.ask("/metrics")).text;
    await ask(`${path}/a`, { method: "DELETE" });

    assert.deepEqual(statuses, [201, 409, 200, 200, 200, 200, 422, 400, 400, 422, 401, 403, 200, 404, 200]);
    const lines = logged.map((line) => JSON.parse(line));
    assert.equal(lines.filter(({ message }) => message === "HTTP").length, statuses.length + 2, "the run was logged");
    assert.ok(lines.some(({ URI }) => URI?.includes("token=REDACTED")));
    const words = [secret, encoded, encoded.slice(0, 12), token, tokens.alice].map((word) => word.toLowerCase());
    // The name of an object is not a secret: it is part of paths.
    const told = (text: string) => words.filter((word) => text.toLowerCase().includes(word));
    assert.deepEqual(told(logged.join("\n")), []);
    assert.deepEqual(told(metrics), []);
  }));

test("an Audit-ID of the client is returned in full and logged truncated; without one the server creates it", () =>
  served(["-v=3"], async ({ client, logged }) => {
    const id = `client-${"x".repeat(100)}`;
    const answer = await client.ask("/version", { headers: { "audit-id": id } });
    assert.equal(answer.headers["audit-id"], id);
    const idOf = (line: string): string | undefined => JSON.parse(line)["audit-ID"];
    assert.deepEqual(logged.flatMap((line) => idOf(line) ?? []), [id.slice(0, 64)]);
    const made = [
      await client.ask("/version"),
      await client.ask("/nowhere"),
      await client.ask("/version", { headers: { "audit-id": "y".repeat(1025) } }),
    ]
      .map(({ headers }) => headers["audit-id"]);
    for (const each of made) assert.match(String(each), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(new Set(made).size, 3);
    const ids = new Set<unknown>(logged.map(idOf));
    assert.ok(made.every((each) => ids.has(each)), "a client's id finds the line in the log");
  }));
