import assert from "node:assert/strict";
import { test } from "node:test";
import type { TokenToIssue } from "../../core/access.ts";
import { fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { fakeRequestContext, noMetric } from "../../core/test-context.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { StatusError } from "../../core/status-error.ts";
import { tokenAudiencesBytesMax, tokenSubresource } from "./token-request.ts";

const account = { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "robot", namespace: "demo", uid: "u1" } };
const context: HookContext = {
  names: defaultNames,
  gates: () => true,
  now: "2026-01-02T03:04:05Z",
  subresource: "token",
  requestVersion: "v1",
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
const { validateRequest, respond } = tokenSubresource.create!;

/** The response to a request with this spec, or the error; with the issued tokens and warnings. */
async function answer(
  spec: object,
  more: {
    readonly metadata?: object;
    readonly objects?: Readonly<Record<string, ApiObject>>;
    readonly gates?: boolean;
    readonly max?: number;
  } = {},
) {
  const issued: TokenToIssue[] = [],
    warnings: string[] = [],
    annotations: string[] = [],
    { objects = {}, metadata = {}, gates = true, max = Infinity } = more;
  const request = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata,
    spec: { audiences: null, expirationSeconds: 3600, boundObjectRef: null, ...spec },
  };
  const access = {
    issueToken(asked: TokenToIssue) {
      issued.push(asked);
      const audiences = asked.audiences.length === 0 ? ["own"] : asked.audiences;
      const expirationSeconds = Math.min(asked.expirationSeconds, max);
      return Promise.resolve({ token: "t0ken", audiences, expirationSeconds, issued: Date.UTC(2026, 0, 2, 3, 4, 5), id: "j" });
    },
  };
  const read = {
    get: (_version: string, resource: string, namespace: string, name: string) =>
      Promise.resolve(objects[`${resource}/${namespace}/${name}`]),
  };
  const asked = fakeRequestContext({ ...context, gates: () => gates }, {
    access,
    read,
    warn: (text) => warnings.push(text),
    annotate: (key, value) => annotations.push(`${key}: ${value}`),
  });
  try {
    return { answer: await respond!(request, account, asked), issued, warnings, annotations };
  } catch (error) {
    assert.ok(error instanceof StatusError, String(error));
    return { error: `${error.code} ${error.message}`, issued, warnings, annotations };
  }
}
const named = (uid: string, more: object = {}): ApiObject => ({ kind: "Any", apiVersion: "v1", metadata: { uid }, ...more });

test("the response to a TokenRequest has the token, its audiences and its expiration", async () => {
  const { answer: found, issued, annotations } = await answer({ expirationSeconds: 600 });
  assert.deepEqual(annotations, ["authentication.kubernetes.io/issued-credential-id: JTI=j"]);
  assert.deepEqual(found, {
    metadata: { name: "robot", namespace: "demo", uid: "u1", creationTimestamp: "2026-01-02T03:04:05Z" },
    spec: { audiences: ["own"], expirationSeconds: 600, boundObjectRef: null },
    status: { token: "t0ken", expirationTimestamp: "2026-01-02T03:14:05Z" },
  });
  assert.deepEqual(issued, [{
    namespace: "demo",
    account: { name: "robot", uid: "u1" },
    bound: undefined,
    audiences: [],
    expirationSeconds: 600,
  }]);
});

test("a TokenRequest with another account's name is rejected before the account is looked up", () => {
  const errors = (name?: string) =>
    validateRequest!({ metadata: name === undefined ? {} : { name }, spec: {} } as unknown as ApiObject, "robot").map(({ path }) => path);
  assert.deepEqual([errors(), errors(""), errors("robot"), errors("other")], [[], [], [], ["metadata.name"]]);
});

test("the expiration of a TokenRequest has bounds", async () => {
  const outcome = async (expirationSeconds: number | bigint) => (await answer({ expirationSeconds })).error ?? "issued";
  assert.deepEqual([await outcome(600), await outcome(2 ** 32)], ["issued", "issued"]);
  const prefix = '422 TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value';
  for (const low of [599, 0, -1]) assert.equal(await outcome(low), `${prefix}: ${low}: may not specify a duration less than 10 minutes`);
  for (const high of [2 ** 32 + 1, 2n ** 62n]) {
    assert.equal(await outcome(high), `${prefix}: ${high}: may not specify a duration larger than 2^32 seconds`);
  }
});

test("a UID must be the account's; without the gate another one causes a warning", async () => {
  assert.equal((await answer({}, { metadata: { uid: "u1" } })).error, undefined);
  const why = "the UID in the token request (u2) does not match the UID of the service account (u1)";
  const refused = await answer({ expirationSeconds: 1 }, { metadata: { uid: "u2" } });
  assert.equal(refused.error, `409 Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": ${why}`);
  const { warnings, error } = await answer({}, { metadata: { uid: "u2" }, gates: false });
  assert.deepEqual([error, warnings], [undefined, [
    `${why} but TokenRequestServiceAccountUIDValidation is not enabled. In the future, this will return a conflict error`,
  ]]);
});

test("a token is bound to Secrets, pods and nodes that exist, and to no other kind", async () => {
  const objects = {
    "secrets/demo/s": named("us"),
    "pods/demo/p": named("up", { spec: { serviceAccountName: "robot" } }),
    "pods/demo/other": named("uo", { spec: { serviceAccountName: "x" } }),
    "nodes//n": named("un"),
  };
  const bound = async (boundObjectRef: object) => {
    const { error, issued } = await answer({ boundObjectRef }, { objects });
    return error ?? issued[0]?.bound;
  };
  assert.deepEqual(await bound({ kind: "Secret", apiVersion: "v1", name: "s" }), { kind: "secret", name: "s", uid: "us" });
  assert.deepEqual(await bound({ kind: "Secret", apiVersion: "a/b/c", name: "s", uid: "us" }), { kind: "secret", name: "s", uid: "us" });
  assert.deepEqual(await bound({ kind: "Pod", name: "p" }), { kind: "pod", name: "p", uid: "up" });
  assert.deepEqual(await bound({ kind: "Node", apiVersion: "v1", name: "n" }), { kind: "node", name: "n", uid: "un" });
  assert.match(
    String(await bound({ kind: "Pod", name: "other" })),
    /^400 cannot bind token for serviceaccount "robot" to pod running with different/,
  );
  assert.equal(await bound({ kind: "Secret", name: "none" }), '404 secrets "none" not found');
  assert.match(
    String(await bound({ kind: "Secret", name: "s", uid: "x" })),
    /^409 Operation cannot be fulfilled on Secret "s": the UID in the bound object reference \(x\)/,
  );
  assert.equal(await bound({ kind: "secret", apiVersion: "v1", name: "s" }), "400 cannot bind token to object of type /v1, Kind=secret");
  assert.equal(await bound({ kind: "__proto__", name: "s" }), "400 cannot bind token to object of type /, Kind=__proto__");
  assert.equal(
    await bound({ kind: "Secret", apiVersion: "apps/v1", name: "s" }),
    "400 cannot bind token to object of type apps/v1, Kind=Secret",
  );
  assert.equal(await bound({ kind: "Secret" }), "400 Name parameter required.");
  assert.equal(await bound({ kind: "Secret", name: ".." }), `400 Name parameter invalid: "..": may not be '..'`);
});

test("a shortened token causes a warning", async () => {
  const { warnings, answer: found } = await answer({ expirationSeconds: 7200 }, { max: 3600 });
  assert.deepEqual(warnings, ["requested expiration of 7200 seconds shortened to 3600 seconds"]);
  assert.deepEqual((found as { status: object }).status, { token: "t0ken", expirationTimestamp: "2026-01-02T04:04:05Z" });
});

test("a TokenRequest has no more audiences than a token that is looked at can name", () => {
  const errors = (audiences: readonly string[]) =>
    validateRequest!({ kind: "TokenRequest", apiVersion: "v1", metadata: {}, spec: { audiences } } as unknown as ApiObject, "robot"); // of that kind
  const bound = tokenAudiencesBytesMax;
  assert.deepEqual(errors(["a".repeat(bound - 4)]), []);
  assert.deepEqual(errors(["a".repeat(bound - 3)]).map(fieldErrorText), [
    `spec.audiences: Too long: may not be more than ${bound} bytes`,
  ]);
  assert.equal(errors(Array.from({ length: 200_000 }, (_, at) => `a${at}`)).length, 1);
});
