import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { defaultNames } from "../../../core/names.ts";
import { base64Of } from "../../../core/scalars/base64.ts";
import { TokenRefusal } from "../../../core/token-authenticator.ts";
import { serviceAccountTokens } from "./authenticator.ts";
import { boundPayload, legacyPayload } from "./claims.ts";
import type { SecretUse } from "./legacy.ts";
import {
  account,
  fakeLookup,
  isCertificate,
  issuer,
  namespace,
  now,
  object,
  signedToken,
  testKey,
  testKeys,
} from "../../../test/service-accounts/accounts.ts";
import { tokenVerifier } from "./verify.ts";

const seconds = now / 1000;
const own = "https://api.example.com";
const robot = object("robot", "u-robot");

/** An authenticator over these objects, with the counts of tokens and the recorded uses of Secrets. */
function world(objects: Readonly<Record<string, ApiObject>>, options: { readonly looksUp?: boolean; readonly now?: number } = {}) {
  const counted: string[] = [], used: SecretUse[] = [], warnings: string[] = [];
  const { authenticateToken } = serviceAccountTokens({
    verify: tokenVerifier({ keys: () => testKeys, issuers: () => [issuer], hash: (token) => token, isCertificate }),
    lookup: fakeLookup(objects),
    names: () => defaultNames,
    audiences: () => [own],
    looksUp: () => options.looksUp ?? true,
    meter: {
      legacy: () => counted.push("legacy"),
      projected: (state) => counted.push(state),
      legacyUse: (use) => counted.push(use),
    },
    used: (secret) => used.push(secret),
    now: () => options.now ?? now,
  });
  const outcome = async (token: string, asked: readonly string[] = []) => {
    try {
      return await authenticateToken(token, asked, (text) => warnings.push(text));
    } catch (error) {
      assert.ok(error instanceof TokenRefusal, String(error));
      return error.message;
    }
  };
  return { outcome, counted, used, warnings };
}
const present = { "serviceaccounts/demo/robot": robot };

async function bound(more: Partial<Parameters<typeof boundPayload>[0]> = {}, claims: object = {}): Promise<string> {
  const said = {
    issuer,
    audiences: [own],
    namespace,
    account,
    bound: undefined,
    id: "j1",
    now: seconds,
    seconds: 600,
    warnAfterSeconds: undefined,
  };
  return await signedToken({ ...boundPayload({ ...said, ...more }), ...claims }, await testKey);
}

test("a token gives its account's name, UID and groups, and the id of the credential", async () => {
  assert.deepEqual(await world(present).outcome(await bound()), {
    user: {
      name: "system:serviceaccount:demo:robot",
      uid: "u-robot",
      groups: ["system:serviceaccounts", "system:serviceaccounts:demo"],
      extra: { "authentication.kubernetes.io/credential-id": ["JTI=j1"] },
    },
    audiences: [own],
  });
});

test("a token must be for an audience that is asked for, or for one of the server", async () => {
  const { outcome } = world(present);
  const audiences = async (own: readonly string[], asked?: readonly string[]) => {
    const found = await outcome(await bound({ audiences: own }), asked);
    return typeof found === "object" ? found.audiences : found;
  };
  assert.deepEqual(await audiences(["vault", own]), [own]);
  assert.deepEqual(await audiences(["vault", own], ["x", own, "vault"]), [own, "vault"]);
  assert.equal(await audiences(["vault", "other"]), `token audiences ["vault" "other"] is invalid for the target audiences ["${own}"]`);
  assert.equal(await audiences([own], ["x"]), `token audiences ["${own}"] is invalid for the target audiences ["x"]`);
  assert.equal(await audiences([""]), `token audiences [""] is invalid for the target audiences ["${own}"]`);
  assert.deepEqual(await audiences([""], [""]), [""]);
  assert.deepEqual(await audiences([]), [own], "a token without audiences is for the server");
});

test("the refusal of a token names a hundred audiences of a list at most", async () => {
  const many = Array.from({ length: 200_000 }, (_, at) => `a${at}`);
  const text = await world(present).outcome(await bound(), many);
  assert.match(String(text), /for the target audiences \["a0" "a1" .* "a99" and 199900 more\]$/);
});

test("a token is accepted within its time and a minute around it", async () => {
  const token = await bound();
  const at = async (offset: number) => {
    const found = await world(present, { now: now + offset * 1000 }).outcome(token);
    return typeof found === "string" ? found : "accepted";
  };
  assert.deepEqual([await at(0), await at(599), await at(660), await at(-60)], ["accepted", "accepted", "accepted", "accepted"]);
  assert.equal(await at(661), "service account token has expired");
  assert.equal(await at(-61), "service account token is not valid yet");
  const early = await bound({}, { nbf: seconds - 1000 });
  assert.equal(await world(present, { now: now - 61_000 }).outcome(early), "service account token is issued in the future");
});

test("a token ends with its account, also where another account gets the name", async () => {
  const token = await bound();
  assert.equal(await world({}).outcome(token), 'serviceaccounts "robot" not found');
  const again = { "serviceaccounts/demo/robot": object("robot", "u-other") };
  assert.equal(await world(again).outcome(token), "service account UID (u-other) does not match claim (u-robot)");
  const deleted = (seconds: number) => ({
    "serviceaccounts/demo/robot": object("robot", "u-robot", {}, { deletionTimestamp: new Date(now - seconds * 1000).toISOString() }),
  });
  assert.equal(await world(deleted(61)).outcome(token), "service account demo/robot has been deleted");
  assert.equal(typeof await world(deleted(30)).outcome(token), "object");
});

test("an account at the revision at which it was accepted is not decoded again, unless it is another one", async () => {
  let decoded = 0, uid = "u-robot", revision = 1;
  const { authenticateToken } = serviceAccountTokens({
    verify: tokenVerifier({ keys: () => testKeys, issuers: () => [issuer], hash: (token) => token, isCertificate }),
    lookup: <T extends ApiObject>() => {
      const found = object("robot", uid);
      const decode = () => {
        decoded++;
        return found as T;
      };
      return Promise.resolve({
        revision,
        mentions: (text: string) => JSON.stringify(found).includes(text),
        get object() {
          return decode();
        },
      });
    },
    names: () => defaultNames,
    audiences: () => [own],
    looksUp: () => true,
    meter: { legacy() {}, projected() {}, legacyUse() {} },
    used() {},
    now: () => now,
  });
  const token = await bound(), first = await authenticateToken(token, []), once = decoded;
  const again = await authenticateToken(token, []);
  assert.equal(decoded, once);
  assert.ok(typeof first === "object" && typeof again === "object" && first.user === again.user, "the same user");
  revision = 2;
  await authenticateToken(token, []);
  assert.ok(decoded > once, "a changed account is looked at");
  uid = "u-2";
  await assert.rejects(authenticateToken(token, []), /service account UID \(u-2\) does not match/, "of a restored store");
});

test("a bound token ends with its object", async () => {
  const token = await bound({ bound: { kind: "secret", name: "anchor", uid: "u-anchor" } });
  const secret = (uid: string, metadata: object = {}) => ({ ...present, "secrets/demo/anchor": object("anchor", uid, {}, metadata) });
  assert.equal(typeof await world(secret("u-anchor")).outcome(token), "object");
  assert.equal(await world(present).outcome(token), "service account token has been invalidated");
  assert.equal(
    await world(secret("u-2")).outcome(token),
    "secret UID (u-2) does not match service account secret ref claim (u-anchor)",
  );
  const old = secret("u-anchor", { deletionTimestamp: "2020-01-01T00:00:00Z" });
  assert.equal(await world(old).outcome(token), "service account token has been invalidated");
  for (const kind of ["pod", "node"] as const) {
    const other = await bound({ bound: { kind, name: "x", uid: "u" } });
    assert.equal(await world(present).outcome(other), "service account token has been invalidated", kind);
  }
});

test("a pod and a node of a token are in the extra values", async () => {
  const token = await bound({ bound: { kind: "pod", name: "web", uid: "u-web" } }, {});
  const payload = JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
  payload["kubernetes.io"].node = { name: "n1", uid: "u-n1" };
  const found = await world({ ...present, "pods/demo/web": object("web", "u-web") }).outcome(await signedToken(payload, await testKey));
  assert.deepEqual(typeof found === "object" && found !== null && "user" in found ? found.user.extra : found, {
    "authentication.kubernetes.io/pod-name": ["web"],
    "authentication.kubernetes.io/pod-uid": ["u-web"],
    "authentication.kubernetes.io/credential-id": ["JTI=j1"],
    "authentication.kubernetes.io/node-name": ["n1"],
    "authentication.kubernetes.io/node-uid": ["u-n1"],
  });
  const onNode = await bound({ bound: { kind: "node", name: "n1", uid: "u-n1" } });
  assert.equal(typeof await world({ ...present, "nodes//n1": object("n1", "u-n1") }).outcome(onNode), "object");
});

test("an extended token counts as valid, and as stale once it should have been replaced", async () => {
  const token = await bound({ warnAfterSeconds: 100 });
  const early = world(present), late = world(present, { now: now + 101_000 });
  await early.outcome(token);
  await late.outcome(token);
  assert.deepEqual([early.counted, late.counted], [["valid"], ["stale"]]);
});

test("claims without an account, or with a name that leads elsewhere, find nothing", async () => {
  assert.equal(await world(present).outcome(await bound({}, { "kubernetes.io": undefined })), 'serviceaccounts "" not found');
  assert.equal(await world(present).outcome(await bound({ namespace: "" })), 'serviceaccounts "robot" not found');
});

async function legacy(claims: object = {}): Promise<string> {
  return await signedToken({ ...legacyPayload(namespace, account, "tok"), ...claims }, await testKey);
}
const holding = (token: string, labels: Readonly<Record<string, string>> = {}, more: object = {}) => ({
  ...present,
  "secrets/demo/tok": object("tok", "u-tok", { data: { token: base64Of(new TextEncoder().encode(token)) } }, { labels, ...more }),
});

test("a legacy token is accepted without an end while its Secret holds it, and its use is recorded", async () => {
  const token = await legacy(), { outcome, counted, used } = world(holding(token), { now: now * 2 });
  assert.deepEqual(await outcome(token), {
    user: { name: "system:serviceaccount:demo:robot", uid: "u-robot", groups: ["system:serviceaccounts", "system:serviceaccounts:demo"] },
    audiences: [own],
  });
  assert.deepEqual(counted, ["legacy", "manual"]);
  assert.deepEqual(used, [{ namespace: "demo", name: "tok", uid: "u-tok", lastUsed: "" }]);
  const listed = {
    ...holding(token, { "kubernetes.io/legacy-token-last-used": "2026-01-01" }),
    "serviceaccounts/demo/robot": object("robot", "u-robot", { secrets: [{ name: "tok" }] }),
  };
  const automatic = world(listed);
  await automatic.outcome(token);
  assert.match(automatic.warnings.join(), /^Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-/);
  assert.deepEqual([automatic.counted, automatic.used[0]?.lastUsed], [["legacy", "automatic"], "2026-01-01"]);
});

test("a legacy token is refused without its Secret, its account, or where the Secret holds another one", async () => {
  const token = await legacy();
  assert.equal(await world(present).outcome(token), "Token has been invalidated");
  assert.equal(
    await world(holding(token, {}, { deletionTimestamp: new Date(now).toISOString() })).outcome(token),
    "Token has been invalidated",
  );
  assert.equal(await world(holding(await legacy({ jti: "x" }))).outcome(token), "Token does not match server's copy");
  assert.equal(await world(holding("")).outcome(token), "Token does not match server's copy");
  const without = { "secrets/demo/tok": holding(token)["secrets/demo/tok"] };
  assert.equal(await world(without).outcome(token), 'serviceaccounts "robot" not found');
  const other = { ...without, "serviceaccounts/demo/robot": object("robot", "u-2") };
  assert.equal(await world(other).outcome(token), "ServiceAccount UID (u-2) does not match claim (u-robot)");
  const deleted = {
    ...without,
    "serviceaccounts/demo/robot": object("robot", "u-robot", {}, { deletionTimestamp: new Date(now).toISOString() }),
  };
  assert.equal(await world(deleted).outcome(token), "ServiceAccount demo/robot has been deleted");
  assert.equal(
    typeof await world({}, { looksUp: false }).outcome(token),
    "object",
    "nothing is looked up without --service-account-lookup",
  );
});

test("a legacy token whose Secret is marked invalid is refused and counted", async () => {
  const token = await legacy(),
    { outcome, counted, used } = world(holding(token, { "kubernetes.io/legacy-token-invalid-since": "2025-01-01" }));
  assert.equal(
    await outcome(token),
    "the token in secret demo/tok for service account demo/robot has been marked invalid. Use tokens from the TokenRequest API or manually created " +
      "secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token",
  );
  assert.deepEqual([counted, used.length], [["legacy", "invalid"], 1]);
});

test("a legacy token is for the server's audiences, and its claims must be complete", async () => {
  const token = await legacy(), { outcome } = world(holding(token));
  assert.equal(await outcome(token, ["vault"]), `token audiences ["${own}"] is invalid for the target audiences ["vault"]`);
  const missing: readonly (readonly [string, object])[] = [
    ["sub claim is missing", { sub: "" }],
    ["namespace claim is missing", { "kubernetes.io/serviceaccount/namespace": "" }],
    ["secretName claim is missing", { "kubernetes.io/serviceaccount/secret.name": "" }],
    ["serviceAccountName claim is missing", { "kubernetes.io/serviceaccount/service-account.name": "" }],
    ["serviceAccountUID claim is missing", { "kubernetes.io/serviceaccount/service-account.uid": "" }],
    ["sub claim is invalid", { sub: "system:serviceaccount:demo:other" }],
    ["sub claim is invalid", { sub: "system:admin" }],
  ];
  for (const [message, claims] of missing) assert.equal(await outcome(await legacy(claims)), message);
});
