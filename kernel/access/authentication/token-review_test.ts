import assert from "node:assert/strict";
import { test } from "node:test";
import type { RemoteAnswer, RemoteClient } from "../remote/remote-client.ts";
import { TokenRefusal } from "./token-authenticator.ts";
import { tokenReviewer } from "./token-review.ts";

function scene(...answers: readonly (RemoteAnswer | Error)[]) {
  const bodies: any[] = [], waiting = [...answers];
  const client: RemoteClient = {
    send({ body }) {
      bodies.push(body);
      const next = waiting.length > 1 ? waiting.shift()! : waiting[0]!;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    stream: () => assert.fail("no stream"),
    close() {},
  };
  const { authenticateToken } = tokenReviewer({
    name: "webhook",
    client,
    path: "",
    apiVersion: "authentication.k8s.io/v1",
    audiences: () => ["api"],
    signal: new AbortController().signal,
    clock: { now: () => 0, after: (_ms, run) => (setImmediate(run), () => {}) },
    random: () => 0,
  });
  return { authenticateToken, bodies };
}
const answer = (status: object, code = 201): RemoteAnswer => ({
  status: code,
  body: { kind: "TokenReview", status },
  retryAfter: undefined,
});
const user = { username: "ann", uid: "7", groups: ["dev"], extra: { scopes: ["a"] } };

test("tokenReviewer() asks with token and audiences, and gives the user", async () => {
  const { authenticateToken, bodies } = scene(answer({ authenticated: true, user, audiences: ["api", "other"] }));
  assert.deepEqual(await authenticateToken("s3cret", ["api"]), {
    user: { name: "ann", uid: "7", groups: ["dev"], extra: { scopes: ["a"] } },
    audiences: ["api"],
  });
  assert.deepEqual(bodies[0], {
    kind: "TokenReview",
    apiVersion: "authentication.k8s.io/v1",
    spec: { token: "s3cret", audiences: ["api"] },
  });
  assert.deepEqual(await authenticateToken("s3cret", []), {
    user: { name: "ann", uid: "7", groups: ["dev"], extra: { scopes: ["a"] } },
    audiences: [],
  });
});

test("tokenReviewer() refuses a token of other audiences; an answer without audiences means those of the server", async () => {
  assert.equal(await scene(answer({ authenticated: true, user, audiences: ["other"] })).authenticateToken("t", ["api"]), undefined);
  assert.notEqual(await scene(answer({ authenticated: true, user })).authenticateToken("t", ["api"]), undefined);
  assert.equal(await scene(answer({ authenticated: true, user })).authenticateToken("t", ["vault"]), undefined);
});

test("tokenReviewer() tells a refusal from a failure, and shows no token", async () => {
  assert.equal(await scene(answer({ authenticated: false })).authenticateToken("t", []), undefined);
  await assert.rejects(
    scene(answer({ error: "expired" })).authenticateToken("t", []),
    (error) => error instanceof TokenRefusal && error.message === "expired",
  );
  const failures = [new Error("down"), answer({}, 500), answer({ authenticated: true, user: {} }), {
    ...answer({}, 403),
    body: { message: "no s3cret here" },
  }];
  for (const bad of failures) {
    await assert.rejects(
      scene(bad).authenticateToken("s3cret", []),
      (error: Error) => !(error instanceof TokenRefusal) && !error.message.includes("s3cret"),
    );
  }
  for (const odd of [{ authenticated: "true", user }, { authenticated: 1, user }]) {
    await assert.rejects(scene(answer(odd)).authenticateToken("t", []));
  }
});
