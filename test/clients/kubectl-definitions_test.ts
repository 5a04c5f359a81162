// kubectl on definitions of the shape of those that large projects publish: certificates, monitors, routes, clouds, machines, policies.
// In Deno's suite only: what clients are answered does not depend on the runtime; kubectl_test.ts and client-node_test.ts run on both.
import assert from "node:assert/strict";
import { definitionAt } from "../../tools/bench/definition-models.ts";
import { until } from "../real-server.ts";
import { bad, good, type Kubectl, kubectlFor, kubectlMissing, kubectls } from "./kubectl.ts";
import { againstTheProgram } from "./setups.ts";

/** One of each model. */
const models = [0, 1, 3, 5, 7, 9].map(definitionAt);
const [certificate, monitor, machine] = ["certificate1", "monitor3", "machine7"] as const;
const named = (output: string) => output.split("\n").filter((line) => line !== "").toSorted();

async function defines(kubectl: Kubectl): Promise<void> {
  const bodies = models.map(({ body }) => body).join("\n");
  const created = models.map(({ name }) => `customresourcedefinition.apiextensions.k8s.io/${name} created`).toSorted();
  assert.deepEqual(named(await good(kubectl, "create -f -", bodies)), created);
  await good(kubectl, ["wait", "--for=condition=Established", "--timeout=60s", ...models.map(({ name }) => `crd/${name}`)]);
  assert.equal((await kubectl("diff -f -", bodies)).code, 0, "the server changes nothing that it was sent");
  // Resources are served after their definitions are established.
  await until(async () => {
    assert.equal(named(await good(kubectl, "api-resources --categories=bench -o name --cached=false")).length, models.length);
  });
}

async function applies(kubectl: Kubectl): Promise<void> {
  const objects = models.map(({ object }) => object).join("\n");
  const applied = named(await good(kubectl, "apply --server-side -f -", objects));
  assert.equal(applied.length, models.length);
  for (const line of applied) assert.match(line, /\/one serverside-applied$/);
  assert.equal((await kubectl("diff --server-side -f -", objects)).code, 0);
  assert.deepEqual(named(await good(kubectl, "get bench -o name")), applied.map((line) => line.split(" ")[0]!));
}

async function explains(kubectl: Kubectl): Promise<void> {
  const [spec, deep] = await Promise.all([
    good(kubectl, `explain ${certificate}.spec.issuerRef`),
    good(kubectl, `explain ${monitor} --recursive`),
  ]);
  assert.match(spec, /^KIND: +Certificate1$/m);
  assert.match(spec, /^ {2}name\t<string> -required-$/m);
  assert.match(deep, /^ {4}replicas\t<integer>$/m);
}

async function changes(kubectl: Kubectl): Promise<void> {
  const changed = JSON.stringify({ ...JSON.parse(models[1]!.object), spec: { issuerRef: { name: "other" }, secretName: "secret" } });
  const diff = await kubectl("diff --server-side -f -", changed);
  assert.equal(diff.code, 1, diff.errors);
  assert.match(diff.output, /^- +name: issuer\n\+ +name: other$/m);
  assert.match(
    await bad(kubectl, ["patch", certificate, "one", "--type=merge", "-p", '{"spec":{"issuerRef":null}}']),
    /spec\.issuerRef: Required value/,
  );
  for (const kind of [monitor, machine]) {
    assert.match(await good(kubectl, `scale ${kind} one --replicas=3`), /one scaled/);
  }
  const waiting = good(kubectl, `wait --for=condition=Ready ${certificate}/one --timeout=60s`);
  const condition = { type: "Ready", status: "True", reason: "Issued", message: "", lastTransitionTime: "2024-01-02T03:04:05Z" };
  await good(kubectl, [
    "patch",
    certificate,
    "one",
    "--subresource=status",
    "--type=merge",
    "-p",
    JSON.stringify({ status: { conditions: [condition] } }),
  ]);
  assert.match(await waiting, /one condition met/);
  await good(kubectl, `wait --for=jsonpath={.spec.replicas}=3 ${monitor}/one --timeout=60s`);
}

const clients = { paths: kubectls(), missing: kubectlMissing() };
againstTheProgram("kubectl works with definitions of projects", clients, [{ runtime: "deno", store: "sqlite" }], async (path, server) => {
  const kubectl = kubectlFor(path, server);
  await defines(kubectl);
  await applies(kubectl);
  await Promise.all([explains(kubectl), changes(kubectl)]);
  await good(kubectl, ["delete", "crd", "--timeout=60s", ...models.map(({ name }) => name)]);
  await until(async () => assert.equal(await good(kubectl, "api-resources --categories=bench -o name --cached=false"), ""));
});
