/** Proofs of the flags about servers of registered APIs. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { backend, group, register, untilReason } from "../aggregation/backend.ts";
import { issue } from "../../server/listen/testing/clients.ts";
import { inFolder, type Proof, type Served, served } from "./served.ts";

/** A server of an API that answers with the name in the certificate of this server, or with a redirect. */
async function beside(flags: readonly string[], use: (server: Served) => Promise<void>): Promise<void> {
  const api = await backend("api", (request, response) => {
    if (request.url?.endsWith("/away")) return void response.writeHead(302, { location: "/elsewhere" }).end();
    const { subject } = (request.socket as TLSSocket).getPeerCertificate(); // the server has TLS
    response.end(subject?.CN ?? "nobody");
  });
  try {
    await served(["--disable-admission-plugins=ServiceAccount", ...flags], async (server) => {
      await register(server.client, "api", "v1", api.port, { insecureSkipTLSVerify: true });
      await use(server);
    });
  } finally {
    api.close();
  }
}
const text = async ({ client }: Served, path: string) => (await client.ask(`/apis/${group}/v1/${path}`)).text;

/** Both files; the one of the certificate names this server. */
const identified: Proof = () =>
  inFolder(async (folder) => {
    const { cert, key } = issue({ usage: "client", commonName: "front" }, issue({ usage: "ca", commonName: "front proxies" }));
    const [certFile, keyFile] = [join(folder, "crt"), join(folder, "key")];
    await writeFile(certFile, cert);
    await writeFile(keyFile, key);
    await beside([`--proxy-client-cert-file=${certFile}`, `--proxy-client-key-file=${keyFile}`], async (server) => {
      await untilReason(server.client, "v1", "Passed");
      assert.equal(await text(server, "things"), "front");
    });
  });
const pair = (flag: string): Proof => () => assert.rejects(served([`${flag}=a.pem`], () => Promise.resolve()), /must be given together/);

export const aggregating = {
  "proxy-client-cert-file": identified,
  "proxy-client-key-file": pair("--proxy-client-key-file"),
  // A service of another name has no endpoints.
  "enable-aggregator-routing": () =>
    beside(["--enable-aggregator-routing"], async (server) => {
      await untilReason(server.client, "v1", "FailedDiscoveryCheck");
      assert.equal(await text(server, "things"), "service unavailable\n");
    }),
  "aggregator-reject-forwarding-redirect": () =>
    beside(["--aggregator-reject-forwarding-redirect=false"], async (server) => {
      await untilReason(server.client, "v1", "Passed");
      assert.equal((await server.client.ask(`/apis/${group}/v1/away`)).status, 302);
    }),
} satisfies Readonly<Record<string, Proof>>;
