/** A small OpenID Connect issuer on loopback, with key rotation and the faults that tests need. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { openPki } from "../server/listen/pki.ts";
import { defaultNames } from "../core/names.ts";

type Handler = (
  url: string,
) => { readonly status?: number; readonly headers?: Record<string, string>; readonly body: string } | "silent" | undefined;

export interface OidcIssuer {
  readonly url: string;
  /** PEM of the authority of its certificate. */
  readonly ca: string;
  /** Paths that were requested. */
  readonly requests: string[];
  /** Overrides responses; undefined selects the usual one. */
  answer: Handler;
  /** Replaces the key. New tokens are signed by it. */
  rotate(algorithm?: string): Promise<void>;
  /** The public keys, as entries of a key set. */
  readonly keys: JWK[];
  readonly key: CryptoKey;
  readonly kid: string;
  /** A token with these claims in addition to the usual ones; an undefined claim is omitted. */
  token(claims?: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Ends all connections. */
  drop(): void;
  close(): Promise<void>;
}

/** Keys of issuers that were closed. A pair of RSA takes Deno 0.2 s of CPU. */
const spare: Awaited<ReturnType<typeof generateKeyPair>>[] = [];

/** Opens an issuer. Those that are open at a time have different keys. */
export async function openIssuer(audience = "thole"): Promise<OidcIssuer> {
  const pki = await openPki({ directory: undefined, bindAddress: "127.0.0.1", names: defaultNames, now: Date.now(), replaced() {} });
  const server = createServer({ cert: pki.serving.cert, key: pki.serving.key }, (request, response) => {
    const path = request.url ?? "";
    issuer.requests.push(path);
    const found = issuer.answer(path) ?? usual(path);
    if (found === "silent") return;
    response.writeHead(found.status ?? 200, { "content-type": "application/json", ...found.headers }).end(found.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`; // A TCP server.
  const first = spare.pop() ?? await generateKeyPair("RS256");
  let algorithm = "RS256", pair = first, rotations = 0;
  const usual = (path: string): Exclude<ReturnType<Handler>, "silent" | undefined> => {
    if (path.endsWith("/.well-known/openid-configuration")) return { body: JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }) };
    return path === "/keys" ? { body: JSON.stringify({ keys: issuer.keys }) } : { status: 404, body: "{}" };
  };
  const kid = () => `key-${rotations}`;
  const publish = async () => [{ ...await exportJWK(pair.publicKey), kid: kid(), use: "sig" }];
  const issuer = {
    url,
    ca: pki.ca.cert,
    requests: [] as string[],
    answer: (() => undefined) as Handler,
    keys: await publish() as JWK[],
    get key() {
      return pair.privateKey;
    },
    get kid() {
      return kid();
    },
    async rotate(next = algorithm) {
      algorithm = next;
      rotations++;
      pair = await generateKeyPair(algorithm);
      issuer.keys = await publish();
    },
    async token(claims: Readonly<Record<string, unknown>> = {}, header: Readonly<Record<string, unknown>> = {}) {
      const now = Math.floor(Date.now() / 1000);
      const all = { iss: url, aud: audience, sub: "jane", iat: now, exp: now + 600, ...claims };
      const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      return await new SignJWT(kept).setProtectedHeader({ alg: algorithm, kid: kid(), ...header }).sign(pair.privateKey);
    },
    drop: () => server.closeAllConnections(),
    async close() {
      spare.push(first);
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return issuer;
}
