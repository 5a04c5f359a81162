import assert from "node:assert/strict";
import { test } from "node:test";
import type { PartAnswer, PartClient } from "../../core/part.ts";
import { TokenRefusal } from "../../core/token-authenticator.ts";
import { tokenReviewer, tokenReviewErrorLengthMax } from "./reviewed-tokens.ts";

function scene(...answers: readonly (PartAnswer | Error)[]) {
  const bodies: any[] = [], waiting = [...answers];
  const client: PartClient = {
    send({ body, retries }) {
      assert.equal(retries, true, "a failed review is repeated");
      bodies.push(body);
      const next = waiting.length > 1 ? waiting.shift()! : waiting[0]!;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    stream: () => assert.fail("no stream"),
  };
  const { authenticateToken } = tokenReviewer({
    name: "webhook",
    client,
    path: "",
    apiVersion: "authentication.k8s.io/v1",
    audiences: () => ["api"],
    signal: new AbortController().signal,
  });
  return { authenticateToken, bodies };
}
const answer = (status: object, code = 201): PartAnswer => ({
  status: code,
  body: { kind: "TokenReview", status },
});
const user = { username: "ann", uid: "7", groups: ["dev"], extra: { scopes: ["a"] } };

test("tokenReviewer() sends token and audiences, and returns the user", async () => {
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

test("tokenReviewer() rejects a token of other audiences; a response without audiences means those of the server", async () => {
  assert.equal(await scene(answer({ authenticated: true, user, audiences: ["other"] })).authenticateToken("t", ["api"]), undefined);
  assert.notEqual(await scene(answer({ authenticated: true, user })).authenticateToken("t", ["api"]), undefined);
  assert.equal(await scene(answer({ authenticated: true, user })).authenticateToken("t", ["vault"]), undefined);
});

test("tokenReviewer() distinguishes a rejection from a failure, and reveals no token", async () => {
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

interface Sent {
  readonly path: string;
  readonly body?: unknown;
}

function world(...answers: readonly (PartAnswer["body"] | Error | number)[]) {
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
        return Promise.resolve({ status, body: typeof answer === "number" ? undefined : answer });
      },
    },
    path: "",
    apiVersion: "authentication.k8s.io/v1",
    audiences: () => ["here", "also-here"],
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

test("tokenReviewer() treats a response without audiences as one for this server's, and for no other audience", async () => {
  const silent = world(reviewed({ authenticated: true, user: { username: "carol" } }));
  assert.deepEqual(await silent.review("secret", ["there", "here"]), { user: { name: "carol", groups: [] }, audiences: ["here"] });
  assert.equal(await silent.review("secret", ["there"]), undefined);
  const other = world(reviewed({ authenticated: true, user: { username: "carol" }, audiences: ["there"] }));
  assert.equal(await other.review("secret", ["here"]), undefined, "a token of another audience");
});

test("tokenReviewer() rejects with the reviewer's reason, without the token", async () => {
  assert.equal(await world(reviewed({})).review(), undefined);
  assert.equal(await world(reviewed({ authenticated: false, user: carol })).review(), undefined);
  assert.equal(await world(reviewed({ error: "secret has expired" })).review(), "refused: <token> has expired");
  const long = await world(reviewed({ error: "x".repeat(10_000) })).review();
  assert.equal(typeof long === "string" && long.length, "refused: ".length + tokenReviewErrorLengthMax);
});

test("tokenReviewer() fails for a response that is not a review", async () => {
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
