// All writes of kubectl: apply in its forms, edit, patches, labels, diff, dry runs, cascades.
// In Deno's suite only: test/clients/kubectl_test.ts uses kubectl on both; what is answered to these commands does not depend on the runtime.
import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type RealServer, run, until } from "../real-server.ts";
import { bad, good, type Kubectl, kubectlFor, kubectlMissing, kubectls } from "./kubectl.ts";
import { againstTheProgram, type Setup } from "./setups.ts";

const configMap = (name: string, data: Readonly<Record<string, string>>, more: object = {}) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data });
async function shown(kubectl: Kubectl, what: string): Promise<any> {
  return JSON.parse(await good(kubectl, `get ${what} -o json --show-managed-fields`));
}

async function appliesOnTheClient(kubectl: Kubectl): Promise<void> {
  const apply = (data: Readonly<Record<string, string>>, flags = "") =>
    good(kubectl, `apply -f - ${flags}`.trim(), configMap("client", data));
  assert.match(await apply({ a: "1", b: "1" }), /configmap\/client created/);
  assert.match(await apply({ a: "1", b: "1" }), /configmap\/client unchanged/);
  await good(kubectl, ["patch", "cm", "client", "--type=merge", "-p", '{"data":{"other":"x"}}']);
  assert.match(await apply({ a: "2" }), /configmap\/client configured/);
  const { data } = await shown(kubectl, "cm client");
  assert.deepEqual(data, { a: "2", other: "x" }, "what is left out goes, what others set stays");
  assert.deepEqual(JSON.parse(await good(kubectl, "apply view-last-applied cm client -o json")).data, { a: "2" });

  assert.match(await good(kubectl, "apply --dry-run=server -f -", configMap("client", { a: "3" })), /configured \(server dry run\)/);
  assert.equal(await good(kubectl, "get cm client -o jsonpath={.data.a}"), "2");
  const diff = await kubectl("diff -f -", configMap("client", { a: "3" }));
  assert.equal(diff.code, 1, diff.errors);
  assert.match(diff.output, /^- {2}a: "2"\n\+ {2}a: "3"$/m);
  assert.equal((await kubectl("diff -f -", configMap("client", { a: "2" }))).code, 0);
}

async function appliesOnTheServer(kubectl: Kubectl): Promise<void> {
  const apply = (words: string, data: Readonly<Record<string, string>>) =>
    kubectl(`apply --server-side ${words} -f -`, configMap("server", data));
  assert.match((await apply("--field-manager=one", { a: "1", b: "1" })).output, /configmap\/server serverside-applied/);
  const refused = await apply("--field-manager=two", { a: "2" });
  assert.notEqual(refused.code, 0);
  assert.match(refused.errors, /Apply failed with 1 conflict: conflict with "one": \.data\.a/);
  assert.match(refused.errors, /--force-conflicts/);
  assert.equal((await apply("--field-manager=two --force-conflicts", { a: "2" })).code, 0);
  assert.equal((await apply("--field-manager=one", { b: "1" })).code, 0);
  const { data, metadata } = await shown(kubectl, "cm server");
  assert.deepEqual(data, { a: "2", b: "1" });
  assert.deepEqual(
    metadata.managedFields.map((each: { manager: string; fieldsV1: object }) => [each.manager, each.fieldsV1]),
    [["one", { "f:data": { "f:b": {} } }], ["two", { "f:data": { "f:a": {} } }]],
  );
  assert.equal((await apply("--field-manager=one", {})).code, 0);
  assert.deepEqual((await shown(kubectl, "cm server")).data, { a: "2" });
}

/** Moves from client-side to server-side apply: fields that the second omits are removed. */
async function movesToTheServer(kubectl: Kubectl): Promise<void> {
  await good(kubectl, "apply -f -", configMap("moved", { a: "1", b: "1" }));
  await good(kubectl, "apply --server-side -f -", configMap("moved", { a: "2" }));
  assert.deepEqual((await shown(kubectl, "cm moved")).data, { a: "2" });
}

async function prunes(kubectl: Kubectl): Promise<void> {
  const labels = { labels: { set: "pruned" } };
  const both = `${configMap("keep", {}, labels)}\n${configMap("drop", {}, labels)}`;
  await good(kubectl, "apply -f -", both);
  const pruned = await good(kubectl, "apply --prune -l set=pruned --prune-allowlist=core/v1/ConfigMap -f -", configMap("keep", {}, labels));
  assert.match(pruned, /configmap\/drop pruned/);
  assert.equal(await good(kubectl, "get cm -l set=pruned -o name"), "configmap/keep\n");
}

async function changesInPlace(kubectl: Kubectl, path: string, server: RealServer): Promise<void> {
  await good(kubectl, "create -f -", configMap("place", { a: "1" }));
  assert.match(await good(kubectl, ["patch", "cm", "place", "-p", '{"data":{"b":"2"}}']), /patched$/m);
  assert.match(await good(kubectl, ["patch", "cm", "place", "-p", '{"data":{"b":"2"}}']), /patched \(no change\)/);
  await good(kubectl, ["patch", "cm", "place", "--type=merge", "-p", '{"data":{"a":null,"c":"3"}}']);
  await good(kubectl, [
    "patch",
    "cm",
    "place",
    "--type=json",
    "-p",
    '[{"op":"test","path":"/data/b","value":"2"},{"op":"remove","path":"/data/b"}]',
  ]);
  assert.deepEqual((await shown(kubectl, "cm place")).data, { c: "3" });
  const failed = await bad(kubectl, ["patch", "cm", "place", "--type=json", "-p", '[{"op":"test","path":"/data/c","value":"4"}]']);
  assert.match(failed, /testing value \/data\/c failed|the server rejected our request/);

  assert.match(await good(kubectl, "label cm place tier=front"), /configmap\/place labeled/);
  assert.match(await bad(kubectl, "label cm place tier=back"), /'tier' already has a value/);
  assert.match(await good(kubectl, "label cm place tier=back --overwrite"), /labeled/);
  assert.match(await good(kubectl, "label cm place tier-"), /unlabeled/);
  assert.match(await good(kubectl, "annotate cm place note=hello"), /annotated?$/m); // 1.27 has a shorter message.
  const { metadata } = await shown(kubectl, "cm place");
  assert.deepEqual([metadata.labels, metadata.annotations], [undefined, { note: "hello" }]);

  const editor = join(server.folder, "editor.sh");
  await writeFile(editor, '#!/bin/sh\nsed -i \'s/c: "3"/c: edited/\' "$1"\n');
  await chmod(editor, 0o755);
  const edited = await run(path, [`--cache-dir=${join(server.folder, "kubectl-cache")}`, "edit", "cm", "place"], {
    input: "",
    env: { KUBECONFIG: server.kubeconfig, HOME: server.folder, KUBE_EDITOR: editor },
  });
  assert.equal(edited.code, 0, edited.errors);
  assert.match(edited.output, /configmap\/place edited/);
  assert.deepEqual((await shown(kubectl, "cm place")).data, { c: "edited" });

  const before = (await shown(kubectl, "cm place")).metadata.uid;
  assert.match(await good(kubectl, "replace --force -f -", configMap("place", { z: "9" })), /configmap\/place replaced/);
  const after = await shown(kubectl, "cm place");
  assert.deepEqual(after.data, { z: "9" });
  assert.notEqual(after.metadata.uid, before);
}

async function patchesTheStatus(kubectl: Kubectl): Promise<void> {
  const condition = '{"status":{"conditions":[{"type":"Odd","status":"True","reason":"Tried","message":"by hand"}]}}';
  await good(kubectl, "create ns with-status");
  assert.match(
    await good(kubectl, ["patch", "ns", "with-status", "--subresource=status", "-p", condition]),
    /namespace\/with-status patched/,
  );
  assert.equal((await shown(kubectl, "ns with-status")).status.conditions[0].type, "Odd");
  await good(kubectl, ["patch", "ns", "with-status", "-p", condition.replace("Odd", "Even")]);
  assert.deepEqual((await shown(kubectl, "ns with-status")).status.conditions.map((each: { type: string }) => each.type), ["Odd"]);
}

async function validates(kubectl: Kubectl): Promise<void> {
  const odd = (name: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"daat":{}}`;
  assert.match(await bad(kubectl, "create --validate=strict -f -", odd("strict")), /unknown field "daat"/);
  const warned = await kubectl("create --validate=warn -f -", odd("warn"));
  assert.equal(warned.code, 0, warned.errors);
  assert.match(warned.errors, /Warning: unknown field "daat"/);
  const ignored = await kubectl("create --validate=ignore -f -", odd("ignore"));
  assert.deepEqual([ignored.code, ignored.errors], [0, ""]);
}

async function cascades(kubectl: Kubectl): Promise<void> {
  for (const [mode, survives] of [["background", false], ["foreground", false], ["orphan", true]] as const) {
    const owner = `owner-${mode}`, child = `child-${mode}`;
    await good(kubectl, "create -f -", configMap(owner, {}));
    const { uid } = (await shown(kubectl, `cm ${owner}`)).metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: owner, uid, blockOwnerDeletion: true }];
    await good(kubectl, "create -f -", configMap(child, {}, { ownerReferences }));
    await good(kubectl, `delete cm ${owner} --cascade=${mode} --timeout=60s`);
    if (survives) assert.equal((await shown(kubectl, `cm ${child}`)).metadata.ownerReferences, undefined);
    else await until(async () => assert.match(await bad(kubectl, `get cm ${child}`), /\(NotFound\)/));
  }
}

/** kubectl 1.27 requests versions of the review that 1.35 does not serve, and reports that. */
async function saysWhoAsks(kubectl: Kubectl): Promise<void> {
  const { code, output, errors } = await kubectl("auth whoami");
  const isOld = /v1\.27\./.test(await good(kubectl, "version --client"));
  assert.equal(code, isOld ? 1 : 0, errors);
  assert.match(isOld ? errors : output, isOld ? /selfsubjectreviews API is not enabled/ : /system:masters/);
}

const setups: readonly Setup[] = [{ runtime: "deno", store: "sqlite" }, { runtime: "node", store: "etcd" }];
const clients = { paths: kubectls(), missing: kubectlMissing() };
againstTheProgram("kubectl changes things in every way, against the program", clients, setups, async (path, server) => {
  const kubectl = kubectlFor(path, server);
  await Promise.all([
    appliesOnTheClient(kubectl),
    appliesOnTheServer(kubectl),
    movesToTheServer(kubectl),
    prunes(kubectl),
    changesInPlace(kubectl, path, server),
    patchesTheStatus(kubectl),
    validates(kubectl),
    cascades(kubectl),
  ]);
  await saysWhoAsks(kubectl);
});
