/** A server with a definition of boats, and another one in front of it that serves them. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issue } from "../../server/listen/testing/clients.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { until } from "../real-server.ts";
import { register, untilReason } from "./backend.ts";

/** The group of the definition. */
export const boatGroup = "shop.example";
const group = boatGroup;

/** The two servers of a test. */
export interface TwoServers {
  readonly front: TestServer;
  readonly inner: TestServer;
  /** A client of the server in front. */
  readonly client: Client;
  /** A client of the server behind. */
  readonly behind: Client;
}

/** Files of an authority of front proxies, of this server's certificate as one, and of the certificate of the server behind. */
async function certificatesIn(folder: string) {
  const proxies = issue({ usage: "ca", commonName: "front proxies" }), authority = issue({ usage: "ca", commonName: "services" });
  const front = issue({ usage: "client", commonName: "front" }, proxies);
  const inner = issue({ usage: "server", names: ["inner.default.svc", "127.0.0.1"] }, authority);
  const texts = { proxies: proxies.cert, front: front.cert, frontKey: front.key, inner: inner.cert, innerKey: inner.key };
  const files = Object.fromEntries(Object.keys(texts).map((name) => [name, join(folder, name)])) as Record<keyof typeof texts, string>; // of the same names
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  return { files, authority: authority.cert };
}

async function define(client: Client): Promise<void> {
  const schema = { type: "object", properties: { spec: { type: "object", properties: { length: { type: "integer", minimum: 1 } } } } };
  const made = await client.ask("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    method: "POST",
    body: {
      metadata: { name: `boats.${group}` },
      spec: {
        ...{ group, scope: "Namespaced", names: { kind: "Boat", plural: "boats" } },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    },
  });
  assert.equal(made.status, 201, made.text);
  await until(async () => assert.equal((await client.ask(`/apis/${group}/v1/boats`)).status, 200));
}

/** Starts both, and runs the test with them. */
export async function withTwoServers(use: (servers: TwoServers) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-front-")), { files, authority } = await certificatesIn(folder);
  const trust = [
    `--requestheader-client-ca-file=${files.proxies}`,
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
  ];
  let inner: TestServer | undefined, front: TestServer | undefined;
  const clients: Client[] = [];
  try {
    inner = await startTestServer({ args: [...trust, `--tls-cert-file=${files.inner}`, `--tls-private-key-file=${files.innerKey}`] });
    front = await startTestServer({
      args: [...trust, `--proxy-client-cert-file=${files.front}`, `--proxy-client-key-file=${files.frontKey}`],
    });
    const behind = httpsClient({ ...inner, ca: authority, token: inner.tokens.admin });
    const client = httpsClient({ ...front, token: front.tokens.admin });
    clients.push(behind, client);
    await define(behind);
    await register(client, "inner", "v1", inner.port, { caBundle: Buffer.from(authority).toString("base64") }, group);
    await untilReason(client, "v1", "Passed", group);
    await use({ front, inner, client, behind });
  } finally {
    for (const each of clients) each.close();
    await front?.close();
    await inner?.close();
    await rm(folder, { recursive: true });
  }
}
