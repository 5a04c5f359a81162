// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationAttributes } from "../../../core/access.ts";
import type { RemoteAnswer, RemoteRequest } from "../../../protocols/remote/remote-client.ts";
import { requestInfo } from "../../../kernel/request/request-info.ts";
import { type AccessReviewOptions, accessReviews, reviewAttributesLengthMax } from "./access-review.ts";
import { attributesOf } from "../../../kernel/access/authorization/attributes.ts";
import { accessReviewsMax, rememberedReviewsMax } from "./review-cache.ts";

const alice = { name: "alice", groups: ["dev"] };
const attributes = attributesOf(requestInfo("GET", "/api/v1/namespaces/a/pods/b")!);
const review = (status: unknown): RemoteAnswer => ({ status: 201, body: { kind: "SubjectAccessReview", status }, retryAfter: undefined });
const failed = (status: number, retryAfter?: number): RemoteAnswer => ({ status, body: { message: "broken" }, retryAfter });

interface Changed extends Partial<Omit<AccessReviewOptions, "server" | "cached">> {
  readonly server?: Partial<AccessReviewOptions["server"]>;
  readonly cached?: Partial<AccessReviewOptions["cached"]>;
}

/** An authorizer whose webhook returns these answers in sequence, and then repeats the last one. Pauses take no time. */
function world(answers: readonly (RemoteAnswer | Error)[], { server, cached, ...options }: Changed = {}) {
  const sent: RemoteRequest[] = [], metrics: string[] = [], logged: string[] = [];
  let now = 0;
  const stop = new AbortController();
  const authorizer = accessReviews({
    name: "hook",
    server: {
      client: {
        async send(request) {
          const answer = answers[Math.min(sent.push(request), answers.length) - 1]!;
          await Promise.resolve();
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
      path: "/review",
      version: "v1",
      timeoutMs: 1000,
      ...server,
    },
    cached: { allowedMs: 100, deniedMs: 10, ...cached },
    onError: "noOpinion",
    reports: {
      attempted: (_code, _milliseconds, outcome) => metrics.push(outcome),
      failedOpen: (outcome) => metrics.push(`open ${outcome}`),
      log: (sentence) => logged.push(sentence),
    },
    clock: { now: () => now, after: (ms, run) => (now += ms, queueMicrotask(run), () => {}) },
    random: () => 0,
    signal: stop.signal,
    ...options,
  });
  const authorize = async (user = alice, of: AuthorizationAttributes = attributes) => await authorizer.authorize(user, of);
  return { authorizer, authorize, sent, metrics, logged, stop, pass: (ms: number) => void (now += ms) };
}

test("accessReviews() allows, denies or has no opinion as the answer says, and denies if it says both", async () => {
  const decide = async (status: object) => await world([review(status)]).authorize();
  assert.deepEqual(await decide({ allowed: true, reason: "r" }), { verdict: "allow", reason: "r" });
  assert.deepEqual(await decide({ allowed: false, denied: true, reason: "r" }), { verdict: "deny", reason: "r" });
  assert.deepEqual(await decide({ allowed: false, reason: "r" }), { verdict: "noOpinion", reason: "r" });
  assert.deepEqual(await decide({ denied: true }), { verdict: "deny", reason: "" });
  const bare = world([{ status: 200, body: { status: { allowed: true } }, retryAfter: undefined }]);
  assert.deepEqual(await bare.authorize(), { verdict: "allow", reason: "" }, "an answer may leave out its kind");
  assert.deepEqual(await decide({ allowed: true, denied: true, reason: "r" }), {
    verdict: "deny",
    reason: "r",
    error: "webhook subject access review returned both allow and deny response",
  });
});

test("accessReviews() sends the request as a review, in v1 and v1beta1", async () => {
  const user = { name: "alice", uid: "7", groups: ["dev"], extra: { scopes: ["a", "b"] } };
  const info = requestInfo(
    "GET",
    "/apis/g/v2/namespaces/ns/things?fieldSelector=a%3Db,c!%3Dd&labelSelector=e,!f,g%20in%20(h),i!%3Dj,k%3E1",
  )!;
  const v1 = world([review({ allowed: false })]), beta = world([review({ allowed: false })], { server: { version: "v1beta1" } });
  await v1.authorize(user, attributesOf(info));
  await beta.authorize(user, requestInfo("GET", "/metrics")!);
  assert.deepEqual(v1.sent.map(({ path, method, body }) => ({ path, method, body })), [{
    path: "/review",
    method: "POST",
    body: {
      kind: "SubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: {},
      spec: {
        resourceAttributes: {
          namespace: "ns",
          verb: "list",
          group: "g",
          version: "v2",
          resource: "things",
          fieldSelector: { requirements: [{ key: "a", operator: "In", values: ["b"] }, { key: "c", operator: "NotIn", values: ["d"] }] },
          labelSelector: {
            requirements: [
              { key: "e", operator: "Exists" },
              { key: "f", operator: "DoesNotExist" },
              { key: "g", operator: "In", values: ["h"] },
              { key: "i", operator: "NotIn", values: ["j"] },
            ],
          },
        },
        user: "alice",
        groups: ["dev"],
        extra: { scopes: ["a", "b"] },
        uid: "7",
      },
    },
  }]);
  assert.deepEqual((beta.sent[0]!.body as any).spec, {
    nonResourceAttributes: { path: "/metrics", verb: "get" },
    user: "alice",
    group: ["dev"],
    extra: { scopes: ["a", "b"] },
    uid: "7",
  });
});

test("accessReviews() caches allowed and other answers for their times, and never a failure", async () => {
  const yes = world([review({ allowed: true }), review({ allowed: false })]);
  await yes.authorize();
  yes.pass(99);
  assert.equal((await yes.authorize()).verdict, "allow");
  yes.pass(1);
  assert.equal((await yes.authorize()).verdict, "noOpinion");
  assert.equal(yes.sent.length, 2);
  yes.pass(10);
  await yes.authorize();
  assert.equal(yes.sent.length, 3);
  const never = world([review({ allowed: true })], { cached: { allowedMs: 0 } });
  await never.authorize();
  await never.authorize();
  assert.equal(never.sent.length, 2);
  const fails = world([failed(403), review({ allowed: true })]);
  assert.equal((await fails.authorize()).verdict, "noOpinion");
  assert.equal((await fails.authorize()).verdict, "allow");
});

test("accessReviews() never returns a cached answer of another user, for any composition of names", async () => {
  const hook = world([review({ allowed: true }), review({ allowed: false })], { cached: { deniedMs: 0 } });
  assert.equal((await hook.authorize({ name: "alice", groups: ["a,b"] })).verdict, "allow");
  for (
    const user of [
      { name: "alice", groups: ["a", "b"] },
      { name: "alice", groups: [] },
      { name: "alice", groups: ["a,b"], uid: "7" },
      { name: "alice", groups: ["a,b"], extra: { uid: ["7"] } },
      { name: 'alice","groups":["a,b"]', groups: [] },
    ]
  ) assert.equal((await hook.authorize(user)).verdict, "noOpinion", JSON.stringify(user));
  const named = (url: string) => attributesOf(requestInfo("GET", url)!);
  assert.equal((await hook.authorize({ name: "alice", groups: ["a,b"] }, named("/api/v1/namespaces/a/pods/b/log"))).verdict, "noOpinion");
  assert.equal((await hook.authorize({ name: "alice", groups: ["a,b"] }, named("/api/v1/namespaces/a/pods/b"))).verdict, "allow");
});

test("accessReviews() does not cache reviews of very long requests, and drops the least recently used one when it is full", async () => {
  const named = (name: string): AuthorizationAttributes => ({ ...attributes, name });
  const long = world([review({ allowed: true })]);
  const name = "x".repeat(reviewAttributesLengthMax);
  await long.authorize(alice, named(name));
  await long.authorize(alice, named(name));
  assert.equal(long.sent.length, 2);
  const many = world([review({ allowed: true })], { cached: { allowedMs: 1e9 } });
  for (let i = 0; i < rememberedReviewsMax; i++) await many.authorize(alice, named(`n${i}`));
  await many.authorize(alice, named("n0"));
  await many.authorize(alice, named("one more"));
  assert.equal(many.sent.length, rememberedReviewsMax + 1);
  await many.authorize(alice, named("n0"));
  assert.equal(many.sent.length, rememberedReviewsMax + 1, "used before the one that was forgotten");
  await many.authorize(alice, named("n1"));
  assert.equal(many.sent.length, rememberedReviewsMax + 2);
});

test("accessReviews() sends concurrent equal reviews once, and rejects more than its bound of reviews in progress", async () => {
  const hook = world([review({ allowed: true })]);
  await Promise.all(Array.from({ length: 10 }, () => hook.authorize()));
  assert.equal(hook.sent.length, 1);
  const flood = world([review({ allowed: true })]);
  const all = await Promise.all(
    Array.from({ length: accessReviewsMax + 1 }, (_, i) => flood.authorize(alice, { ...attributes, name: `n${i}` })),
  );
  assert.equal(all.filter(({ verdict }) => verdict === "allow").length, accessReviewsMax);
  assert.equal(all.at(-1)?.error, "hook: too many access reviews are under way");
});

test("accessReviews() retries after 429, 500, 504, Retry-After and lost connections, five attempts at most", async () => {
  for (const first of [failed(429), failed(500), failed(504), failed(503, 1), new Error("ECONNRESET")]) {
    const hook = world([first, review({ allowed: true })]);
    assert.equal((await hook.authorize()).verdict, "allow");
    assert.equal(hook.sent.length, 2);
  }
  const once = world([failed(503)]);
  assert.deepEqual(await once.authorize(), { verdict: "noOpinion", reason: "", error: "hook: broken" });
  assert.equal(once.sent.length, 1);
  const dead = world([new Error("ECONNREFUSED")]);
  assert.deepEqual(await dead.authorize(), { verdict: "noOpinion", reason: "", error: "hook: ECONNREFUSED" });
  assert.equal(dead.sent.length, 5);
  assert.deepEqual(dead.metrics, ["error", "error", "error", "error", "error", "open error"]);
  assert.deepEqual(dead.logged, ["the authorizer hook has no answer"]);
});

test("accessReviews() denies on a failure if its policy says so, and does not count that as an open failure", async () => {
  const hook = world([failed(400)], { onError: "deny" });
  assert.deepEqual(await hook.authorize(), { verdict: "deny", reason: "", error: "hook: broken" });
  assert.deepEqual(hook.metrics, ["error"]);
});

test("accessReviews() treats an answer that is not a review as a failure, also if it contains allowed", async () => {
  for (
    const body of [
      undefined,
      null,
      {},
      { kind: "SubjectAccessReview", status: {} },
      { kind: "SubjectAccessReview", spec: { allowed: true } },
      "allowed",
      [],
      { kind: "TokenReview", status: { allowed: true } },
      { kind: "Status", status: "Success" },
      { kind: "SubjectAccessReview", status: { allowed: "true" } },
      { kind: "SubjectAccessReview", status: { allowed: 1 } },
      { kind: "SubjectAccessReview", status: [true] },
      { kind: "SubjectAccessReview", status: { allowed: true, denied: "false" } },
    ]
  ) {
    const hook = world([{ status: 200, body, retryAfter: undefined }]);
    const { verdict, error } = await hook.authorize();
    assert.deepEqual([verdict, error], ["noOpinion", "hook: the answer is no SubjectAccessReview"]);
    assert.deepEqual(hook.metrics, ["error", "open error"]);
  }
});

/** An authorizer whose webhook does not respond, and the signals of its requests. */
function silent(options: Changed = {}) {
  const signals: AbortSignal[] = [];
  const answers: PromiseWithResolvers<RemoteAnswer>[] = [];
  const client = {
    async send({ signal }: RemoteRequest) {
      signals.push(signal);
      const answer = Promise.withResolvers<RemoteAnswer>();
      answers.push(answer);
      signal.addEventListener("abort", () => answer.reject(signal.reason), { once: true });
      return await answer.promise;
    },
  };
  return { ...world([], { ...options, server: { client, ...options.server } }), signals, answers };
}

test("accessReviews() ends with its signal, and denies: a later authorizer must not allow the request instead", async () => {
  const hook = world([new Error("never")]);
  hook.stop.abort(new Error("stopped"));
  assert.deepEqual(await hook.authorize(), { verdict: "deny", reason: "", error: "hook: the review was canceled" });
  assert.equal(hook.sent.length, 0);
  assert.deepEqual(hook.metrics, []);
  const running = silent();
  const decision = running.authorize();
  running.stop.abort(new Error("stopped"));
  assert.equal((await decision).verdict, "deny");
  assert.deepEqual(running.metrics, ["canceled"]);
});

test("accessReviews() ends a review whose request was aborted, and denies the request", async () => {
  const hook = silent(), client = new AbortController();
  const decision = hook.authorizer.authorize(alice, attributes, client);
  assert.equal(hook.signals[0]?.aborted, false);
  client.abort(new Error("gone"));
  assert.deepEqual(await decision, { verdict: "deny", reason: "", error: "hook: the review was canceled" });
  assert.equal(hook.signals[0]?.aborted, true);
  assert.deepEqual([hook.metrics, hook.logged, hook.signals.length], [["canceled"], [], 1]);
  const gone = silent();
  assert.equal((await gone.authorizer.authorize(alice, attributes, { signal: AbortSignal.abort() })).verdict, "deny");
});

test("accessReviews() continues a review for other waiting requests, and starts another one after it has ended", async () => {
  const hook = silent(), first = new AbortController(), second = new AbortController();
  const one = hook.authorizer.authorize(alice, attributes, first), other = hook.authorizer.authorize(alice, attributes, second);
  first.abort();
  assert.equal((await one).verdict, "deny");
  assert.equal(hook.signals[0]?.aborted, false);
  hook.answers[0]?.resolve(review({ allowed: true }));
  assert.equal((await other).verdict, "allow");
  assert.equal(hook.signals.length, 1);
  const next = silent(), leaving = new AbortController();
  const left = next.authorizer.authorize(alice, attributes, leaving);
  leaving.abort();
  await left;
  const again = next.authorize();
  next.answers[1]?.resolve(review({ allowed: true }));
  assert.equal((await again).verdict, "allow");
  assert.deepEqual(next.signals.map(({ aborted }) => aborted), [true, false]);
});

test("accessReviews() cannot list rules", async () => {
  assert.deepEqual(await world([]).authorizer.rules?.(alice, "a"), {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    evaluationError: "webhook authorizer does not support user rule resolution",
  });
});
