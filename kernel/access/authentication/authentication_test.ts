import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../../../core/status-error.ts";
import type { Exchange } from "../../request/exchange.ts";
import { systemClock } from "../../../core/async.ts";
import { authenticateInOrder, authenticateTokens, bearerTokens, pluginAuthenticator } from "./mod.ts";
import { clientCertificates } from "../../../plugins/authentication/client-certificate.ts";
import { parseTokenFile, tokenFile } from "../../../plugins/authentication/token-file.ts";

function exchange(headers: Exchange["headers"], peer?: Exchange["peer"]): Exchange {
  const signal = new AbortController().signal;
  return {
    method: "GET",
    url: "/",
    headers,
    body: () => Promise.resolve(new Uint8Array()),
    peer,
    remote: "",
    protocol: "HTTP/1.1",
    signal,
  };
}
const peer = { commonName: "carol", organizations: ["ops"], uids: [], fingerprint: "f1", expires: 0 };
const file = 'secret-a,alice,1\nsecret-b,bob,2,"dev, ops"\n';

async function world(anonymous = true, parsesUid = () => true) {
  const outcomes: string[] = [];
  const files = [tokenFile(file)];
  const tokens = authenticateTokens({ authenticators: () => files, audiences: () => [], report: () => {} });
  const certificates = pluginAuthenticator(
    { name: "x509", plainReasons: true },
    clientCertificates(parsesUid),
    { clock: systemClock, report: (error) => assert.fail(String(error)) },
  );
  const authenticators = [certificates, bearerTokens(tokens)];
  const authenticate = authenticateInOrder(
    () => authenticators,
    () => anonymous,
    (result) => outcomes.push(result),
  );
  return { authenticate, outcomes };
}
async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "";
}

test("authenticate() identifies users by token and by certificate, and adds the group of authenticated users", async () => {
  const { authenticate, outcomes } = await world();
  assert.deepEqual(await authenticate(exchange({ authorization: "Bearer secret-b" })), {
    name: "bob",
    uid: "2",
    groups: ["dev", "ops", "system:authenticated"],
  });
  assert.deepEqual(await authenticate(exchange({ authorization: "bearer secret-a" })), {
    name: "alice",
    uid: "1",
    groups: ["system:authenticated"],
  });
  assert.equal((await authenticate(exchange({}, peer))).name, "carol");
  assert.deepEqual(outcomes, ["success", "success", "success"]);
});

test("authenticate() rejects an unknown token, even if anonymous requests are allowed", async () => {
  const { authenticate } = await world();
  for (const bad of ["Bearer nope", "bearer nope", "Bearer nope secret-a", "  Bearer nope", "Bearer __proto__", "Bearer secret-"]) {
    assert.equal(await refusal(authenticate(exchange({ authorization: bad }))), "401 Unauthorized", bad);
  }
});

test("authenticate() ignores an Authorization header without a bearer token", async () => {
  const { authenticate } = await world();
  for (const none of ["", "Bearer", "Bearer   ", "lonely", "Bearer:lonely", "Basic c2VjcmV0LWE6", "Token secret-a", "Bearer\tsecret-a"]) {
    assert.equal((await authenticate(exchange({ authorization: none }))).name, "system:anonymous", none);
    assert.equal((await authenticate(exchange({ authorization: none }, peer))).name, "carol", none);
    assert.equal(await refusal((await world(false)).authenticate(exchange({ authorization: none }))), "401 Unauthorized", none);
  }
});

test("authenticate() ignores a token after two spaces, and warns", async () => {
  const { authenticate } = await world();
  const warnings: string[] = [];
  const user = await authenticate(exchange({ authorization: "Bearer  secret-a" }), (text) => warnings.push(text));
  assert.equal(user.name, "system:anonymous");
  assert.deepEqual(warnings, ["the provided Authorization header contains extra space before the bearer token, and is ignored"]);
});

test("authenticate() uses the first word after Bearer, and the first of several headers", async () => {
  const { authenticate } = await world();
  assert.equal((await authenticate(exchange({ authorization: "Bearer secret-a x" }))).name, "alice");
  assert.equal((await authenticate(exchange({ authorization: ["Bearer secret-b", "Bearer nope"] }))).name, "bob");
});

test("authenticate() rejects a certificate that is not trusted, unless a token identifies the user", async () => {
  const { authenticate } = await world();
  const untrusted = { ...exchange({}), peerRefused: "signed by an unknown authority" };
  assert.equal(await refusal(authenticate(untrusted)), "401 Unauthorized");
  assert.equal((await authenticate({ ...untrusted, headers: { authorization: "Bearer secret-a" } })).name, "alice");
});

test("authenticate() returns the certificate's fingerprint, and the uid in it while the gate is enabled", async () => {
  let on = true;
  const { authenticate } = await world(true, () => on);
  const known = { name: "carol", groups: ["ops", "system:authenticated"] };
  const extra = { "authentication.kubernetes.io/credential-id": ["X509SHA256=f1"] };
  assert.deepEqual(await authenticate(exchange({}, peer)), { ...known, extra });
  const named = { ...peer, uids: ["7"] };
  assert.deepEqual(await authenticate(exchange({}, named)), { ...known, uid: "7", extra });
  on = false;
  assert.deepEqual(await authenticate(exchange({}, named)), { ...known, extra }, "also on a connection that was open before");
});

test("authenticate() rejects a certificate with two uids or an empty one, while the gate is enabled", async () => {
  for (const uids of [["1", "2"], [""], ["1", "1"]]) {
    assert.equal(await refusal((await world()).authenticate(exchange({}, { ...peer, uids }))), "401 Unauthorized", uids.join());
    assert.equal((await (await world(true, () => false)).authenticate(exchange({}, { ...peer, uids }))).name, "carol");
  }
});

test("authenticate() ignores a certificate without a common name", async () => {
  assert.equal((await (await world()).authenticate(exchange({}, { ...peer, commonName: "" }))).name, "system:anonymous");
});

test("authenticate() does not add the authenticated group to the anonymous user, with any authenticator", async () => {
  const { authenticate } = await world();
  const stranger = { ...peer, commonName: "system:anonymous", organizations: ["system:unauthenticated"] };
  assert.deepEqual((await authenticate(exchange({}, stranger))).groups, ["system:unauthenticated"]);
});

test("authenticate() counts anonymous requests as successes, and each result once", async () => {
  const { authenticate, outcomes } = await world();
  await authenticate(exchange({}));
  await refusal(authenticate(exchange({ authorization: "Bearer nope" })));
  assert.deepEqual(outcomes, ["success", "failure"]);
});

test("authenticate() allows anonymous requests only if configured", async () => {
  assert.deepEqual(await (await world()).authenticate(exchange({})), { name: "system:anonymous", groups: ["system:unauthenticated"] });
  assert.equal(await refusal((await world(false)).authenticate(exchange({}))), "401 Unauthorized");
});

test("parseTokenFile() reports the line of a mistake, and no token", () => {
  assert.throws(
    () => parseTokenFile("secret-a,alice,1\nsecret-b\n"),
    (error: Error) => /line 2/.test(error.message) && !/secret/.test(error.message),
  );
  assert.throws(() => parseTokenFile("secret-a,alice\n"), /line 1: expected token,user,uid/);
  assert.equal(parseTokenFile('t,u,"1","a ""b"""\n').get("t")!.groups[0], 'a "b"');
});
