// A server behind a real kube-apiserver, which authenticates and authorizes for it: users and service accounts, through it and directly.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { issue } from "../../server/listen/testing/clients.ts";
import type { Plugin } from "../../plugin.ts";
import { plugins } from "../../plugins/mod.ts";
import { kubectlMissing } from "../clients/kubectl.ts";
import { blocksOf, root, shellFor } from "../../tools/docs/page-blocks.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Answer, type Ask, type Client, documents, httpsClient } from "../https.ts";
import { example } from "../package/example.ts";
import { until } from "../real-server.ts";
import { adminToken, type KubeApiserver, kubeApiserverMissing, startKubeApiserver } from "./kube-apiserver.ts";

const home = "example.com/v1", page = "docs/behind-a-kube-apiserver.md";
const widgets = "/apis/example.com/v1/namespaces/default/widgets";
const roles = "/apis/rbac.authorization.k8s.io/v1";
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const trust = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
const apiGroup = "rbac.authorization.k8s.io";
const patchType = { "content-type": "application/merge-patch+json" };

async function made(client: Client, path: string, body: object): Promise<any> {
  const { status, text } = await client.ask(path, { method: "POST", body });
  assert.equal(status, 201, text);
  return JSON.parse(text);
}
async function removed(client: Client, path: string): Promise<void> {
  assert.equal((await client.ask(path, { method: "DELETE" })).status, 200);
}

describe("behind a kube-apiserver", { skip: kubeApiserverMissing() }, () => {
  let folder: string, cluster: KubeApiserver, thole: TestServer;
  const clients: Client[] = [];
  const serverCa = issue({ usage: "ca", commonName: "thole" });

  /** A client of the server itself. */
  function direct(place: { readonly token?: string; readonly identity?: { readonly cert: string; readonly key: string } }): Client {
    const client = httpsClient({ port: thole.port, ca: serverCa.cert, ...place });
    clients.push(client);
    return client;
  }
  function kubeconfig(): string {
    const { cert, key } = issue({ usage: "client", commonName: "thole" }, cluster.ca);
    return JSON.stringify({
      "current-context": "cluster",
      contexts: [{ name: "cluster", context: { cluster: "cluster", user: "thole" } }],
      clusters: [{ name: "cluster", cluster: { server: cluster.url, "certificate-authority-data": btoa(cluster.ca.cert) } }],
      users: [{ name: "thole", user: { "client-certificate-data": btoa(cert), "client-key-data": btoa(key) } }],
    });
  }
  /** The plugin of docs/writing-a-plugin.md, which the page registers. */
  async function pluginOfThePage(): Promise<Plugin> {
    const file = join(folder, "widgets.ts");
    await writeFile(file, (await example()).replaceAll('"thole/plugin"', JSON.stringify(pathToFileURL(join(root, "plugin.ts")).href)));
    return (await import(pathToFileURL(file).href)).widgetsPlugin;
  }
  async function startThole(): Promise<TestServer> {
    const { cert, key } = issue({ usage: "server", commonName: "thole", names: ["thole.thole.svc", "127.0.0.1"] }, serverCa);
    const file = (name: string) => join(folder, name);
    await Promise.all([writeFile(file("tls.crt"), cert), writeFile(file("tls.key"), key), writeFile(file("cluster.yaml"), kubeconfig())]);
    const args = [
      `--tls-cert-file=${file("tls.crt")}`,
      `--tls-private-key-file=${file("tls.key")}`,
      `--authentication-kubeconfig=${file("cluster.yaml")}`,
      `--authorization-kubeconfig=${file("cluster.yaml")}`,
    ];
    return await startTestServer({ args, plugins: [...plugins, await pluginOfThePage()] });
  }
  /** What an operator binds for the server, and the APIService of its group; resolves when the group is available. */
  async function register(): Promise<void> {
    const { admin } = cluster;
    const spec = { type: "ExternalName", externalName: "127.0.0.1", ports: [{ port: thole.port }] };
    await made(admin, "/api/v1/namespaces", { metadata: { name: "thole" } });
    await made(admin, "/api/v1/namespaces/thole/services", { metadata: { name: "thole" }, spec });
    await made(admin, "/apis/apiregistration.k8s.io/v1/apiservices", {
      metadata: { name: "v1.example.com" },
      spec: {
        group: "example.com",
        version: "v1",
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        service: { namespace: "thole", name: "thole", port: thole.port },
        caBundle: btoa(serverCa.cert),
      },
    });
    await until(async () => {
      const { status } = (await admin.ask("/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com")).json();
      assert.equal(status.conditions?.find(({ type }: { type: string }) => type === "Available")?.status, "True", JSON.stringify(status));
    });
  }
  async function bindServer(): Promise<void> {
    const { admin } = cluster, subjects = [{ apiGroup, kind: "User", name: "thole" }];
    const delegator = { apiGroup, kind: "ClusterRole", name: "system:auth-delegator" };
    const reader = { apiGroup, kind: "Role", name: "extension-apiserver-authentication-reader" };
    await made(admin, `${roles}/clusterrolebindings`, { metadata: { name: "thole" }, subjects, roleRef: delegator });
    await made(admin, `${roles}/namespaces/kube-system/rolebindings`, { metadata: { name: "thole" }, subjects, roleRef: reader });
  }
  /** Gives the subject a role with these verbs; the returned function removes it. */
  async function grant(name: string, subject: object, verbs: readonly string[]): Promise<() => Promise<void>> {
    const own = `${roles}/namespaces/default`;
    await made(cluster.admin, `${own}/roles`, {
      metadata: { name },
      rules: [{ apiGroups: ["example.com"], resources: ["widgets"], verbs }],
    });
    await made(cluster.admin, `${own}/rolebindings`, {
      metadata: { name },
      subjects: [subject],
      roleRef: { apiGroup, kind: "Role", name },
    });
    return () => removed(cluster.admin, `${own}/rolebindings/${name}`);
  }
  /** Resolves when a response has this status: roles and decisions are cached for some seconds. */
  async function soon(status: number, client: Client, path: string, ask?: Ask): Promise<Answer> {
    return await until(async () => {
      const answer = await client.ask(path, ask);
      assert.equal(answer.status, status, answer.text);
      return answer;
    });
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "thole-behind-"));
    cluster = await startKubeApiserver(["alice"]);
    await bindServer();
    thole = await startThole();
    await register();
  });
  after(async () => {
    for (const client of clients) client.close();
    await thole?.close();
    await cluster?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Asserts the requests that the roles of this test allow and reject, by a client of `user`. */
  async function isHeldToRole(client: Client, user: string, name: string): Promise<void> {
    const refusal = (verb: string, namespace: string) =>
      `User "${user}" cannot ${verb} resource "widgets" in API group "example.com" in the namespace "${namespace}"`;
    await made(client, widgets, { apiVersion: home, kind: "Widget", metadata: { name }, spec: { colour: "green", millimetres: 1 } });
    assert.equal((await client.ask(`${widgets}/${name}`)).json().spec.colour, "green");
    const list = (await client.ask(widgets)).json();
    assert.deepEqual(list.items.map((item: any) => item.metadata.name), [name]);
    const applied = { apiVersion: home, kind: "Widget", metadata: { name }, spec: { colour: "red", millimetres: 1 } };
    const apply = { method: "PATCH", headers: { "content-type": "application/apply-patch+yaml" }, body: JSON.stringify(applied) };
    assert.equal((await client.ask(`${widgets}/${name}?fieldManager=test&force=true`, apply)).json().spec?.colour, "red");
    const { status, chunks } = await client.stream(`${widgets}?watch=true&resourceVersion=${list.metadata.resourceVersion}`);
    assert.equal(status, 200);
    for await (const { type, object: seen } of documents(chunks)) {
      assert.deepEqual([type, seen.metadata.name, seen.spec.colour], ["MODIFIED", name, "red"]);
      break;
    }
    const deletion = await client.ask(`${widgets}/${name}`, { method: "DELETE" });
    assert.equal(deletion.status, 403);
    assert.match(deletion.json().message, new RegExp(refusal("delete", "default")));
    const elsewhere = await client.ask(widgets.replace("default", "kube-system"));
    assert.equal(elsewhere.status, 403);
    assert.match(elsewhere.json().message, new RegExp(refusal("list", "kube-system")));
    await removed(cluster.admin, `${widgets}/${name}`);
  }
  const verbs = ["get", "list", "watch", "create", "patch"];

  test("an ordinary user does what a Role of the cluster allows, through the cluster and directly", async () => {
    const through = cluster.client("alice"), straight = direct({ token: "alice" });
    for (const client of [through, straight]) assert.equal((await client.ask(widgets)).status, 403);
    const revoke = await grant("alice", { apiGroup, kind: "User", name: "alice" }, verbs);
    for (const [index, client] of [through, straight].entries()) {
      await soon(200, client, widgets);
      await isHeldToRole(client, "alice", `alice-${index}`);
    }
    await revoke();
    for (const client of [through, straight]) await soon(403, client, widgets);
    assert.equal((await direct({ token: "nobody" }).ask(widgets)).status, 401);
  });

  test("a service account does what its Role allows, by its token, until the account is deleted", async () => {
    const { admin } = cluster, name = "robot", user = `system:serviceaccount:default:${name}`;
    await made(admin, accounts, { metadata: { name } });
    const { status: { token } } = await made(admin, `${accounts}/${name}/token`, { spec: { expirationSeconds: 3600 } });
    const through = cluster.client(token), straight = direct({ token });
    await grant(name, { kind: "ServiceAccount", name, namespace: "default" }, verbs);
    for (const [index, client] of [through, straight].entries()) {
      await soon(200, client, widgets);
      await isHeldToRole(client, user, `robot-${index}`);
    }
    await removed(admin, `${accounts}/${name}`);
    for (const client of [through, straight]) await soon(401, client, widgets);
  });

  test("the CAs of clients follow the ConfigMap of the cluster", async () => {
    const others = issue({ usage: "ca", commonName: "other clients" });
    const identity = issue({ usage: "client", commonName: "dora" }, others);
    await grant("dora", { apiGroup, kind: "User", name: "dora" }, ["list"]);
    const before = (await cluster.admin.ask(trust)).json().data["client-ca-file"];
    assert.ok(before.includes(cluster.ca.cert.trim()));
    const publish = async (bundle: string): Promise<void> => {
      const body = { data: { "client-ca-file": bundle } };
      assert.equal((await cluster.admin.ask(trust, { method: "PATCH", headers: patchType, body })).status, 200);
    };
    const statusOf = async (): Promise<number> => {
      const client = httpsClient({ port: thole.port, ca: serverCa.cert, identity, single: true });
      try {
        return (await client.ask(widgets)).status;
      } finally {
        client.close();
      }
    };
    const becomes = (status: number) => until(async () => assert.equal(await statusOf(), status));
    assert.notEqual(await statusOf(), 200);
    await publish(`${before}\n${others.cert}`);
    await becomes(200);
    await publish(before);
    await until(async () => assert.notEqual(await statusOf(), 200));
    const own = issue({ usage: "client", commonName: "dora" }, cluster.ca);
    assert.equal((await direct({ identity: own }).ask(widgets)).status, 200, "certificates of the cluster's own CA count throughout");
  });

  test(`the commands of ${page}: the registered group, and a copy of the cluster's trust`, { skip: kubectlMissing() }, async () => {
    const { admin, url, ca } = cluster;
    const shell = await shellFor(folder, { url, ca: ca.cert, token: adminToken });
    await made(admin, widgets, { apiVersion: home, kind: "Widget", metadata: { name: "one" }, spec: { millimetres: 1 } });
    const lasting = (text: string) => text.replaceAll(/ (\d+[smh])+$/gm, " AGE").trimEnd();
    const session = blocksOf(page).find(({ mark }) => mark === "console")!.text.split(/^\$ /m).slice(1);
    assert.equal(session.length, 2);
    for (const step of session) {
      const [command = "", ...output] = step.split("\n");
      assert.equal(lasting(await shell.good(command)), lasting(output.join("\n")), command);
    }
    await removed(admin, `${widgets}/one`);
    const [copy = ""] = blocksOf(page).find(({ text }) => text.startsWith("kubectl -n kube-system"))!.text.split("\n");
    await shell.good(copy);
    const [original, copied] = await Promise.all([trust, trust.replace("kube-system", "thole")].map((path) => admin.ask(path)));
    assert.deepEqual(copied!.json().data, original!.json().data);
  });
});
