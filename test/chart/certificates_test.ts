// The chart's hooks, run with the commands of their Jobs against a server with Secrets.
// In Deno's suite only: the programs of the image run on Deno.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { type Ran, run, runtimePath } from "../real-server.ts";
import { chart, helmMissing, helms, namespace, render, type Rendered, template, the } from "./helm.ts";

interface Cluster {
  readonly server: TestServer;
  readonly client: Client;
  /** Runs a rendered Job's command as its pod would. */
  job(objects: readonly Rendered[], name: string): Promise<Ran>;
}

async function withCluster(use: (cluster: Cluster) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-hooks-"));
  const server = await startTestServer();
  const client = httpsClient({ ...server, token: server.tokens.admin });
  const [ca, token] = [join(folder, "ca.crt"), join(folder, "token")];
  await writeFile(ca, server.ca);
  await writeFile(token, `${server.tokens.admin}\n`);
  const where = [`--server=${server.url}`, `--ca-file=${ca}`, `--token-file=${token}`];
  try {
    await client.ask("/api/v1/namespaces", { method: "POST", body: { metadata: { name: namespace } } });
    await use({
      server,
      client,
      job(objects, name) {
        const [program, ...words] = the(objects, "Job", name)["spec"].template.spec.containers[0].command as readonly string[];
        assert.equal(program, "/bin/deno");
        const here = words.map((word) => word.replace(/^\/thole\//, `${join(chart, "../..")}/`));
        return run(runtimePath("deno"), [...here, ...where]);
      },
    });
  } finally {
    client.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function secretOf(client: Client, name: string): Promise<Readonly<Record<string, string>>> {
  const answer = await client.ask(`/api/v1/namespaces/${namespace}/secrets/${name}`);
  assert.equal(answer.status, 200, name);
  const { type, data } = answer.json();
  assert.equal(type, "kubernetes.io/tls");
  return Object.fromEntries(Object.entries(data as Record<string, string>).map(([key, text]) => [key, atob(text)]));
}
const hook = "demo-thole-certificates";

describe("the chart's hooks", { skip: helmMissing() }, () => {
  it("create an authority and its certificates, keep valid ones, and replace those that lack a name", () =>
    withCluster(async ({ client, job }) => {
      const objects = await render(helms()[0]!);
      const first = await job(objects, hook);
      assert.equal(first.code, 0, first.errors);
      const names = ["demo-thole-ca", "demo-thole-tls", "demo-thole-etcd-tls", "demo-thole-etcd-client"];
      assert.deepEqual(first.output.trim().split("\n"), names.map((name) => `secret/${name} created`));
      const serving = await secretOf(client, "demo-thole-tls");
      const certificate = new X509Certificate(serving["tls.crt"]!);
      assert.ok(certificate.verify(new X509Certificate(serving["ca.crt"]!).publicKey));
      assert.equal(serving["ca.crt"], (await secretOf(client, "demo-thole-ca"))["tls.crt"]);
      for (const name of [`demo-thole.${namespace}.svc`, "localhost"]) assert.ok(certificate.checkHost(name), name);
      assert.ok(certificate.checkIP("127.0.0.1"));
      const member = new X509Certificate((await secretOf(client, "demo-thole-etcd-tls"))["tls.crt"]!);
      assert.ok(member.checkHost(`demo-thole-etcd-2.demo-thole-etcd.${namespace}.svc`));

      const second = await job(objects, hook);
      assert.deepEqual(second.output.trim().split("\n"), names.map((name) => `secret/${name} unchanged`));
      assert.deepEqual(await secretOf(client, "demo-thole-tls"), serving);

      const third = await job(await render(helms()[0]!, "--set", "certificates.extraNames={api.example.com}"), hook);
      assert.match(third.output, /secret\/demo-thole-tls renewed\n/);
      assert.equal(third.output.match(/unchanged/g)?.length, 3);
      const renewed = await secretOf(client, "demo-thole-tls");
      assert.ok(new X509Certificate(renewed["tls.crt"]!).checkHost("api.example.com"));
      assert.equal(renewed["ca.crt"], serving["ca.crt"], "clients go on believing it");
    }));

  it("replace certificates that expire soon", () =>
    withCluster(async ({ client, job }) => {
      const brief = await render(helms()[0]!, "--set", "certificates.validityDays=30,certificates.renewBeforeDays=10");
      assert.equal((await job(brief, hook)).code, 0);
      const before = await secretOf(client, "demo-thole-tls");
      const usual = await job(await render(helms()[0]!), hook);
      assert.match(usual.output, /secret\/demo-thole-ca unchanged\nsecret\/demo-thole-tls renewed\n/);
      assert.notEqual((await secretOf(client, "demo-thole-tls"))["tls.crt"], before["tls.crt"]);
    }));

  it("write the authority into the registrations", () =>
    withCluster(async ({ client, job }) => {
      const objects = await render(
        helms()[0]!,
        ...[
          "--set",
          "apiService.enabled=true,apiService.frontProxy.configMap=proxy,apiService.groupVersions[0].group=example.com,apiService.groupVersions[0].version=v1",
        ],
      );
      const path = "/apis/apiregistration.k8s.io/v1/apiservices";
      const early = await job(objects, "demo-thole-ca-bundle");
      assert.equal(early.code, 1);
      assert.match(early.errors, /^chart-certificates: cannot read the Secret "demo-thole-tls": the API returned 404 /);
      const service = { namespace, name: "demo-thole" };
      const spec = { group: "example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 15, service };
      assert.equal((await client.ask(path, { method: "POST", body: { metadata: { name: "v1.example.com" }, spec } })).status, 201);
      assert.equal((await job(objects, hook)).code, 0);
      const { code, output, errors } = await job(objects, "demo-thole-ca-bundle");
      assert.equal(code, 0, errors);
      assert.equal(output, "apiservice/v1.example.com caBundle set\n");
      const registered = (await client.ask(`${path}/v1.example.com`)).json();
      assert.equal(atob(registered.spec.caBundle), (await secretOf(client, "demo-thole-tls"))["ca.crt"]);
    }));

  it("have roles with exactly the rights that they use", async () => {
    const objects = await render(helms()[0]!);
    const { rules } = the(objects, "Role", hook) as unknown as { rules: readonly object[] };
    assert.deepEqual(rules, [
      { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
      {
        apiGroups: [""],
        resources: ["secrets"],
        resourceNames: ["demo-thole-ca", "demo-thole-tls", "demo-thole-etcd-tls", "demo-thole-etcd-client"],
        verbs: ["get", "patch"],
      },
    ]);
    const weights = objects.filter(({ metadata }) => metadata.name === hook).map(({ kind, metadata }) =>
      [kind, Number(metadata.annotations?.["helm.sh/hook-weight"])] as const
    );
    const job = weights.find(([kind]) => kind === "Job")![1];
    assert.deepEqual(weights.filter(([kind, weight]) => kind !== "Job" && weight >= job), [], "its rights are there before it runs");
  });
});

describe("certificates by Helm", { skip: helmMissing() }, () => {
  it("are signed by one authority in one rendering, for servers, members and the registration", async () => {
    const text = await template(helms()[0]!, "--values", join(chart, "ci/api-service-helm-values.yaml"));
    const authorities = new Set([...text.matchAll(/^ {2}(?:ca\.crt|caBundle): "?([A-Za-z0-9+/=]+)/gm)].map(([, base64]) => atob(base64!)));
    assert.equal(authorities.size, 1);
    const [authority] = [...authorities].map((pem) => new X509Certificate(pem));
    const leaves = [...text.matchAll(/^ {2}tls\.crt: "?([A-Za-z0-9+/=]+)/gm)].map(([, base64]) => new X509Certificate(atob(base64!)));
    assert.equal(leaves.length, 4);
    for (const leaf of leaves) assert.ok(leaf.verify(authority!.publicKey), leaf.subject);
  });
});
