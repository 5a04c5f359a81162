/** Users in the data of clients and issuers: unverified tokens, claims, key sets, headers, and the configuration. */
import assert from "node:assert/strict";
import { type Target, unless, unlessRefused } from "../fuzz.ts";
import type { Grammar } from "../grammar.ts";
import { jsonGrammar } from "./json.ts";

const claimGrammar: Grammar = {
  claims: [(w) => `{${w.write("claim")}${w.many("next-claim")}}`],
  "next-claim": [",<claim>"],
  claim: ['"<name>":<value>', '"<name>":"text"', '"<name>":["a","system:masters"]'],
  name: ["sub", "groups", "iss", "aud", "exp", "jti", "email", "email_verified", "hd", "_claim_names", "__proto__", "constructor"],
};

/** Header and payload of compact JWTs, and claims by mappings. */
export const claims: Target = {
  name: "claims",
  grammar: {
    ...jsonGrammar,
    ...claimGrammar,
    input: ["<claims>", "<value>", "<part>.<part>.<part>", "<part>.<claims>.<part>", "<part>.<part>"],
    part: ["", "a", "eyJhbGciOiJub25lIn0", "=", (w) => btoa(`{"iss":"i${w.below(9)}"}`), (w) => "A".repeat(w.below(100))],
  },
  start: "input",
  binary: false,
  stepsPerCharacter: 120,
  async open(code) {
    const { untrustedHeader, untrustedIssuer } = await code.load("plugins/authentication/jwt/untrusted.ts");
    const { parsed } = await code.load("plugins/authentication/jwt/document.ts");
    const { tokenObject } = await code.load("plugins/authentication/signed-token.ts");
    const { userOfClaims } = await code.load("plugins/authentication/jwt/claims.ts");
    const { TokenRefusal } = await code.load("core/token-authenticator.ts");
    const { expressionsOf } = await code.load("plugins/authentication/jwt/expressions.ts");
    const mappings = { username: { claim: "sub", prefix: "p:" }, groups: { claim: "groups", prefix: "p:" }, uid: { claim: "email" } };
    const required = new Map([["hd", "text"]]);
    const plain = { mappings, expressions: expressionsOf({ issuer: {}, claimMappings: mappings }), required };
    const groups = { expression: "(type(claims.groups) == list ? claims.groups.map(each, 'p:' + string(each)) : ['p:' + claims.groups])" };
    const claimMappings = { username: { expression: "'p:' + claims.sub" }, groups, uid: {} };
    const rules = { claimValidationRules: [{ expression: "claims.?email.orValue('a').size() < 9" }] };
    const computed = { mappings: claimMappings, expressions: expressionsOf({ issuer: {}, claimMappings, ...rules }), required };
    return (input) => {
      const issuer = untrustedIssuer(input);
      assert.ok(issuer === undefined || typeof issuer === "string");
      assert.equal(typeof (untrustedHeader(input)?.alg ?? ""), "string");
      // The token of any payload.
      const token = `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(input).toString("base64url")}.c2ln`;
      assert.equal(untrustedIssuer(token) === undefined, typeof tokenObject(Buffer.from(input))?.iss !== "string");
      const found = parsed(input);
      if (found === undefined) return;
      for (const each of [plain, computed]) {
        const user = unless([TokenRefusal], () => userOfClaims(found, each));
        if (user === undefined) continue;
        assert.ok([user.name, ...user.groups].every((text: unknown) => typeof text === "string" && text.startsWith("p:")));
      }
    };
  },
};

/** Key sets of issuers. */
export const keySets: Target = {
  name: "key-sets",
  grammar: {
    ...jsonGrammar,
    set: ["<value>", '{"keys":<value>}', (w) => `{"keys":[${w.write("jwk")}${w.many("next-jwk")}]}`],
    "next-jwk": [",<jwk>"],
    jwk: [
      "<value>",
      '{"kty":"RSA","n":<value>,"e":"AQAB"}',
      '{"kty":"EC","crv":"P-256","kid":<value>}',
      '{"kty":"oct","k":"YQ"}',
      '{"kty":"RSA","d":"x"}',
    ],
  },
  start: "set",
  binary: false,
  stepsPerCharacter: 120,
  async open(code) {
    const { usableKeys } = await code.load("plugins/authentication/jwt/usable-keys.ts");
    const { parsed } = await code.load("plugins/authentication/jwt/document.ts");
    return (input) => {
      const value = parsed(input);
      const set = value === undefined ? undefined : unlessRefused(() => usableKeys(value));
      for (const key of set?.keys ?? []) assert.ok(["RSA", "EC"].includes(key.kty) && key.d === undefined);
    };
  },
};

/** The file of --authentication-config. */
export const authenticationConfigurations: Target = {
  name: "authentication-configurations",
  grammar: {
    ...jsonGrammar,
    file: [
      '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"AuthenticationConfiguration","jwt":[<authenticator>],"anonymous":<value>}',
      '{"apiVersion":"apiserver.config.k8s.io/v1beta1","kind":"AuthenticationConfiguration","jwt":<value>}',
      "<value>",
      "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: <value>\n",
    ],
    authenticator: [
      "<value>",
      '{"issuer":<issuer>,"claimMappings":{"username":<mapping>,"groups":<mapping>},"claimValidationRules":[<rule>]}',
    ],
    issuer: ["<value>", '{"url":"<url>","audiences":["a","a"],"audienceMatchPolicy":<string>,"discoveryURL":"<url>"}'],
    url: ["https://a", "https://u:p@a?b#c", "http://", "https://a////", "::", (w) => `https://a${"/".repeat(w.below(500))}`],
    mapping: ["<value>", '{"claim":<string>,"prefix":<string>}', '{"expression":"a"}'],
    rule: ["<value>", '{"claim":<string>,"requiredValue":<string>}', '{"expression":<string>,"message":<string>}'],
  },
  start: "file",
  binary: false,
  // The reader of YAML goes over values in nested flow collections several times. The file is the operator's.
  stepsPerCharacter: 400,
  async open(code) {
    const { readAuthenticationConfiguration } = await code.load("plugins/authentication/configuration/read.ts");
    const context = { disallowedIssuers: ["https://b"], checkCertificates: () => {} };
    return (input) => {
      const found = unlessRefused(() => readAuthenticationConfiguration(input.toWellFormed(), "k8s.io", context));
      for (const { issuer } of found?.jwt ?? []) assert.equal(URL.parse(issuer.url)?.protocol, "https:");
    };
  },
};

/** Headers of impersonation. */
export const impersonation: Target = {
  name: "impersonation",
  grammar: {
    headers: [(w) => w.write("header") + w.many("next")],
    next: ["\n<header>"],
    header: [
      "impersonate-user:<value>",
      "impersonate-group:<value>",
      "impersonate-uid:<value>",
      "impersonate-extra-<key>:<value>",
      "x:<value>",
    ],
    key: ["a", "%2f", "%zz", "%", "__proto__", "\xff", (w) => "%41".repeat(w.below(200))],
    value: [
      "",
      "carol",
      "system:serviceaccount:a:b",
      "system:serviceaccount:a:b:c",
      "system:serviceaccount::",
      "\xff\xfe",
      (w) => ":".repeat(w.below(300)),
    ],
  },
  start: "headers",
  binary: true,
  stepsPerCharacter: 200,
  async open(code) {
    const { hasImpersonation, requestedOf, withoutImpersonation } = await code.load("server/impersonation/requested-user.ts");
    const { StatusError } = await code.load("core/status-error.ts");
    const { defaultNames } = await code.load("core/names.ts");
    return (input) => {
      const headers: Record<string, string[]> = {};
      for (const line of input.split("\n").slice(0, 1000)) {
        const [name = "", value = ""] = [line.slice(0, Math.max(0, line.indexOf(":"))), line.slice(line.indexOf(":") + 1)];
        (headers[name.toLowerCase()] ??= []).push(value);
      }
      const asked = unless([StatusError], () => requestedOf(headers, defaultNames));
      if (!hasImpersonation(headers)) assert.deepEqual(asked, []);
      assert.equal(hasImpersonation(withoutImpersonation(headers)), false);
      if (asked !== undefined && asked.length > 0) assert.ok(["User", "ServiceAccount"].includes(asked[0].kind));
    };
  },
};
