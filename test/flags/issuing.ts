/** Proofs of the flags of service account tokens. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { importPKCS8, SignJWT } from "jose";
import type { SettingName } from "../../server/config/settings.ts";
import { issue as certificate } from "../../server/listen/testing/clients.ts";
import { until } from "../real-server.ts";
import { inFolder, type Proof, type Served, served } from "./served.ts";

const accounts = "/api/v1/namespaces/default/serviceaccounts", secrets = "/api/v1/namespaces/default/secrets";
const own = "https://kubernetes.default.svc";

/** Creates the account `robot`, and returns its UID. */
export async function makeAccount({ client }: Pick<Served, "client">): Promise<string> {
  const made = await client.ask(accounts, { method: "POST", body: { metadata: { name: "robot" } } });
  assert.equal(made.status, 201, made.text);
  return made.json().metadata.uid;
}

export const bootstrapToken = "abcdef.0123456789abcdef";
/** Creates the Secret of `bootstrapToken`, if it is not there. */
export async function makeBootstrapToken({ client }: Pick<Served, "client">): Promise<void> {
  const [id, secret] = bootstrapToken.split(".");
  const stringData = { "token-id": id, "token-secret": secret, "usage-bootstrap-authentication": "true" };
  const body = { metadata: { name: `bootstrap-token-${id}` }, type: "bootstrap.kubernetes.io/token", stringData };
  const { status, text } = await client.ask("/api/v1/namespaces/kube-system/secrets", { method: "POST", body });
  assert.ok(status === 201 || status === 409, text);
}

export interface Issued {
  readonly token: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, any>>;
  readonly spec: { readonly audiences: readonly string[]; readonly expirationSeconds: number };
  readonly warning: string;
}

/** A token of the account `robot`. */
export async function issueToken({ client }: Pick<Served, "client">, spec: object = {}): Promise<Issued> {
  const answer = await client.ask(`${accounts}/robot/token`, { method: "POST", body: { spec } });
  assert.equal(answer.status, 201, answer.text);
  const { token } = answer.json().status;
  const [header, claims] = partsOf(token);
  return { token, header, claims, spec: answer.json().spec, warning: String(answer.headers["warning"] ?? "") };
}
function partsOf(token: string): readonly [Issued["header"], Issued["claims"]] {
  const [header, claims] = token.split(".").slice(0, 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
  return [header, claims];
}

/** The result of a TokenReview: the user name, or the error. */
export async function reviewOf({ client }: Pick<Served, "client">, token: string, audiences?: readonly string[]): Promise<string> {
  const spec = { token, ...(audiences === undefined ? {} : { audiences }) };
  const answer = await client.ask("/apis/authentication.k8s.io/v1/tokenreviews", { method: "POST", body: { spec } });
  const { authenticated, user, error } = answer.json().status;
  return authenticated === true ? user.username : error;
}
const robot = "system:serviceaccount:default:robot";

interface Pair {
  readonly privateKey: string;
  readonly publicKey: string;
}
export function rsaPair(): Pair {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
}

/** The key with this id in a published key set. */
export async function publishedKey(
  { client }: Pick<Served, "client">,
  kid: unknown,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { keys } = (await client.ask("/openid/v1/jwks", { headers: { accept: "*/*" } })).json();
  return keys.find((key: Readonly<Record<string, string>>) => key["kid"] === kid);
}

/** A token for an account with this UID, signed by another holder of the key. */
export async function signedWith(pem: string, uid: string, more: object = {}, issuer = own): Promise<string> {
  const claims = { "kubernetes.io": { namespace: "default", serviceaccount: { name: "robot", uid }, ...more } };
  return await new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).setIssuer(issuer).setAudience(own).setIssuedAt().setNotBefore("0s")
    .setExpirationTime("10m").setSubject(robot).sign(await importPKCS8(pem, "RS256"));
}

async function refusesToStart(args: readonly string[], wanted: RegExp): Promise<void> {
  await assert.rejects(served(args, () => Promise.resolve()), wanted);
}

export const issuing = {
  "service-account-signing-key-file": () =>
    inFolder(async (folder) => {
      const file = join(folder, "signing.pem"), flag = `--service-account-signing-key-file=${file}`;
      const kids: unknown[] = [];
      const forms: readonly (readonly [string, string])[] = [
        ["RS256", rsaPair().privateKey],
        ["RS256", String(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs1", format: "pem" }))],
        ["ES256", String(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "sec1", format: "pem" }))],
        ["ES384", String(generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({ type: "pkcs8", format: "pem" }))],
      ];
      for (const [alg, pem] of forms) {
        await writeFile(file, `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${pem}`);
        for (let times = 0; times < 2; times++) {
          await served([flag], async (server) => {
            await makeAccount(server);
            const { header, token } = await issueToken(server);
            assert.equal(header["alg"], alg);
            assert.equal((await publishedKey(server, header["kid"]))?.["alg"], alg);
            assert.equal(await reviewOf(server, token), robot);
            kids.push(header["kid"]);
          });
        }
      }
      assert.equal(new Set(kids).size, forms.length, "servers with one key have one key id");
      await writeFile(file, rsaPair().publicKey);
      await refusesToStart([flag], /error reading private key file .*signing\.pem: data does not contain a valid RSA or ECDSA private key/);
      await refusesToStart([`${flag}.none`], /cannot read the signing key of service account tokens: .*signing\.pem\.none/);
    }),
  "service-account-key-file": () =>
    inFolder(async (folder) => {
      const [one, two] = [rsaPair(), rsaPair()], other = certificate({ usage: "ca", commonName: "other" }).cert;
      const files = { public: one.publicKey, certificate: other, private: two.privateKey, several: `${one.publicKey}${two.publicKey}` };
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      const outcomes = (names: readonly string[]) => {
        const flags = names.map((name) => `--service-account-key-file=${join(folder, name)}`);
        const found: string[] = [];
        return served(flags, async (server) => {
          const uid = await makeAccount(server);
          for (const pem of [one.privateKey, two.privateKey]) found.push(await reviewOf(server, await signedWith(pem, uid)));
          assert.equal(await reviewOf(server, (await issueToken(server)).token), robot, "its own key verifies in any case");
        }).then(() => found);
      };
      const bad = "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]";
      assert.deepEqual(await outcomes([]), [bad, bad]);
      assert.deepEqual(await outcomes(["public"]), [robot, bad]);
      assert.deepEqual(await outcomes(["public", "private"]), [robot, robot]);
      assert.deepEqual(await outcomes(["several"]), [robot, robot]);
      assert.deepEqual(await outcomes(["certificate"]), [bad, bad], "a certificate of another key");
      await writeFile(join(folder, "none"), "nothing");
      const flag = `--service-account-key-file=${join(folder, "none")}`;
      await refusesToStart([flag], /error reading public key file .*none: data does not contain any valid RSA or ECDSA public keys/);
    }),
  "service-account-issuer": async () => {
    const [first, second] = ["https://one.example.com", "https://two.example.com"];
    await inFolder(async (folder) => {
      const { privateKey } = rsaPair(), file = join(folder, "key.pem");
      await writeFile(file, privateKey);
      const flags = [`--service-account-signing-key-file=${file}`, `--api-audiences=${own}`];
      await served([...flags, `--service-account-issuer=${first}`, `--service-account-issuer=${second}`], async (server) => {
        const uid = await makeAccount(server);
        assert.equal((await issueToken(server)).claims["iss"], first);
        assert.equal(await reviewOf(server, await signedWith(privateKey, uid, {}, second)), robot);
        assert.equal(await reviewOf(server, await signedWith(privateKey, uid, {}, own)), "invalid bearer token");
        assert.equal((await server.client.ask("/.well-known/openid-configuration")).json().issuer, first);
      });
    });
    await served(["--service-account-issuer=plain", "--platform-name=acme"], async (server) => {
      assert.equal((await server.client.ask("/.well-known/openid-configuration")).status, 404, "no https URL has no documents");
      assert.ok(server.logged.some((line) => line.includes("issuer URL must use https scheme, got: plain")));
    });
    await refusesToStart(
      [`--service-account-issuer=${first},${first}`],
      /service-account-issuer "https:\/\/one\.example\.com" is already specified/,
    );
    await refusesToStart(["--service-account-issuer=1:2"], /service-account-issuer "1:2" contained a ':' but was not a valid URL/);
  },
  "service-account-jwks-uri": async () => {
    const uriOf = async ({ client }: Served) => (await client.ask("/.well-known/openid-configuration")).json().jwks_uri;
    await served(
      ["--service-account-jwks-uri=https://keys.example.com/set"],
      async (server) => assert.equal(await uriOf(server), "https://keys.example.com/set"),
    );
    await served([], async (server) => assert.equal(await uriOf(server), `${server.url}/openid/v1/jwks`));
    await refusesToStart(["--service-account-jwks-uri=http://x"], /service-account-jwks-uri requires https scheme, parsed as: http:\/\/x/);
  },
  "service-account-max-token-expiration": async () => {
    await served(["--service-account-max-token-expiration=1h"], async (server) => {
      await makeAccount(server);
      const { spec, claims, warning } = await issueToken(server, { expirationSeconds: 7200 });
      assert.deepEqual([spec.expirationSeconds, claims["exp"] - claims["iat"]], [3600, 3600]);
      assert.equal(warning, '299 - "requested expiration of 7200 seconds shortened to 3600 seconds"');
      assert.equal((await issueToken(server, { expirationSeconds: 600 })).warning, "");
    });
    for (const value of ["59m", "1193047h"]) {
      await refusesToStart(
        [`--service-account-max-token-expiration=${value}`],
        /the service-account-max-token-expiration must be between 1 hour and 2\^32 seconds/,
      );
    }
  },
  // Tokens of pods are extended, and this server has no pods: plugins/authentication/service-accounts/issue_test.ts covers the tokens.
  "service-account-extend-token-expiration": async () => {
    const warnings = ({ logged }: Served) =>
      logged.filter((line) => line.includes("service-account-extend-token-expiration is true")).length;
    await served(["--service-account-max-token-expiration=1h"], (server) => Promise.resolve(assert.equal(warnings(server), 2)));
    await served(["--service-account-max-token-expiration=2h"], (server) => Promise.resolve(assert.equal(warnings(server), 1)));
    await served(
      ["--service-account-max-token-expiration=1h", "--service-account-extend-token-expiration=false"],
      (server) => Promise.resolve(assert.equal(warnings(server), 0)),
    );
  },
  "service-account-lookup": async () => {
    const outcome = async (flag: string) => {
      let found = "";
      await served([flag], async (server) => {
        await makeAccount(server);
        const token = await legacyToken(server);
        assert.equal(await reviewOf(server, token), robot);
        assert.equal((await server.client.ask(`${secrets}/legacy`, { method: "DELETE" })).status, 200);
        found = await reviewOf(server, token);
      });
      return found;
    };
    assert.equal(await outcome("--service-account-lookup=true"), "[invalid bearer token, Token has been invalidated]");
    assert.equal(await outcome("--service-account-lookup=false"), robot);
  },
  "api-audiences": () =>
    served(["--api-audiences=one,two"], async (server) => {
      await makeAccount(server);
      const { spec, token } = await issueToken(server);
      assert.deepEqual(spec.audiences, ["one", "two"]);
      assert.equal(await reviewOf(server, token), robot);
      const other = (await issueToken(server, { audiences: ["three"] })).token;
      assert.match(await reviewOf(server, other), /token audiences \["three"\] is invalid for the target audiences \["one" "two"\]/);
      assert.equal(await reviewOf(server, other, ["three"]), robot);
    }),
} satisfies { readonly [Name in SettingName]?: Proof };

/** The token that the controller writes into a Secret `legacy` of the account `robot`. */
export async function legacyToken({ client }: Pick<Served, "client">): Promise<string> {
  const body = {
    metadata: { name: "legacy", annotations: { "kubernetes.io/service-account.name": "robot" } },
    type: "kubernetes.io/service-account-token",
  };
  assert.equal((await client.ask(secrets, { method: "POST", body })).status, 201);
  return await until(async () => {
    const { data } = (await client.ask(`${secrets}/legacy`)).json();
    assert.equal(typeof data?.token, "string");
    return Buffer.from(data.token, "base64").toString();
  });
}
