import assert from "node:assert/strict";
import type { Target } from "../fuzz.ts";

const segment = (text: string): string => Buffer.from(text, "latin1").toString("base64url");

/** JSON Web Tokens of clients before their verification, and the claims of verified ones. */
export const jwt: Target = {
  name: "jwt",
  grammar: {
    token: ["<header>.<payload>.<signature>", "<header>.<payload>", "<header>.<payload>.<signature>.<signature>", "..", "<signature>"],
    header: [(w) => segment(w.write("header-json")), "<signature>", "="],
    "header-json": [
      '{"alg":"RS256","kid":"<text>"}',
      '{"alg":"none"}',
      '{"alg":<value>,"kid":<value>,"jwk":<value>}',
      '{"typ":"JWT","alg":"ES256","crit":["b64"],"b64":false}',
      "<value>",
    ],
    payload: [(w) => segment(w.write("claims")), "<signature>"],
    claims: [(w) => `{"iss":"https://kubernetes.default.svc"${w.many("claim")}}`, '{"iss":"kubernetes/serviceaccount"<claim>}', "<value>"],
    claim: [
      ',"<name>":<value>',
      ',"aud":[<value>,"<text>"]',
      ',"kubernetes.io":{"namespace":<value>,"serviceaccount":{"name":<value>,"uid":"<text>"},"secret":<value>,"warnafter":<value>}',
      ',"kubernetes.io/serviceaccount/secret.name":<value>',
    ],
    name: ["sub", "aud", "exp", "nbf", "iat", "jti", "iss", "__proto__", "kubernetes.io", "constructor"],
    value: [
      "1",
      "-1.5e300",
      "1e999",
      "null",
      "true",
      '"<text>"',
      "[]",
      "{}",
      "[<value>]",
      '{"name":<value>}',
      '{"__proto__":<value>}',
      "",
      "\xff",
    ],
    text: ["a", "", "..", "\\u0000", "\\ud800", "/", "<text><text>", "system:masters"],
    signature: ["eA", "", "a", "+/", "-_", "====", "e A", (w) => "A".repeat(w.below(400))],
  },
  start: "token",
  binary: false,
  stepsPerCharacter: 60,
  async open(code) {
    const { untrustedHeader, untrustedIssuer } = await code.load("plugins/authentication/service-accounts/untrusted.ts");
    const { tokenObject } = await code.load("plugins/authentication/signed-token.ts");
    const { readClaims } = await code.load("plugins/authentication/service-accounts/claims.ts");
    const others = await code.load("plugins/authentication/jwt/untrusted.ts");
    return (input) => {
      const issuer = untrustedIssuer(input), header = untrustedHeader(input);
      assert.ok(issuer === undefined || typeof issuer === "string");
      assert.ok(header === undefined || typeof header.kid === "string");
      // The other parser rejects unused bits of the signature at once.
      const other = others.untrustedIssuer(input);
      if (issuer !== undefined && other !== undefined) assert.equal(other, others.wholeIssuer(issuer), "both parsers see one issuer");
      others.untrustedHeader(input);
      const payload = tokenObject(Buffer.from(input.split(".")[1] ?? "", "base64url"));
      const claims = payload && readClaims(payload);
      if (claims === undefined) return;
      const { subject, audiences, id, namespace, account } = claims;
      for (const text of [subject, id, namespace, account.name, account.uid, ...audiences]) assert.equal(typeof text, "string");
      for (const time of [claims.expires, claims.notBefore, claims.issuedAt]) assert.ok(time === undefined || Number.isInteger(time));
    };
  },
};
