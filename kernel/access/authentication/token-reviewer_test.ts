import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../../core/limits.ts";
import type { RemoteAnswer } from "../remote/remote-client.ts";
import { TokenRefusal, tokenReviewer } from "./mod.ts";

interface Sent {
  readonly path: string;
  readonly body?: unknown;
}

function world(...answers: readonly (RemoteAnswer["body"] | Error | number)[]) {
  const sent: Sent[] = [];
  let next = 0;
  const reviewer = tokenReviewer({
    name: "webhook",
    client: {
      send: (request) => {
        sent.push(request);
        const answer = answers[Math.min(next++, answers.length - 1)];
        if (answer instanceof Error) return Promise.reject(answer);
        const status = typeof answer === "number" ? answer : 200;
        return Promise.resolve({ status, body: typeof answer === "number" ? undefined : answer, retryAfter: undefined });
      },
    },
    path: "",
    apiVersion: "authentication.k8s.io/v1",
    audiences: () => ["here", "also-here"],
    // Waits of no length: retries follow at once.
    clock: { now: () => 0, after: (_ms, run) => (queueMicrotask(run), () => {}) },
    random: () => 0,
    signal: new AbortController().signal,
  });
  const review = async (token = "secret", audiences: readonly string[] = []) => {
    try {
      return await reviewer.authenticateToken(token, audiences);
    } catch (error) {
      return `${error instanceof TokenRefusal ? "refused" : "failed"}: ${error instanceof Error ? error.message : error}`;
    }
  };
  return { review, sent };
}
const reviewed = (status: unknown) => ({ kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", status });
const carol = { username: "carol", uid: "7", groups: ["dev"], extra: { scopes: ["a"], __proto__: null } };

test("tokenReviewer() sends the token with the audiences and returns the user", async () => {
  const { review, sent } = world(reviewed({ authenticated: true, user: carol, audiences: ["here"] }));
  assert.deepEqual(await review("secret", ["here", "there"]), {
    user: { name: "carol", uid: "7", groups: ["dev"], extra: { scopes: ["a"] } },
    audiences: ["here"],
  });
  assert.deepEqual(sent[0]?.body, {
    kind: "TokenReview",
    apiVersion: "authentication.k8s.io/v1",
    spec: { token: "secret", audiences: ["here", "there"] },
  });
});

test("tokenReviewer() takes a reviewer without audiences for one of this server, and never another audience", async () => {
  const silent = world(reviewed({ authenticated: true, user: { username: "carol" } }));
  assert.deepEqual(await silent.review("secret", ["there", "here"]), { user: { name: "carol", groups: [] }, audiences: ["here"] });
  assert.equal(await silent.review("secret", ["there"]), undefined);
  const other = world(reviewed({ authenticated: true, user: { username: "carol" }, audiences: ["there"] }));
  assert.equal(await other.review("secret", ["here"]), undefined, "a token of another audience");
});

test("tokenReviewer() refuses with the reviewer's reason, which never shows the token", async () => {
  assert.equal(await world(reviewed({})).review(), undefined);
  assert.equal(await world(reviewed({ authenticated: false, user: carol })).review(), undefined);
  assert.equal(await world(reviewed({ error: "secret has expired" })).review(), "refused: <token> has expired");
  const long = await world(reviewed({ error: "x".repeat(10_000) })).review();
  assert.equal(typeof long === "string" && long.length, "refused: ".length + limits.tokenReviewErrorLengthMax);
});

test("tokenReviewer() fails for an answer that is no review", async () => {
  const answers = [
    undefined,
    "text",
    [],
    {},
    { kind: "Status", message: "x" },
    reviewed({ authenticated: "true", user: carol }),
    reviewed({ authenticated: true }),
    reviewed({ authenticated: true, user: { username: "" } }),
    reviewed({ authenticated: true, user: { username: 7 } }),
    reviewed({ authenticated: true, user: { username: "a", groups: "system:masters" } }),
    reviewed({ authenticated: true, user: { username: "a", groups: [["system:masters"]] } }),
    reviewed({ authenticated: true, user: { username: "a", extra: { a: "b" } } }),
    reviewed({ authenticated: true, user: carol, audiences: "here" }),
    reviewed([]),
  ];
  for (const answer of answers) assert.match(String(await world(answer).review()), /^failed: .*something else/, JSON.stringify(answer));
});

test("tokenReviewer() asks again after failures, a bounded number of times", async () => {
  const good = reviewed({ authenticated: true, user: { username: "carol" } });
  const recovering = world(new Error("refused"), 503, 429, good);
  assert.deepEqual(await recovering.review(), { user: { name: "carol", groups: [] }, audiences: [] });
  assert.equal(recovering.sent.length, 4);
  const dead = world(new Error("connection refused"));
  assert.equal(await dead.review(), "failed: connection refused");
  assert.equal(dead.sent.length, 5);
  const forbidden = world(403);
  assert.equal(await forbidden.review(), "failed: the review of a token was answered with status 403");
  assert.equal(forbidden.sent.length, 1);
});
