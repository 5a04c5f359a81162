// The chart's values of access: servers for which the cluster decides, and the audit.
// In Deno's suite only: it checks what Helm renders.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPolicy } from "../../core/audit/policy.ts";
import { helmMissing, helms, render, type Rendered, template, the } from "./helm.ts";

const rendered = (...values: readonly string[]) => render(helms()[0]!, ...values.flatMap((value) => ["--set", value]));
const pod = (objects: readonly Rendered[]): Rendered["spec"] => the(objects, "Deployment", "demo-thole")["spec"].template;
const flag = (objects: readonly Rendered[], name: string): readonly string[] =>
  pod(objects).spec.containers[0].args.filter((each: string) => each.startsWith(`--${name}`));
const volume = (objects: readonly Rendered[], name: string) => pod(objects).spec.volumes.find((each: Rendered) => each["name"] === name);
const mount = (objects: readonly Rendered[], name: string): string | undefined =>
  pod(objects).spec.containers[0].volumeMounts.find((each: Rendered) => each["name"] === name)?.mountPath;
const egress = (objects: readonly Rendered[]): readonly Rendered[] => the(objects, "NetworkPolicy", "demo-thole")["spec"].egress;
async function refused(...values: readonly string[]): Promise<string> {
  return await template(helms()[0]!, ...values.flatMap((value) => ["--set", value])).then(() => "", (error: Error) => error.message);
}

const account = "/var/run/secrets/kubernetes.io/serviceaccount";
const registered = "apiService.enabled=true,apiService.groupVersions[0].group=example.com,apiService.groupVersions[0].version=v1";
const inCluster = ["authentication", "authorization"].map((name) => `settings.${name}-kubeconfig=in-cluster`);
const toApiserver = (objects: readonly Rendered[]) =>
  egress(objects).some(({ ports, to }) => to === undefined && ports.some((port: Rendered) => port["port"] === 6443));
const bindings = (objects: readonly Rendered[]) =>
  objects.filter(({ metadata: { name } }) => /-auth-(delegator|reader)$/.test(name)).length;

describe("servers for which the cluster decides", { skip: helmMissing() }, () => {
  it("have the account's token, the cluster's CA, the roles and the way to the kube-apiserver", async () => {
    const closed = await rendered();
    assert.deepEqual([volume(closed, "account"), bindings(closed), toApiserver(closed)], [undefined, 0, false]);
    for (const values of [inCluster, inCluster.slice(0, 1), inCluster.slice(1)]) {
      const objects = await rendered(...values);
      assert.equal(mount(objects, "account"), account);
      assert.deepEqual(volume(objects, "account").projected.sources, [
        { serviceAccountToken: { path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      ]);
      assert.equal(pod(objects).spec.automountServiceAccountToken, false);
      assert.deepEqual([bindings(objects), toApiserver(objects)], [2, true]);
    }
  });
  it("leave the token to a volume that is mounted at its place", async () => {
    const own = `extraVolumeMounts[0].name=mine,extraVolumeMounts[0].mountPath=${account},extraVolumes[0].name=mine`;
    const objects = await rendered(...inCluster, own);
    assert.deepEqual([volume(objects, "account"), mount(objects, "mine")], [undefined, account]);
  });
  it("follow the front proxy that the cluster publishes, unless a ConfigMap is named", async () => {
    const followed = await rendered(...inCluster, registered, "certificates.mode=helm");
    assert.deepEqual([flag(followed, "requestheader"), volume(followed, "front-proxy")], [[], undefined]);
    const fixed = await rendered(...inCluster, registered, "certificates.mode=helm", "apiService.frontProxy.configMap=copy");
    assert.ok(flag(fixed, "requestheader").length > 1);
    assert.equal(volume(fixed, "front-proxy").configMap.name, "copy");
  });
});

describe("the audit", { skip: helmMissing() }, () => {
  const policy = "audit.policy.rules[0].level=Metadata";

  it("has a policy that the server reads, and goes to the standard output", async () => {
    const objects = await rendered(policy, "audit.policy.rules[0].users={alice}", "audit.log=true");
    const { data } = the(objects, "ConfigMap", "demo-thole-audit");
    const read = readPolicy(data["policy.yaml"], "k8s.io");
    assert.deepEqual(read.policy.rules.map(({ level, users }) => [level, users]), [["Metadata", ["alice"]]]);
    assert.deepEqual(flag(objects, "audit-policy-file"), [`--audit-policy-file=${mount(objects, "audit")}/policy.yaml`]);
    assert.deepEqual([flag(objects, "audit-log-path"), flag(objects, "audit-webhook-config-file")], [["--audit-log-path=-"], []]);
    assert.equal(volume(objects, "audit").configMap.name, "demo-thole-audit");
    const other = await rendered(policy, "audit.log=true", "settings.group-domain=example.dev");
    assert.match(the(other, "ConfigMap", "demo-thole-audit")["data"]["policy.yaml"], /^apiVersion: audit\.example\.dev\/v1$/m);
  });
  it("goes to a webhook, whose kubeconfig is a Secret's and whose address networkPolicy.egress allows", async () => {
    const objects = await rendered(policy, "audit.webhookSecret=hook", "networkPolicy.egress[0].ports[0].port=8443");
    assert.deepEqual(flag(objects, "audit-webhook-config-file"), [
      `--audit-webhook-config-file=${mount(objects, "audit-webhook")}/kubeconfig`,
    ]);
    assert.deepEqual([volume(objects, "audit-webhook").secret.secretName, flag(objects, "audit-log-path")], ["hook", []]);
    assert.deepEqual(egress(objects)[0], { ports: [{ port: 8443 }] });
  });
  it("restarts the servers when the policy changes", async () => {
    const [one, same, other] = [
      await rendered(policy, "audit.log=true"),
      await rendered(policy, "audit.log=true"),
      await rendered("audit.policy.rules[0].level=Request", "audit.log=true"),
    ];
    const sums = [one, same, other].map((objects) => pod(objects).metadata.annotations["checksum/audit-policy"]);
    assert.equal(sums[0], sums[1]);
    assert.notEqual(sums[0], sums[2]);
  });
  it("rejects values without an effect, and names the missing ones", async () => {
    assert.match(await refused("audit.log=true"), /audit\.policy: without a policy nothing is recorded/);
    assert.match(await refused(policy), /audit\.policy: events need a destination/);
    assert.match(
      await refused(policy, "audit.log=true", "settings.audit-policy-file=/mine"),
      /audit\.policy and settings\.audit-policy-file: set one/,
    );
  });
});
