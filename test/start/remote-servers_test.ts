// Each kind of remote server, called by a server that `scripts/start.mjs` has started, under the permissions that it gives.
// In Deno's suite only: `npm start` runs the server on Deno.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { issue } from "../../server/listen/testing/clients.ts";
import { blocksOf, replaced, root } from "../../tools/docs/page-blocks.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { httpsClient } from "../https.ts";
import { openCollector } from "../otlp-receiver.ts";
import { startCommand, startSkipped, until } from "../real-server.ts";
import { receivedBody } from "../received-body.ts";

const page = "docs/authentication.md",
  configMap = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "extension-apiserver-authentication" } };
const administrator = "an-administrator-of-tests", group = "remote.example.com";

/** One server on loopback that plays every part. `called` has the first words of the paths of the requests that it got. */
async function openPeer(identity: { readonly cert: string; readonly key: string }) {
  const { publicKey, privateKey } = await generateKeyPair("RS256"), called = new Set<string>();
  const server = createServer(identity, async (request, response) => {
    const body = await receivedBody(request), [, part = "", ...rest] = (request.url ?? "").split(/[/?]/);
    if (body === undefined) return;
    const answer = answerTo(part, rest.join("/"), body === "" ? {} : JSON.parse(body));
    called.add(part);
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" }).end(JSON.stringify(answer ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo, url = `https://127.0.0.1:${port}`, issuer = `${url}/realms/team`; // a TCP server
  const key = { ...await exportJWK(publicKey), kid: "one", use: "sig" };
  function answerTo(part: string, rest: string, { kind, apiVersion, request, spec }: any): unknown {
    switch (part) {
      case "admission":
        return { kind, apiVersion, response: { uid: request.uid, allowed: true } };
      case "conversion": {
        const convertedObjects = request.objects.map((object: object) => ({ ...object, apiVersion: request.desiredAPIVersion }));
        return { kind, apiVersion, response: { uid: request.uid, result: { status: "Success" }, convertedObjects } };
      }
      case "authorization":
        return { kind, apiVersion, status: { allowed: spec.user === "carol" } };
      case "tokens":
        return { kind, apiVersion, status: spec.token === "reviewed" ? { authenticated: true, user: { username: "carol" } } : {} };
      case "audit":
        return {};
      case "realms":
        return rest.endsWith("openid-configuration") ? { issuer, jwks_uri: `${issuer}/keys` } : { keys: [key] };
      case "cluster":
        if (kind === "TokenReview") {
          return { kind, apiVersion, status: spec.token === "of-the-cluster" ? { authenticated: true, user: { username: "dave" } } : {} };
        }
        if (kind === "SubjectAccessReview") return { kind, apiVersion, status: { allowed: spec.user === "dave" } };
        return rest.endsWith("authentication")
          ? configMap
          : { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] };
      default:
        return undefined;
    }
  }
  const claims = { email: "ann@example.com", email_verified: true, groups: ["developers"], hd: "example.com", aud: "thole", iss: issuer };
  return {
    url,
    port,
    issuer,
    called,
    token: () =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "one" }).setIssuedAt().setExpirationTime("5m").sign(privateKey),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const kubeconfig = (server: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "only",
    contexts: [{ name: "only", context: { cluster: "only", user: "only" } }],
    clusters: [{ name: "only", cluster: { server } }],
    users: [{ name: "only", user: { token: "a-credential" } }],
  });

test(
  "npm start: webhooks, an issuer as on the page, a cluster in front, an audit, traces and etcd work without a CA in the settings",
  { skip: startSkipped("deno") || etcdMissing(), timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "thole-remote-")), file = (name: string) => join(folder, name);
    const ca = issue({ usage: "ca", commonName: "an authority of the machine" });
    const identity = issue({ usage: "server", names: ["127.0.0.1"] }, ca);
    const peer = await openPeer(identity), collector = await openCollector();
    // The block of the page as it is, but for the name of the issuer.
    const authentication = blocksOf(page).find(({ text }) => text.includes("\njwt:\n"))!.text;
    const files = {
      "ca.crt": ca.cert,
      "etcd.crt": identity.cert,
      "etcd.key": identity.key,
      "tokens.csv": `${administrator},admin,1,system:masters\n`,
      "authentication.yaml": replaced(authentication, ["https://login.example.com/realms/team", peer.issuer]),
      "authorization.yaml": kubeconfig(`${peer.url}/authorization`),
      "tokens.yaml": kubeconfig(`${peer.url}/tokens`),
      "audit.yaml": kubeconfig(`${peer.url}/audit`),
      "cluster.yaml": kubeconfig(`${peer.url}/cluster`),
      "policy.yaml": "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n",
      "tracing.yaml": `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: 127.0.0.1:${collector.port}\n` +
        "samplingRatePerMillion: 1000000\n",
    };
    for (const [name, text] of Object.entries(files)) await writeFile(file(name), text, { mode: 0o600 });
    const etcd = await startEtcd({ flags: [`--cert-file=${file("etcd.crt")}`, `--key-file=${file("etcd.key")}`] });
    const { INIT_CWD: _, ...environment } = process.env;
    const program = await startCommand([
      "node",
      join(root, "scripts/start.mjs"),
      `--data-dir=${file("data")}`,
      "--secure-port=0",
      `--token-auth-file=${file("tokens.csv")}`,
      `--etcd-servers=${etcd.endpoint}`,
      `--authentication-config=${file("authentication.yaml")}`,
      `--authentication-token-webhook-config-file=${file("tokens.yaml")}`,
      `--authentication-kubeconfig=${file("cluster.yaml")}`,
      "--authorization-mode=RBAC,Webhook,Cluster",
      `--authorization-webhook-config-file=${file("authorization.yaml")}`,
      `--authorization-kubeconfig=${file("cluster.yaml")}`,
      `--audit-policy-file=${file("policy.yaml")}`,
      `--audit-webhook-config-file=${file("audit.yaml")}`,
      "--audit-webhook-batch-max-wait=10ms",
      `--tracing-config-file=${file("tracing.yaml")}`,
      `--webhook-addresses=127.0.0.1:${peer.port}=127.0.0.1:${peer.port}`,
    ], { cwd: folder, env: { ...environment, NODE_EXTRA_CA_CERTS: file("ca.crt") } });
    let client: ReturnType<typeof httpsClient> | undefined;
    try {
      const url = await until(() => {
        const found = /^Thole serves on (\S+)$/m.exec(program.output())?.[1];
        assert.ok(found !== undefined, program.errors());
        return found;
      });
      const [, authority = ""] = /certificate-authority-data: "?([A-Za-z0-9+/=]+)/.exec(await readFile(file("data/kubeconfig"), "utf8")) ??
        [];
      const { ask } = client = httpsClient({ port: Number(new URL(url).port), ca: atob(authority), token: administrator });
      const as = (token: string, path: string, body?: object) =>
        ask(path, { method: body === undefined ? "GET" : "POST", headers: { authorization: `Bearer ${token}` }, ...(body && { body }) });
      const create = async (path: string, body: object) => {
        const { status, text } = await ask(path, { method: "POST", body });
        assert.equal(status, 201, text);
      };
      const namespaces = "/api/v1/namespaces";

      // The command of the page beside the issuer gives its group the right to view.
      await create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        metadata: { name: "readers" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "oidc:developers" }],
      });
      const token = await peer.token();
      await until(async () => assert.equal((await as(token, "/api/v1/namespaces/default/configmaps")).status, 200, program.errors()));
      for (const known of ["reviewed", "of-the-cluster"]) {
        const { status, text } = await as(known, namespaces);
        assert.equal(status, 200, `${known}: ${text}`);
      }

      const clientConfig = (part: string) => ({ url: `${peer.url}/${part}` });
      await create("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
        metadata: { name: "remote" },
        webhooks: [{
          name: "remote.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: clientConfig("admission"),
          rules: [{ apiGroups: [group], apiVersions: ["*"], operations: ["*"], resources: ["*"] }],
        }],
      });
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
      await create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        metadata: { name: `things.${group}` },
        spec: {
          group,
          scope: "Cluster",
          names: { plural: "things", kind: "Thing" },
          versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema })),
          conversion: { strategy: "Webhook", webhook: { clientConfig: clientConfig("conversion"), conversionReviewVersions: ["v1"] } },
        },
      });
      const thing = { apiVersion: `${group}/v2`, kind: "Thing", metadata: { name: "one" } };
      await until(async () => {
        const { status, text } = await as(administrator, `/apis/${group}/v2/things`, thing);
        assert.equal(status, 201, text);
      });

      const kinds = ["admission", "audit", "authorization", "cluster", "conversion", "realms", "tokens"];
      await until(() => assert.deepEqual([...peer.called].toSorted(), kinds, program.errors()));
      await until(() => assert.ok(collector.spans.length > 0, program.errors()));
      assert.doesNotMatch(program.errors(), /NotCapable|Requires \w+ access|not trusted/);
    } finally {
      client?.close();
      program.signal("SIGTERM");
      await program.exited;
      collector.close();
      await Promise.all([peer.close(), etcd.stop(), rm(folder, { recursive: true, force: true })]);
    }
  },
);
