// The reasons of refusals that the log and the audit get, for each authenticator.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import type { Exchange } from "../../kernel/request/exchange.ts";
import { boundPayload } from "./service-accounts/claims.ts";
import { serviceAccountTokens } from "./service-accounts/authenticator.ts";
import {
  account,
  fakeLookup,
  isCertificate,
  issuer,
  namespace,
  now,
  signedToken,
  testKey,
  testKeys,
} from "../../test/service-accounts/accounts.ts";
import { tokenVerifier } from "./service-accounts/verify.ts";
import { systemClock } from "../../core/async.ts";
import { type TokenAuthenticator, TokenRefusal } from "../../core/token-authenticator.ts";
import {
  authenticateInOrder,
  authenticateTokens,
  type Authenticator,
  bearerTokens,
  pluginAuthenticator,
  Unauthenticated,
} from "../../kernel/access/authentication/mod.ts";
import type { OpenedAuthenticator } from "../../core/authentication.ts";
import { clientCertificates } from "./client-certificate.ts";
import { frontProxy } from "./front-proxy.ts";
import { tokenFile } from "./token-file.ts";
import { tokenReviewer } from "./reviewed-tokens.ts";
import { withoutToken } from "../../core/without-token.ts";
import { refusalLengthMax } from "../../kernel/access/authentication/authenticate.ts";

const base: Exchange = {
  method: "GET",
  url: "/",
  headers: {},
  body: () => Promise.resolve(new Uint8Array()),
  peer: undefined,
  remote: "",
  protocol: "HTTP/1.1",
  signal: new AbortController().signal,
};
const peer = { commonName: "carol", organizations: [], uids: [], fingerprint: "f1", expires: 0 };
const bearer = (token: string): Exchange => ({ ...base, headers: { authorization: `Bearer ${token}` } });

function tokens(...authenticators: readonly TokenAuthenticator[]): Authenticator {
  return bearerTokens(authenticateTokens({ authenticators: () => authenticators, audiences: () => [], report: () => {} }));
}

/** An authenticator as the plugin defines it. */
function ofRequests(authenticate: NonNullable<OpenedAuthenticator["authenticate"]>): Authenticator {
  const needs = { clock: systemClock, report: (error: unknown) => assert.fail(String(error)) };
  return pluginAuthenticator({ name: "one", plainReasons: true }, authenticate, needs);
}

/** The reason of the 401. */
async function reason(exchange: Exchange, ...authenticators: readonly Authenticator[]): Promise<string | undefined> {
  try {
    await authenticateInOrder(() => authenticators, () => false, () => {})(exchange);
  } catch (error) {
    assert.ok(error instanceof Unauthenticated, String(error));
    assert.equal(error.message, "Unauthorized", "the client learns nothing");
    return error.refusal;
  }
  return assert.fail("accepted");
}

const accounts = serviceAccountTokens({
  verify: tokenVerifier({ keys: () => testKeys, issuers: () => [issuer], hash: (token) => token, isCertificate }),
  lookup: fakeLookup({}),
  names: () => defaultNames,
  audiences: () => ["here"],
  looksUp: () => true,
  meter: { legacy() {}, projected() {}, legacyUse() {} },
  used() {},
  now: () => now,
});

async function accountToken(audience: string, issued = now / 1000): Promise<string> {
  const claims = { issuer, audiences: [audience], namespace, account, bound: undefined, id: "j1", now: issued, seconds: 600 };
  return await signedToken(boundPayload({ ...claims, warnAfterSeconds: undefined }), await testKey);
}

/** A reviewer of tokens that answers with this error, or with this HTTP status. */
function reviewer(name: string, error: (token: string) => string, status = 201): TokenAuthenticator {
  return tokenReviewer({
    name,
    client: {
      send: ({ body }) => {
        const { spec: { token } } = body as { spec: { token: string } }; // As tokenReviewer() sends it.
        const said = { kind: "TokenReview", status: { authenticated: false, error: error(token) } };
        return Promise.resolve({ status, body: status === 201 ? said : { kind: "Status", message: error(token) } });
      },
    },
    path: "",
    apiVersion: "authentication.k8s.io/v1",
    audiences: () => [],
    signal: base.signal,
  });
}

const proxyOptions = {
  "requestheader-allowed-names": ["front"],
  "requestheader-username-headers": ["x-remote-user"],
  "requestheader-uid-headers": [],
  "requestheader-group-headers": [],
  "requestheader-extra-headers-prefix": [],
};
const certificates = ofRequests(clientCertificates(() => true));
const jwt: TokenAuthenticator = {
  name: "jwt",
  authenticateToken: (token) => Promise.reject(new TokenRefusal(`oidc: verify token: malformed: ${token}`)),
};
const secret = "s3cret-token-of-ann";

const cases:
  readonly (readonly [what: string, exchange: () => Promise<Exchange> | Exchange, by: Authenticator, reason: string | RegExp])[] = [
    [
      "an untrusted certificate",
      () => ({ ...base, peerRefused: "unknown authority" }),
      certificates,
      "client certificate: unknown authority",
    ],
    [
      "a certificate with two uids",
      () => ({ ...base, peer: { ...peer, uids: ["1", "2"] } }),
      certificates,
      "client certificate: the subject has more than one uid",
    ],
    [
      "a certificate with an empty uid",
      () => ({ ...base, peer: { ...peer, uids: [""] } }),
      certificates,
      "client certificate: the uid in the subject is empty",
    ],
    [
      "a front proxy with another name",
      () => ({ ...base, frontProxy: peer, headers: { "x-remote-user": "ann" } }),
      ofRequests(frontProxy(() => proxyOptions)),
      'front proxy: the common name "carol" is not allowed',
    ],
    ["a token that is not in the file", () => bearer(secret), tokens(tokenFile("other-token,bob,1\n")), "invalid bearer token"],
    [
      "a service account's token for another audience",
      async () => bearer(await accountToken("there")),
      tokens(accounts),
      '[invalid bearer token, token audiences ["there"] is invalid for the target audiences ["here"]]',
    ],
    [
      "a service account's token that has expired",
      async () => bearer(await accountToken("here", now / 1000 - 7200)),
      tokens(accounts),
      "[invalid bearer token, service account token has expired]",
    ],
    [
      "a service account's token whose signature is another's",
      async () => bearer(`${(await accountToken("here")).split(".").slice(0, 2).join(".")}.${(await accountToken("there")).split(".")[2]}`),
      tokens(accounts),
      "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]",
    ],
    [
      "a service account's token whose account is gone",
      async () => bearer(await accountToken("here")),
      tokens(accounts),
      /^\[invalid bearer token, serviceaccounts ".*" not found\]$/,
    ],
    [
      "an issuer's token",
      () => bearer(secret),
      tokens(jwt),
      "[invalid bearer token, oidc: verify token: malformed: <token>]",
    ],
    [
      "a token that the webhook refuses",
      () => bearer(secret),
      tokens(reviewer("webhook", (token) => `${token} was revoked`)),
      "[invalid bearer token, <token> was revoked]",
    ],
    [
      "a token that the webhook fails to review",
      () => bearer(secret),
      tokens(reviewer("webhook", (token) => `cannot review ${token}`, 403)),
      "[invalid bearer token, cannot review <token>]",
    ],
    [
      "a token that the cluster in front refuses",
      () => bearer(secret),
      tokens(reviewer("cluster", () => "token has expired")),
      "[invalid bearer token, token has expired]",
    ],
  ];
for (const [what, exchange, by, wanted] of cases) {
  test(`the reason of a refusal: ${what}`, async () => {
    const found = await reason(await exchange(), by) ?? "";
    if (typeof wanted === "string") assert.equal(found, wanted);
    else assert.match(found, wanted);
    assert.ok(!found.includes(secret));
  });
}

test("the reason of a refusal has those of all authenticators, and is bounded", async () => {
  const exchange = { ...bearer(secret), peerRefused: "unknown authority" };
  assert.equal(
    await reason(exchange, certificates, tokens(tokenFile("other-token,bob,1\n"))),
    "[client certificate: unknown authority, invalid bearer token]",
  );
  const head = "client certificate: ".length;
  for (const [more, length] of [[0, refusalLengthMax], [1, refusalLengthMax]] as const) {
    const long = await reason({ ...base, peerRefused: "x".repeat(refusalLengthMax - head + more) }, certificates);
    assert.equal(long?.length, length);
  }
});

test("a request without credentials has no reason", async () => {
  assert.equal(await reason(base, certificates, tokens(tokenFile(""))), undefined);
});

test("withoutToken() removes the token and its longer parts", () => {
  assert.equal(
    withoutToken("bad aaaaaaaa.bbbbbbbb.cc, aaaaaaaa and bbbbbbbb, cc", "aaaaaaaa.bbbbbbbb.cc"),
    "bad <token>, <token> and <token>, cc",
  );
  assert.equal(withoutToken("bad bbbbbbb", "aaaaaaaa.bbbbbbb"), "bad bbbbbbb");
});
