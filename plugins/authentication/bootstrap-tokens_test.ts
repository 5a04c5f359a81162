import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { base64Of } from "../../core/scalars/base64.ts";
import { bootstrapTokens } from "./bootstrap-tokens.ts";

const token = "abcdef.0123456789abcdef", type = "bootstrap.kubernetes.io/token";
const good: Readonly<Record<string, string>> = {
  "token-id": "abcdef",
  "token-secret": "0123456789abcdef",
  "usage-bootstrap-authentication": "true",
};

/** What a token of this Secret gives. */
async function answerOf(
  data: Readonly<Record<string, string>>,
  more: object = {},
  asked: readonly string[] = [],
  enabled = true,
  sent = token,
) {
  const encoded = Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64Of(new TextEncoder().encode(text))]));
  const object = {
    kind: "Secret",
    apiVersion: "v1",
    metadata: { name: "bootstrap-token-abcdef" },
    type,
    data: encoded,
    ...more,
  } as unknown as ApiObject;
  const { authenticateToken } = bootstrapTokens({
    enabled: () => enabled,
    // The one Secret of these tests has any type that its reader asks for.
    lookUp: async (resource, namespace, name) =>
      `${resource} ${namespace}/${name}` === "secrets kube-system/bootstrap-token-abcdef"
        ? { revision: 1, mentions: () => true, object: object as any }
        : undefined,
    audiences: () => ["api"],
    hash: (text) => text,
    now: () => Date.parse("2026-01-01T00:00:00Z"),
  });
  return await authenticateToken(sent, asked);
}
const user = (...groups: readonly string[]) => ({ user: { name: "system:bootstrap:abcdef", groups }, audiences: [] });

test("a bootstrap token is a user of its Secret, in its groups", async () => {
  assert.deepEqual(await answerOf(good), user("system:bootstrappers"));
  const groups = "system:bootstrappers:worker,system:bootstrappers:a-1,system:bootstrappers:worker";
  assert.deepEqual(
    await answerOf({ ...good, "auth-extra-groups": groups, expiration: "2026-01-01T00:00:01Z" }),
    user("system:bootstrappers", "system:bootstrappers:a-1", "system:bootstrappers:worker"),
  );
  assert.deepEqual((await answerOf(good, {}, ["other", "api"]))!, { ...user("system:bootstrappers"), audiences: ["api"] });
});

test("a token whose Secret is not for it is none of this kind", async () => {
  for (
    const wrong of [
      { "token-secret": "0123456789abcdee" },
      { "token-secret": "" },
      { "token-id": "abcdeg" },
      { "usage-bootstrap-authentication": "True" },
      { "usage-bootstrap-authentication": "" },
      { expiration: "2026-01-01T00:00:00Z" },
      { expiration: "soon" },
      { "auth-extra-groups": "system:masters" },
      { "auth-extra-groups": "system:bootstrappers:a,system:bootstrappers:" },
      { "auth-extra-groups": "system:bootstrappers:a," },
    ]
  ) assert.equal(await answerOf({ ...good, ...wrong }), undefined, JSON.stringify(wrong));
  assert.equal(await answerOf(good, { type: "Opaque" }), undefined);
  assert.equal(await answerOf(good, { data: undefined }), undefined);
  assert.equal(await answerOf(good, { metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" } }), undefined);
  assert.equal(await answerOf(good, {}, ["other"]), undefined);
  assert.equal(await answerOf(good, {}, [], false), undefined);
  for (const sent of ["abcdef", "abcdeg.0123456789abcdef", "ABCDEF.0123456789abcdef", `${token}0`, `${token}\n`]) {
    assert.equal(await answerOf(good, {}, [], true, sent), undefined, sent);
  }
});
