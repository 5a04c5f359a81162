// Tokens of issuers on loopback: valid ones, and every kind of invalid token or issuer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exportSPKI, SignJWT, UnsecuredJWT } from "jose";
import { systemClock } from "../core/async.ts";
import { type ExpiringUser, TokenRefusal } from "../core/token-authenticator.ts";
import { cachedTokens } from "../kernel/access/authentication/mod.ts";
import type { IssuerConfig } from "../plugins/authentication/configuration/schema.ts";
import { JwtAuthenticator, signingAlgorithms } from "../plugins/authentication/jwt/authenticator.ts";
import { isCertificate } from "./service-accounts/accounts.ts";
import { issuerDocumentBytesMax, issuerFetch } from "../server/startup/issuer-fetch.ts";
import { keyedHash } from "../server/startup/keyed-hash.ts";
import { type OidcIssuer, openIssuer } from "./oidc-issuer.ts";
import { until } from "./real-server.ts";
import { keyFetchBurst, keyFetchMs, keyFetchWaitersMax, keySetAgeMs } from "../plugins/authentication/jwt/remote-keys.ts";
import { jwtLengthMax } from "../plugins/authentication/jwt/untrusted.ts";
import { claimGroupsMax } from "../plugins/authentication/jwt/expressions.ts";
import { tokenLookupsMax } from "../core/token-cache.ts";
import { keysOfSetMax } from "../plugins/authentication/jwt/usable-keys.ts";

function configured(issuer: Pick<OidcIssuer, "url" | "ca">, more: Partial<IssuerConfig["issuer"]> = {}): IssuerConfig {
  return {
    issuer: { url: issuer.url, certificateAuthority: issuer.ca, audiences: ["thole"], ...more },
    claimMappings: { username: { claim: "sub", prefix: "oidc:" }, groups: { claim: "groups", prefix: "oidc:" }, uid: {} },
  };
}

async function world(authenticators: readonly IssuerConfig[], waits = true, algorithms = signingAlgorithms) {
  const reports: string[] = [], verified: string[] = [], fetched: boolean[] = [];
  const pauses = new Set<() => void>();
  const clock = {
    skewMs: 0,
    now: () => Date.now() + clock.skewMs,
    after(ms: number, run: () => void) {
      pauses.add(run);
      const cancel = systemClock.after(ms, run);
      return () => {
        pauses.delete(run);
        cancel();
      };
    },
    /** Waits for the next pause, and ends it. */
    skip: () =>
      until(() => {
        assert.ok(pauses.size > 0);
        for (const run of [...pauses]) run();
      }),
  };
  const authenticator = new JwtAuthenticator({
    algorithms,
    audiences: () => ["this-server"],
    fetchWith: issuerFetch,
    clock,
    elapsed: () => clock.now(),
    meter: {
      verified: (_issuer, result) => verified.push(result),
      keysFetched: (_issuer, text) => fetched.push(text !== undefined),
      removed: () => {},
    },
    isCertificate,
    report: (sentence, error) => reports.push(`${sentence}: ${String(error)}`),
  });
  const { active } = authenticator.replace(authenticators);
  if (waits) await active;
  const names = async (token: string): Promise<string> => {
    try {
      const found = await authenticator.authenticateToken(token, []);
      if (found === undefined || found === "refused") return String(found);
      return [found.user.name, ...found.user.groups].join(" ");
    } catch (error) {
      return `${error instanceof TokenRefusal ? "refused" : "failed"}: ${error instanceof Error ? error.message : error}`;
    }
  };
  return { authenticator, names, reports, verified, fetched, clock, [Symbol.dispose]: () => authenticator.close() };
}

async function withIssuer(run: (issuer: OidcIssuer) => Promise<void>): Promise<void> {
  const issuer = await openIssuer();
  try {
    await run(issuer);
  } finally {
    await issuer.close();
  }
}

test("expressions of claims determine the user, and rules of claims and of the user refuse tokens", () =>
  withIssuer(async (issuer) => {
    const base = configured(issuer);
    const config: IssuerConfig = {
      ...base,
      claimMappings: {
        username: { expression: "'oidc:' + claims.person.first__dot__name" },
        groups: { expression: "claims.roles.split(',').map(role, 'oidc:' + role) + ['']" },
        uid: { expression: "claims.?uid.orValue('none')" },
        extra: [
          { key: "example.com/level", valueExpression: "[string(claims.level), type(claims.level) == double ? 'double' : 'other']" },
          { key: "example.com/empty", valueExpression: "''" },
        ],
      },
      claimValidationRules: [
        { claim: "hd", requiredValue: "example.com" },
        { expression: "claims.exp - claims.iat <= 86400.0", message: "the token lives too long" },
      ],
      userValidationRules: [{ expression: "!user.username.startsWith('oidc:system')", message: "reserved" }],
    };
    using found = await world([config]);
    const claims = {
      person: { "first.name": "ada" },
      roles: "dev,ops",
      level: 3,
      hd: "example.com",
      iat: 0,
      exp: undefined as number | undefined,
    };
    const now = Math.floor(Date.now() / 1000);
    const token = (more: object) => issuer.token({ ...claims, iat: now, exp: now + 600, ...more });
    const { user } = await found.authenticator.authenticateToken(await token({ jti: "t1" }), []) as ExpiringUser;
    assert.deepEqual(user, {
      name: "oidc:ada",
      uid: "none",
      groups: ["oidc:dev", "oidc:ops"],
      extra: { "authentication.kubernetes.io/credential-id": ["JTI=t1"], "example.com/level": ["3", "double"] },
    });
    const refused = async (more: object) => await found.names(await token(more));
    assert.match(
      await refused({ exp: now + 900_000 }),
      /^refused: oidc: error evaluating claim validation expression: validation expression 'claims.exp - .*' failed: the token lives too long$/,
    );
    assert.match(
      await refused({ person: { "first.name": "system:admin" } }),
      /^refused: oidc: error evaluating user info validation rule: validation expression '.*' failed: reserved$/,
    );
    assert.match(
      await refused({ person: {} }),
      /^refused: oidc: error evaluating username claim expression: expression '.*' resulted in error: no such key: /,
    );
    assert.match(
      await refused({ roles: ["dev"] }),
      /^refused: oidc: error evaluating group claim expression: expression '.*' resulted in error: no such overload/,
    );
    assert.match(
      await refused({ uid: 7 }),
      /^refused: oidc: error evaluating uid claim expression: uid claim expression must return a string$/,
    );
    assert.match(await refused({ hd: "other.com" }), /^refused: oidc: required claim hd value does not match/);
    const costly = {
      ...base,
      claimMappings: {
        ...base.claimMappings,
        uid: { expression: "claims.many.all(a, claims.many.all(b, claims.many.all(c, a != b + c + 'x'))) ? 'a' : 'b'" },
      },
    };
    using slow = await world([costly]);
    const many = Array.from({ length: 300 }, (_, index) => String(index));
    assert.match(
      await slow.names(await issuer.token({ many })),
      /^refused: oidc: error evaluating uid claim expression: .*cost limit exceeded$/,
    );
  }));

test("a token of a configured issuer determines user, groups and id", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)]);
    const token = await issuer.token({ groups: ["dev", "ops"], jti: "t1" });
    const { expires, ...rest } = await found.authenticator.authenticateToken(token, ["this-server", "other"]) as ExpiringUser;
    assert.ok(expires !== undefined && expires > Date.now());
    assert.deepEqual(rest, {
      user: {
        name: "oidc:jane",
        groups: ["oidc:dev", "oidc:ops"],
        extra: { "authentication.kubernetes.io/credential-id": ["JTI=t1"] },
      },
      audiences: ["this-server"],
    });
    assert.equal(await found.authenticator.authenticateToken(token, ["other"]), undefined, "it is no token for another server");
    assert.deepEqual(found.verified, ["success"]);
    assert.equal(await found.names(await issuer.token({ groups: "dev" })), "oidc:jane oidc:dev");
    assert.equal(await found.names(await issuer.token({ aud: ["x", "thole"] })), "oidc:jane");
    assert.deepEqual(issuer.requests, ["/.well-known/openid-configuration", "/keys"], "keys are fetched once");
  }));

test("every algorithm of the list is verified, if the runtime supports it", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)]);
    // Deno does not support signatures with P-521.
    for (const algorithm of signingAlgorithms.filter((each) => each !== "ES512")) {
      await issuer.rotate(algorithm);
      found.clock.skewMs += keyFetchMs;
      assert.equal(await found.names(await issuer.token({ exp: Date.now() })), "oidc:jane", algorithm);
    }
  }));

test("a token of another issuer, or text that is not a token, is left to other authenticators", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)]);
    const good = await issuer.token();
    const [header, payload, signature] = good.split(".");
    const others = [
      "",
      "secret",
      "a.b.c",
      "..",
      `${header}.${payload}`,
      `${good}.${signature}`,
      `${header}.${payload}=.${signature}`,
      await issuer.token({ iss: "https://other.example.com" }),
      await issuer.token({ iss: `${issuer.url}/` }),
      await issuer.token({ iss: [issuer.url] }),
      await issuer.token({ long: "x".repeat(jwtLengthMax) }),
    ];
    for (const token of others) assert.equal(await found.names(token), "undefined", token.slice(0, 40));
    assert.deepEqual(found.verified, []);
  }));

test("a token with invalid claims is rejected with the reason", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)]);
    const now = Math.floor(Date.now() / 1000);
    const cases: readonly [Record<string, unknown>, RegExp][] = [
      [{ aud: "other" }, /expected audience "thole" got \["other"\]$/],
      [{ aud: undefined }, /expected audience "thole" got \[\]$/],
      [{ aud: { thole: true } }, /the claim "aud" has the wrong type/],
      [{ aud: [1, "thole"] }, /the claim "aud" has the wrong type/],
      [{ aud: [null, "thole"] }, /the claim "aud" has the wrong type/],
      [{ iat: "yesterday" }, /the claim "iat" has the wrong type/],
      [{ nonce: 1 }, /the claim "nonce" has the wrong type/],
      [{ exp: 2 ** 63 }, /the claim "exp" has the wrong type/],
      [{ exp: now - 1 }, /token is expired/],
      [{ exp: undefined }, /token is expired \(Token Expiry: 0001-01-01 00:00:00 \+0000 UTC\)/],
      [{ exp: "9999999999" }, /the claim "exp" has the wrong type/],
      [{ nbf: now + 120 }, /before the nbf/],
      [{ sub: undefined }, /parse username claims "sub": claim not present/],
      [{ sub: 7 }, /the claim "sub" has the wrong type/],
      [{ sub: "" }, /username claim "sub" is empty/],
      [{ groups: ["a", 7] }, /parse groups claim "groups": json: cannot unmarshal array into/],
      [{ groups: { a: "b" } }, /parse groups claim "groups"/],
      [{ groups: Array.from({ length: claimGroupsMax + 1 }, () => "g") }, /more than 5000 groups/],
      [{ _claim_names: { groups: "src" }, _claim_sources: { src: { endpoint: issuer.url } } }, /distributed claims/],
      [{ _claim_names: {} }, /no claim sources/],
    ];
    for (const [claims, reason] of cases) {
      const answer = await found.names(await issuer.token(claims));
      assert.match(answer, /^refused: oidc: /, JSON.stringify(claims).slice(0, 80));
      assert.match(answer, reason);
    }
    assert.equal(await found.names(await issuer.token({ nbf: now + 30 })), "oidc:jane", "clocks may differ by a minute");
    assert.equal(await found.names(await issuer.token({ groups: null })), "oidc:jane");
    assert.equal(issuer.requests.length, 2, "claims are no reason to fetch keys again");
  }));

test("email addresses must not be marked as unverified, and required claims must have their values", () =>
  withIssuer(async (issuer) => {
    const authenticator: IssuerConfig = {
      ...configured(issuer),
      claimValidationRules: [{ claim: "hd", requiredValue: "example.com" }],
      claimMappings: { username: { claim: "email", prefix: "" }, groups: {}, uid: { claim: "oid" } },
    };
    using found = await world([authenticator]);
    const names = async (claims: Record<string, unknown>) =>
      await found.names(await issuer.token({ hd: "example.com", oid: "7", ...claims }));
    assert.equal(await names({ email: "a@example.com" }), "a@example.com");
    assert.equal(await names({ email: "a@example.com", email_verified: true }), "a@example.com");
    assert.equal(await names({ email: "a@example.com", email_verified: false }), "refused: oidc: email not verified");
    assert.match(await names({ email: "a@example.com", email_verified: "false" }), /^refused: oidc: parse 'email_verified' claim/);
    assert.equal(
      await names({ email: "a@example.com", hd: "evil.com" }),
      "refused: oidc: required claim hd value does not match. Got = evil.com, want = example.com",
    );
    assert.equal(await names({ email: "a@example.com", hd: undefined }), "refused: oidc: required claim hd not present in ID token");
    assert.match(await names({ email: "a@example.com", hd: true }), /parse claim hd/);
    assert.match(await names({ email: "a@example.com", oid: undefined }), /parse uid claim "oid": claim not present/);
  }));

test("unsigned tokens, symmetric signatures and algorithms that are not allowed are rejected", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)], true, ["RS256", "ES256"]);
    const claims = { iss: issuer.url, aud: "thole", sub: "jane", exp: Math.floor(Date.now() / 1000) + 60 };
    assert.equal(await found.names(await issuer.token()), "oidc:jane");
    const unsigned = new UnsecuredJWT(claims).encode();
    assert.match(
      await found.names(unsigned),
      /^refused: oidc: verify token: oidc: id token signed with unsupported algorithm.*got "none"$/,
    );
    // The public key as a secret (key confusion): its text, and its encoded form.
    const pem = await exportSPKI(await publicKeyOf(issuer));
    for (const secret of [pem, JSON.stringify(issuer.keys[0])]) {
      const forged = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: issuer.kid }).sign(new TextEncoder().encode(secret));
      assert.match(await found.names(forged), /^refused: .*unsupported algorithm.*got "HS256"$/);
    }
    assert.match(await found.names(await changedHeader(await issuer.token(), { alg: "RS512", kid: issuer.kid })), /got "RS512"$/);
    assert.match(await found.names(await changedHeader(await issuer.token(), { alg: "ES256", kid: issuer.kid })), /^refused: .*verify/);
    assert.match(await found.names(await changedHeader(await issuer.token(), { alg: "rs256", kid: issuer.kid })), /got "rs256"$/);
    assert.match(
      await found.names(await changedHeader(await issuer.token(), { alg: ["RS256"] })),
      /^refused: .*(unsupported algorithm|malformed jwt)/,
    );
  }));

test("a token that two readers could read differently is rejected", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)]);
    const seconds = Math.floor(Date.now() / 1000) + 600;
    const claims = (more = "", exp = String(seconds)) =>
      `{"iss":${JSON.stringify(issuer.url)},"aud":"thole","sub":"jane","exp":${exp}${more}}`;
    const header = `{"alg":"RS256","kid":"${issuer.kid}"}`;
    const signed = async (payload: string | Uint8Array<ArrayBuffer>, head = header) => {
      const segment = (part: string | Uint8Array) => Buffer.from(part).toString("base64url");
      const input = `${segment(head)}.${segment(payload)}`;
      const signature = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", issuer.key, new TextEncoder().encode(input));
      return `${input}.${segment(new Uint8Array(signature))}`;
    };
    assert.equal(await found.names(await signed(claims())), "oidc:jane");
    assert.equal(await found.names(await signed(claims(',"x":1.5e3,"Name":"J","y":[{"a":1},{"a":2}]'))), "oidc:jane");
    const text = new TextEncoder().encode(claims(',"name":"?"'));
    const bytes = text.map((byte) => byte === 0x3f ? 0xff : byte);
    const payloads = [
      claims("", "1e400"),
      claims(',"x":1e999'),
      `\ufeff${claims()}`,
      `${claims()}x`,
      claims(',"sub":"admin"'),
      claims(',"x":{"y":[{"z":1,"z":2}]}'),
      claims(',"SUB":"admin"'),
      claims(',"Aud":"other"'),
      claims(`,"\u017fub":"admin"`),
      claims(',"EXP":1'),
      claims(',"x":"\\ud800"'),
      claims(',"\\udfff":1'),
      claims(`,"x":${"[".repeat(10_000)}${"]".repeat(10_000)}`),
      bytes,
    ];
    for (const payload of payloads) assert.notEqual(await found.names(await signed(payload)), "oidc:jane", String(payload).slice(0, 200));
    const headers = [
      `{"alg":"none","alg":"RS256","kid":"${issuer.kid}"}`,
      `{"alg":"RS256","kid":"x","kid":"${issuer.kid}"}`,
      `\ufeff${header}`,
      '{"alg":"RS256","kid":null}',
      '{"alg":"RS256","kid":1}',
      '{"alg":"RS256","x5c":["AAAA"]}',
      '{"alg":"RS256","x5c":"AAAA"}',
      '{"alg":"RS256","nonce":7}',
      '{"alg":"RS256","jwk":{}}',
      '{"alg":"RS256","b64":true,"crit":["b64"]}',
    ];
    for (const head of headers) assert.notEqual(await found.names(await signed(claims(), head)), "oidc:jane", head);
    // Unused bits of the last letter: another text with the same bytes. Two padded lengths.
    const token = await signed(claims());
    for (const at of [0, 1, 2]) {
      const parts = token.split("."),
        last = parts[at]!.at(-1)!,
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      if (parts[at]!.length % 4 === 0) continue;
      parts[at] = parts[at]!.slice(0, -1) + alphabet[alphabet.indexOf(last) + 1];
      assert.notEqual(await found.names(parts.join(".")), "oidc:jane", `segment ${at}`);
    }
    for (const other of [`${token}=`, `${token}.`, token.replace(".", "=."), ` ${token}`]) {
      assert.equal(await found.names(other), "undefined");
    }
  }));

test("keys within a token are ignored: jwk, jku, x5u, x5c, crit and an invented kid", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)]);
    const evil = await openIssuer();
    try {
      const claims = { iss: issuer.url };
      const headers = [
        { jwk: evil.keys[0], kid: issuer.kid },
        { jku: `${evil.url}/keys`, kid: evil.kid },
        { x5u: `${evil.url}/keys`, kid: "other" },
        { x5c: ["AAAA"], kid: "other" },
        { kid: "../../keys" },
        { kid: "' OR 1=1 --" },
        { kid: "__proto__" },
        { kid: `${evil.url}/keys` },
        { kid: undefined },
      ];
      for (const header of headers) {
        assert.match(
          await found.names(await evil.token(claims, header)),
          /^refused: .*(failed to verify id token signature|malformed jwt)$/,
          JSON.stringify(header),
        );
      }
      assert.match(
        await found.names(await changedHeader(await issuer.token(), { alg: "RS256", kid: issuer.kid, crit: ["exp"] })),
        /^refused/,
      );
      assert.deepEqual(evil.requests, [], "no request to the address in the token");
      assert.ok(issuer.requests.length <= 2 + keyFetchBurst, `${issuer.requests.length} requests`);
      assert.equal(await found.names(await issuer.token({}, { kid: undefined })), "oidc:jane", "a token need not name its key");
    } finally {
      await evil.close();
    }
  }));

test("a rotated key is fetched within the request, and many invented keys cause few requests to the issuer", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)]);
    assert.equal(await found.names(await issuer.token()), "oidc:jane");
    const old = await issuer.token();
    await issuer.rotate();
    assert.equal(await found.names(await issuer.token()), "oidc:jane");
    assert.match(await found.names(old), /^refused/, "the old key is removed");
    const evil = await openIssuer();
    try {
      const forged = await evil.token({ iss: issuer.url }, { kid: "made up" });
      const before = issuer.requests.length;
      for (let i = 0; i < 50; i++) assert.match(await found.names(forged), /^refused/);
      assert.ok(issuer.requests.length - before <= keyFetchBurst, `${issuer.requests.length - before} fetches for 50 tokens`);
      await issuer.rotate();
      assert.match(await found.names(await issuer.token()), /^refused/, "for the length of the flood");
      found.clock.skewMs += keyFetchMs;
      assert.equal(await found.names(await issuer.token()), "oidc:jane");
    } finally {
      await evil.close();
    }
  }));

test("concurrent requests share one fetch of keys", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)]);
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => issuer.token({ sub: `user-${i}` })));
    assert.deepEqual(await Promise.all(tokens.map(found.names)), tokens.map((_, i) => `oidc:user-${i}`));
    assert.equal(issuer.requests.filter((path) => path === "/keys").length, 1);
  }));

test("cached keys are used while an issuer fails, and old ones are fetched again", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)]);
    const token = await issuer.token({ exp: Date.now() });
    assert.equal(await found.names(token), "oidc:jane");
    issuer.answer = () => ({ status: 500, body: "broken" });
    found.clock.skewMs += keySetAgeMs + 1;
    assert.equal(await found.names(token), "oidc:jane");
    await until(() => assert.deepEqual(found.fetched, [true, false], "it was tried in the background"));
    await issuer.rotate();
    assert.match(
      await found.names(await issuer.token({ exp: Date.now() })),
      /^failed: oidc: fetching keys oidc: get keys failed: status 500$/,
    );
  }));

test("an issuer that is unavailable or silent makes only its own tokens fail", () =>
  withIssuer(async (issuer) => {
    const dead = await openIssuer();
    await dead.close();
    const silent = await openIssuer();
    silent.answer = () => "silent";
    try {
      using found = await world([configured(dead), configured(silent), configured(issuer)], false);
      const token = await issuer.token();
      await until(async () => assert.equal(await found.names(token), "oidc:jane"));
      assert.equal(await found.names(await dead.token()), "failed: oidc: authenticator not initialized");
      assert.equal(await found.names(await silent.token()), "failed: oidc: authenticator not initialized");
      assert.ok(found.reports.some((line) => line.includes(dead.url)));
    } finally {
      await silent.close();
    }
  }));

test("a flood of tokens of an issuer whose keys do not come leaves room for tokens of other issuers", () =>
  withIssuer(async (issuer) => {
    const silent = await openIssuer();
    silent.answer = (path) => path === "/keys" ? "silent" : undefined;
    let closed: Promise<void> | undefined;
    try {
      using found = await world([configured(silent), configured(issuer)]);
      const cached = cachedTokens(found.authenticator, { acceptedMs: 1000, refusedMs: 0, hash: keyedHash(), now: Date.now });
      const segment = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const failures: string[] = [];
      const flood = Array.from({ length: tokenLookupsMax }, (_, at) => {
        const token = `${segment({ alg: "RS256", kid: "x" })}.${segment({ iss: silent.url, at })}.AAAA`;
        return cached.authenticateToken(token, []).catch((error: Error) => void failures.push(error.message));
      });
      await until(() => assert.equal(failures.length, tokenLookupsMax - keyFetchWaitersMax));
      assert.equal(new Set(failures).size, 1);
      assert.equal(failures[0], "oidc: too many tokens wait for the keys of the issuer");
      const answer = await cached.authenticateToken(await issuer.token(), []);
      assert.equal((answer as ExpiringUser).user.name, "oidc:jane");
      await (closed = silent.close());
      await Promise.all(flood);
      assert.equal(failures.length, tokenLookupsMax);
    } finally {
      await (closed ?? silent.close());
    }
  }));

test("documents of an issuer are bounded and validated", () =>
  withIssuer(async (issuer) => {
    const bomb = (path: string, body: string) => {
      issuer.answer = (asked) => asked === path ? { body } : undefined;
    };
    const failing = async (reason: RegExp) => {
      using found = await world([configured(issuer)]);
      assert.match(await found.names(await issuer.token()), reason);
    };
    bomb("/keys", `{"keys":[${'{"kty":"RSA"},'.repeat(50_000)}null]}`);
    await failing(/^failed: oidc: fetching keys the answer is larger than 524288 bytes/);
    bomb("/keys", JSON.stringify({ keys: Array.from({ length: keysOfSetMax + 1 }, () => issuer.keys[0]) }));
    await failing(/^failed: oidc: fetching keys oidc: the key set has 101 keys, more than 100/);
    bomb("/keys", "not json");
    await failing(/^failed: oidc: fetching keys oidc: keys is no JSON object/);
    bomb("/keys", "[]");
    await failing(/no JSON object/);
    bomb("/keys", '{"keys":{}}');
    await failing(/the key set has no keys/);
    bomb(
      "/keys",
      JSON.stringify({
        keys: [null, 7, { kty: "oct", k: "c2VjcmV0", kid: issuer.kid }, { kty: "RSA", n: "x".repeat(20_000), kid: issuer.kid }],
      }),
    );
    await failing(/^refused: .*failed to verify id token signature/);
    bomb("/keys", JSON.stringify({ keys: [{ ...issuer.keys[0], use: "enc" }] }));
    await failing(/^refused/);
    bomb("/keys", JSON.stringify({ keys: [...Array.from({ length: 5 }, () => ({ ...issuer.keys[0], n: "AQAB" })), issuer.keys[0]] }));
    await failing(/^oidc:jane$/);

    const undiscovered = async (answer: OidcIssuer["answer"], reason: RegExp) => {
      issuer.answer = answer;
      using found = await world([configured(issuer)], false);
      await until(() => assert.match(found.reports.join(), reason));
    };
    const own = (more: object) => () => ({ body: JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...more }) });
    await undiscovered(own({ issuer: "https://other.example.com" }), /issuer did not match the issuer returned by provider/);
    await undiscovered(own({ jwks_uri: "http://127.0.0.1/keys" }), /did not return a JWKS URL with the scheme https/);
    await undiscovered(own({ jwks_uri: undefined }), /did not return a JWKS URL/);
    await undiscovered(() => ({ status: 302, headers: { location: "http://127.0.0.1/" }, body: "" }), /is not https/);
    await undiscovered(() => ({ status: 302, headers: { location: "/again" }, body: "" }), /stopped after 10 redirects/);
    await undiscovered(() => ({ body: "{".repeat(issuerDocumentBytesMax + 1) }), /larger than 524288 bytes/);
  }));

test("redirects are followed, and another discovery URL is used", () =>
  withIssuer(async (issuer) => {
    issuer.answer = (path) =>
      path === "/.well-known/openid-configuration"
        ? { status: 307, headers: { location: "/elsewhere/.well-known/openid-configuration" }, body: "" }
        : undefined;
    using redirected = await world([configured(issuer)]);
    assert.equal(await redirected.names(await issuer.token()), "oidc:jane");
    using found = await world([configured(issuer, { discoveryURL: `${issuer.url}/inside/.well-known/openid-configuration` })]);
    assert.equal(await found.names(await issuer.token()), "oidc:jane");
    assert.ok(issuer.requests.includes("/inside/.well-known/openid-configuration"));
  }));

test("the certificate of an issuer must be signed by its CA", () =>
  withIssuer(async (issuer) => {
    const other = await openIssuer();
    try {
      for (const ca of [other.ca, ""]) {
        using found = await world([configured({ url: issuer.url, ca })], false);
        await until(() => assert.equal(found.reports.length, 1));
        assert.deepEqual(issuer.requests, []);
      }
    } finally {
      await other.close();
    }
  }));

test("replaced issuers: unchanged ones keep their keys, removed ones are invalid at once", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)]);
    const token = await issuer.token();
    assert.equal(await found.names(token), "oidc:jane");
    const other = await openIssuer();
    try {
      await found.authenticator.replace([configured(other), configured(issuer)]).active;
      assert.equal(await found.names(token), "oidc:jane");
      assert.equal(await found.names(await other.token()), "oidc:jane");
      assert.equal(issuer.requests.length, 2);
      await found.authenticator.replace([configured(other)]).active;
      assert.equal(await found.names(token), "undefined");
      await found.authenticator.replace([]).active;
      assert.equal(await found.names(await other.token()), "undefined");
    } finally {
      await other.close();
    }
  }));

test("a change of rules is active at once, also while the issuer does not answer; a new issuer is active, with all of its configuration, when it answers", () =>
  withIssuer(async (issuer) => {
    using found = await world([configured(issuer)]);
    const token = await issuer.token({ name: "j" });
    assert.equal(await found.names(token), "oidc:jane");
    issuer.answer = () => "silent";
    const prefixed = (one: IssuerConfig, prefix: string): IssuerConfig => ({
      ...one,
      claimMappings: { ...one.claimMappings, username: { claim: "sub", prefix } },
    });
    const ruled = found.authenticator.replace([prefixed(configured(issuer), "new:")]);
    assert.deepEqual([ruled.isActive(), await found.names(token)], [true, "new:jane"]);

    const late = await openIssuer();
    late.answer = () => "silent";
    try {
      let adopted = 0;
      const first = found.authenticator.replace([prefixed(configured(issuer), "next:"), configured(late)], () => adopted++);
      assert.deepEqual([first.isActive(), first.waitsFor(), await found.names(token)], [false, [late.url], "new:jane"]);
      // A rule changes meanwhile: the discovery that is under way continues.
      const second = found.authenticator.replace([prefixed(configured(issuer), "last:"), configured(late)], () => adopted++);
      assert.equal(await found.names(token), "new:jane");
      await until(() => assert.equal(late.requests.length, 1));
      // The silent request is ended, so that the next attempt follows.
      late.answer = () => undefined;
      late.drop();
      await found.clock.skip();
      await second.active;
      assert.deepEqual([first.isActive(), second.isActive(), adopted], [false, true, 1]);
      assert.deepEqual([await found.names(token), await found.names(await late.token())], ["last:jane", "oidc:jane"]);
      // Another CA for the same issuer: the keys are not carried over, and the old configuration stays until the new one is ready.
      const other = found.authenticator.replace([configured({ url: issuer.url, ca: late.ca })]);
      assert.deepEqual([other.isActive(), other.waitsFor(), await found.names(token)], [false, [issuer.url], "last:jane"]);
      // Taking it back is active at once.
      assert.equal(found.authenticator.replace([configured(issuer)]).isActive(), true);
      assert.equal(await found.names(token), "oidc:jane");
    } finally {
      await late.close();
    }
  }));

async function publicKeyOf(issuer: OidcIssuer): Promise<CryptoKey> {
  const { importJWK } = await import("jose");
  return await importJWK({ ...issuer.keys[0]!, ext: true }, "RS256", { extractable: true }) as CryptoKey; // Not a symmetric key.
}

/** The token with another header and the old signature. */
async function changedHeader(token: string, header: object): Promise<string> {
  return [Buffer.from(JSON.stringify(header)).toString("base64url"), ...token.split(".").slice(1)].join(".");
}
