// A relying party that is a program with a service account: it verifies another account's token by the discovery documents alone.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import { served } from "../flags/served.ts";
import { type Client, httpsClient } from "../https.ts";

const accounts = "/api/v1/namespaces/default/serviceaccounts";

interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp: number;
}

/** The claims of a token, if a key of the issuer signed it. */
function verified(token: string, issuer: string, keys: readonly (JsonWebKey & { readonly kid?: string })[]): Claims {
  const [head = "", body = "", signature = ""] = token.split(".");
  const part = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString());
  const { alg, kid } = part(head), claims: Claims = part(body);
  assert.equal(alg, "RS256");
  const key = keys.find((each) => each.kid === kid);
  assert.ok(key !== undefined, `no key ${kid}`);
  const signed = verify(
    "RSA-SHA256",
    Buffer.from(`${head}.${body}`),
    createPublicKey({ key, format: "jwk" }),
    Buffer.from(signature, "base64url"),
  );
  assert.ok(signed, "the signature");
  assert.equal(claims.iss, issuer);
  return claims;
}

async function tokenOf(client: Client, name: string, audiences?: readonly string[]): Promise<string> {
  const spec = audiences === undefined ? {} : { audiences };
  const answer = await client.ask(`${accounts}/${name}/token`, { method: "POST", body: { spec } });
  assert.equal(answer.status, 201, answer.text);
  return answer.json().status.token;
}

test("a service account reads the discovery documents and verifies tokens by them, and other users cannot read them", () =>
  served(["--service-account-issuer=https://issuer.example.com"], async (server) => {
    const { client: admin } = server;
    for (const name of ["relying", "presenting"]) {
      assert.equal((await admin.ask(accounts, { method: "POST", body: { metadata: { name } } })).status, 201);
    }
    const relying = httpsClient({ ...server, token: await tokenOf(admin, "relying") });
    const alice = httpsClient({ ...server, token: server.tokens.alice });
    try {
      const { issuer, jwks_uri: place } = (await relying.ask("/.well-known/openid-configuration")).json();
      assert.equal(issuer, "https://issuer.example.com");
      const { keys } = (await relying.ask(new URL(place).pathname)).json();
      const claims = verified(await tokenOf(admin, "presenting", ["the-relying-party"]), issuer, keys);
      assert.deepEqual([claims.sub, claims.aud], ["system:serviceaccount:default:presenting", ["the-relying-party"]]);
      assert.ok(claims.exp * 1000 > Date.now());
      for (const path of ["/.well-known/openid-configuration", "/openid/v1/jwks"]) assert.equal((await alice.ask(path)).status, 403, path);
    } finally {
      relying.close();
      alice.close();
    }
  }));
