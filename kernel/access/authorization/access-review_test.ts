import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationAttributes } from "../../../core/access.ts";
import { limits } from "../../../core/limits.ts";
import type { RemoteAnswer, RemoteClient } from "../remote/remote-client.ts";
import { type AccessReviewOptions, accessReviews } from "./access-review.ts";

const ann = { name: "ann", groups: ["dev"], extra: { scopes: ["a"] } };
const attributes = (members: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes => ({
  isResourceRequest: true,
  path: "/api/v1/pods",
  verb: "get",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "a",
  name: "",
  ...members,
});

/** An authorizer whose server gives these answers, one after another; the last one again and again. */
function scene(answers: readonly (RemoteAnswer | Error)[], options: Partial<AccessReviewOptions> = {}) {
  let now = 0;
  const bodies: any[] = [], logged: string[] = [], attempts: string[] = [], waiting = [...answers];
  const client: RemoteClient = {
    send({ body }) {
      bodies.push(body);
      const next = waiting.length > 1 ? waiting.shift()! : waiting[0]!;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    stream: () => assert.fail("no stream"),
    close() {},
  };
  const authorizer = accessReviews({
    name: "Webhook",
    client,
    path: "",
    version: "v1",
    clock: { now: () => now, after: (_ms, run) => (setImmediate(run), () => {}) },
    random: () => 0,
    allowedMs: 100,
    deniedMs: 10,
    timeoutMs: 5_000,
    onError: "noOpinion",
    attempted: (code, _ms, outcome) => void attempts.push(`${code} ${outcome}`),
    log: (text, error) => void logged.push(`${text}: ${error}`),
    ...options,
  });
  return { authorizer, bodies, logged, attempts, pass: (ms: number) => void (now += ms) };
}
const answer = (status: object, code = 201): RemoteAnswer => ({ status: code, body: { status }, retryAfter: undefined });

test("accessReviews() asks with the user and the attributes, and takes the verdict over", async () => {
  const { authorizer, bodies } = scene([answer({ allowed: true, reason: "because" })]);
  const selectors = {
    verb: "list",
    fieldSelector: [{ field: "metadata.name", operator: "=", value: "x" }],
    labelSelector: [{ key: "a", operator: "exists", values: [] }, { key: "n", operator: "gt", values: ["1"] }],
  } as const;
  assert.deepEqual(await authorizer.authorize(ann, attributes(selectors)), { verdict: "allow", reason: "because" });
  assert.deepEqual(bodies[0], {
    kind: "SubjectAccessReview",
    apiVersion: "authorization.k8s.io/v1",
    metadata: {},
    spec: {
      resourceAttributes: {
        namespace: "a",
        verb: "list",
        version: "v1",
        resource: "pods",
        fieldSelector: { requirements: [{ key: "metadata.name", operator: "In", values: ["x"] }] },
        labelSelector: { requirements: [{ key: "a", operator: "Exists" }] },
      },
      user: "ann",
      groups: ["dev"],
      extra: { scopes: ["a"] },
    },
  });
  const path = attributes({ isResourceRequest: false, path: "/metrics", resource: "" });
  await authorizer.authorize({ name: "bob", uid: "7", groups: [] }, path);
  assert.deepEqual(bodies[1].spec, { nonResourceAttributes: { path: "/metrics", verb: "get" }, user: "bob", groups: [], uid: "7" });
});

test("accessReviews() denies, has no opinion, and denies where the answer says both", async () => {
  const verdict = async (status: object) => {
    const { verdict, error } = await scene([answer(status)]).authorizer.authorize(ann, attributes());
    return error === undefined ? verdict : `${verdict} (${error})`;
  };
  assert.equal(await verdict({ allowed: false, denied: true }), "deny");
  assert.equal(await verdict({ allowed: false }), "noOpinion");
  assert.equal(
    await verdict({ allowed: true, denied: true }),
    "deny (webhook subject access review returned both allow and deny response)",
  );
});

test("accessReviews() never allows by a failure, an empty answer or words in place of true", async () => {
  for (const bad of [answer({}), answer({ allowed: "true" }), { status: 200, body: undefined, retryAfter: undefined }, new Error("down")]) {
    for (const onError of ["deny", "noOpinion"] as const) {
      const { authorizer, logged } = scene([bad], { onError });
      const { verdict, error = "" } = await authorizer.authorize(ann, attributes());
      assert.equal(verdict, onError);
      assert.match(error, /^Webhook: /);
      assert.equal(logged.length, 1);
    }
  }
  const { authorizer, attempts } = scene([answer({ message: "no" }, 403)]);
  assert.equal((await authorizer.authorize(ann, attributes())).verdict, "noOpinion");
  assert.deepEqual(attempts, ["403 error"], "403 is not tried again");
});

test("accessReviews() remembers yes and no for their times, each question by all of its parts, and never a failure", async () => {
  const { authorizer, bodies, pass } = scene([answer({ allowed: true }), answer({ allowed: false })]);
  await authorizer.authorize(ann, attributes());
  await authorizer.authorize(ann, attributes());
  assert.equal(bodies.length, 1);
  await authorizer.authorize({ ...ann, groups: ["dev", "ops"] }, attributes());
  await authorizer.authorize({ ...ann, name: 'ann","groups":["dev"]' }, attributes());
  await authorizer.authorize(ann, attributes({ name: "one" }));
  assert.equal(bodies.length, 4, "another user or object is another question");
  pass(11);
  await authorizer.authorize(ann, attributes({ name: "one" }));
  assert.equal(bodies.length, 5, "no counts for 10 ms");
  await authorizer.authorize(ann, attributes());
  assert.equal(bodies.length, 5, "yes counts for 100 ms");
  pass(100);
  await authorizer.authorize(ann, attributes());
  assert.equal(bodies.length, 6);
  const failing = scene([
    new Error("down"),
    new Error("down"),
    new Error("down"),
    new Error("down"),
    new Error("down"),
    answer({ allowed: true }),
  ]);
  assert.equal((await failing.authorizer.authorize(ann, attributes())).verdict, "noOpinion");
  assert.equal((await failing.authorizer.authorize(ann, attributes())).verdict, "allow");
});

test("accessReviews() asks the same question once at a time, and keeps answers of bounded size and number", async () => {
  const { authorizer, bodies } = scene([answer({ allowed: true })]);
  await Promise.all([1, 2, 3].map(() => authorizer.authorize(ann, attributes())));
  assert.equal(bodies.length, 1);
  const long = attributes({ name: "x".repeat(limits.accessReviewCachedCharactersMax) });
  await authorizer.authorize(ann, long);
  await authorizer.authorize(ann, long);
  assert.equal(bodies.length, 3, "a long name is not remembered");
  for (let at = 0; at < limits.accessReviewsCachedMax; at++) await authorizer.authorize(ann, attributes({ name: `${at}` }));
  const before = bodies.length;
  await authorizer.authorize(ann, attributes());
  assert.equal(bodies.length, before + 1, "the oldest answer went");
});
