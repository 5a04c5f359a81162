import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openTestServer } from "../testing.ts";
import { ask } from "./requests.ts";

test("TokenReview returns the user of a token, or the error of an invalid one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-test-"));
  try {
    const file = join(folder, "tokens.csv");
    await writeFile(file, 'secret-a,alice,7,"dev,ops"\n', { mode: 0o600 });
    await using server = await openTestServer({ settings: { "token-auth-file": file } });
    const review = async (spec: unknown) => {
      const { status: code, body } = await ask(server, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec });
      return { code, status: body.status, message: body.message };
    };
    const audiences = ["https://kubernetes.default.svc"];
    const user = { username: "alice", uid: "7", groups: ["dev", "ops", "system:authenticated"] };
    assert.deepEqual(await review({ token: "secret-a" }), {
      code: 201,
      status: { authenticated: true, user, audiences },
      message: undefined,
    });
    const unknown = { code: 201, status: { user: {}, error: "invalid bearer token" }, message: undefined };
    assert.deepEqual(await review({ token: "secret-b" }), unknown);
    assert.deepEqual(await review({ token: "secret-a", audiences: ["another"] }), unknown, "the token is for this server only");
    assert.equal((await review({ token: "secret-a ".repeat(30_000) })).status.error, "invalid bearer token", "a long one, too");
    assert.equal((await review({})).message, "token is required for TokenReview in authentication");
    assert.ok(!server.logged.some((line) => line.includes("secret-a")));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
