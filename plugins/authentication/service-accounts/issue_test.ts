import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenIssuer } from "./issue.ts";
import { account, issuer, namespace, now, testKey, testKeys } from "../../../test/service-accounts/accounts.ts";

const settings = { issuer, audiences: ["own", "also"], secondsMax: 0, extends: true };
const request = { namespace, account, bound: undefined, audiences: [], expirationSeconds: 3600 };
const seconds = now / 1000;

function issuerWith(more: Partial<typeof settings> = {}) {
  return tokenIssuer({ keys: () => testKeys, settings: () => ({ ...settings, ...more }), now: () => now + 999 });
}
function parts(token: string): readonly Record<string, unknown>[] {
  return token.split(".").slice(0, 2).map((part) => JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/"))));
}

test("issue() writes upstream's header and claims", async () => {
  const { token, id, ...rest } = await issuerWith().issue(request);
  assert.deepEqual(rest, { audiences: ["own", "also"], expirationSeconds: 3600, issued: now });
  assert.deepEqual(parts(token), [{ alg: "RS256", kid: (await testKey).id }, {
    aud: ["own", "also"],
    exp: seconds + 3600,
    iat: seconds,
    iss: issuer,
    jti: id,
    "kubernetes.io": { namespace: "demo", serviceaccount: { name: "robot", uid: "u-robot" } },
    nbf: seconds,
    sub: "system:serviceaccount:demo:robot",
  }]);
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual((await issuerWith().issue(request)).id, id);
});

test("issue() contains the object that a token is bound to", async () => {
  for (const kind of ["secret", "pod", "node"] as const) {
    const { token } = await issuerWith().issue({ ...request, bound: { kind, name: "x", uid: "u-x" } });
    assert.deepEqual(parts(token)[1]?.["kubernetes.io"], {
      namespace: "demo",
      [kind]: { name: "x", uid: "u-x" },
      serviceaccount: { name: "robot", uid: "u-robot" },
    });
  }
});

test("issue() limits the requested validity to the maximum", async () => {
  const shortened = await issuerWith({ secondsMax: 3600 }).issue({ ...request, expirationSeconds: 7200 });
  assert.equal(shortened.expirationSeconds, 3600);
  assert.equal(parts(shortened.token)[1]?.["exp"], seconds + 3600);
  assert.equal((await issuerWith({ secondsMax: 3600 }).issue({ ...request, expirationSeconds: 600 })).expirationSeconds, 600);
});

test("issue() extends only tokens of pods for the server itself, with the validity that kubelets request", async () => {
  const pod = { kind: "pod", name: "web", uid: "u-web" } as const;
  const projected = { ...request, bound: pod, expirationSeconds: 3607 };
  const expiry = async (asked: Parameters<ReturnType<typeof issuerWith>["issue"]>[0], more: Partial<typeof settings> = {}) => {
    const issued = await issuerWith(more).issue(asked), claims = parts(issued.token)[1]!;
    assert.equal(issued.expirationSeconds, asked.expirationSeconds, "the answer names the time that was asked for");
    const { warnafter } = claims["kubernetes.io"] as { readonly warnafter?: number };
    return [Number(claims["exp"]) - seconds, warnafter === undefined ? undefined : warnafter - seconds];
  };
  assert.deepEqual(await expiry(projected), [365 * 24 * 3600, 3607]);
  assert.deepEqual(await expiry({ ...projected, audiences: ["also"] }), [365 * 24 * 3600, 3607]);
  assert.deepEqual(await expiry({ ...projected, audiences: ["also", "vault"] }), [3607, undefined]);
  assert.deepEqual(await expiry({ ...projected, expirationSeconds: 3606 }), [3606, undefined]);
  assert.deepEqual(await expiry({ ...projected, bound: undefined }), [3607, undefined]);
  assert.deepEqual(await expiry(projected, { extends: false }), [3607, undefined]);
});

test("issueLegacy() writes a token without expiration", async () => {
  const token = await issuerWith().issueLegacy(namespace, account, "tok");
  assert.deepEqual(parts(token)[1], {
    iss: "kubernetes/serviceaccount",
    "kubernetes.io/serviceaccount/namespace": "demo",
    "kubernetes.io/serviceaccount/secret.name": "tok",
    "kubernetes.io/serviceaccount/service-account.name": "robot",
    "kubernetes.io/serviceaccount/service-account.uid": "u-robot",
    sub: "system:serviceaccount:demo:robot",
  });
});
