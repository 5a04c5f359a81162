// Everyday use of kubectl, with every kubectl on PATH, on both stores and both runtimes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { type RealServer, until } from "../real-server.ts";
import { bad, good, type Kubectl, kubectlFor, kubectlMissing, kubectls } from "./kubectl.ts";
import { againstTheProgram, everySetup } from "./setups.ts";

const configMap = (name: string, data: Readonly<Record<string, string>>, more: object = {}) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data });

async function writesAndReads(kubectl: Kubectl, ns: string): Promise<void> {
  assert.match(await good(kubectl, `create namespace ${ns}`), /namespace\/\S+ created/);
  assert.match(await good(kubectl, `create configmap a -n ${ns} --from-literal=k=v --from-literal=__proto__=x`), /configmap\/a created/);
  assert.match(await bad(kubectl, `create configmap a -n ${ns} --from-literal=k=v`), /\(AlreadyExists\)|already exists/);
  assert.match(await good(kubectl, `create -n ${ns} -f -`, configMap("b", { k: "1" }, { labels: { app: "x" } })), /configmap\/b created/);
  assert.match(await good(kubectl, `create secret generic s -n ${ns} --from-literal=password=hush`), /secret\/s created/);
  assert.match(await good(kubectl, `replace -n ${ns} -f -`, configMap("b", { k: "2" }, { labels: { app: "y" } })), /configmap\/b replaced/);
  const stale = await bad(kubectl, `replace -n ${ns} -f -`, configMap("b", { k: "3" }, { resourceVersion: "1" }));
  assert.match(stale, /the object has been modified/);
  assert.match(await bad(kubectl, `create -n ${ns} -f -`, configMap("Bad_Name", {})), /metadata\.name: Invalid value: "Bad_Name"/);
  assert.match(
    await bad(kubectl, `create -n ${ns} -f -`, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"dat":{}}'),
    /unknown field "dat"/,
  );

  const [table, wide, yaml, json, path, labelled, byName, all, chunked, names, secret] = await Promise.all([
    good(kubectl, `get cm -n ${ns}`),
    good(kubectl, `get configmaps -n ${ns} -o wide --show-labels`),
    good(kubectl, `get cm b -n ${ns} -o yaml`),
    good(kubectl, `get cm -n ${ns} -o json`),
    good(kubectl, `get cm b -n ${ns} -o jsonpath={.data.k}`),
    good(kubectl, `get cm -n ${ns} -l app=y -o name`),
    good(kubectl, `get cm -n ${ns} --field-selector metadata.name=a -o name`),
    good(kubectl, `get cm -A --no-headers`),
    good(kubectl, `get ns --chunk-size=1 -o name`),
    good(kubectl, `get ns -o name`),
    good(kubectl, `get secret s -n ${ns} -o jsonpath={.data.password}`),
  ]);
  assert.match(table, /^NAME +DATA +AGE\na +2 +\S+\nb +1 +\S+\n$/);
  assert.match(wide, /b +1 +\S+ +app=y/);
  assert.match(yaml, /^apiVersion: v1\ndata:\n {2}k: "2"\nkind: ConfigMap\nmetadata:\n/);
  const list = JSON.parse(json);
  assert.deepEqual(list.items.map((item: { metadata: { name: string } }) => item.metadata.name), ["a", "b"]);
  assert.equal(Object.getOwnPropertyDescriptor(list.items[0].data, "__proto__")?.value, "x");
  assert.deepEqual([path, labelled, byName, secret], ["2", "configmap/b\n", "configmap/a\n", "aHVzaA=="]);
  assert.match(all, new RegExp(`^${ns} +a `, "m"));
  assert.equal(chunked, names);
  assert.match(names, /namespace\/default\n/);

  assert.match(await bad(kubectl, `get cm missing -n ${ns}`), /Error from server \(NotFound\): configmaps "missing" not found/);
  assert.match(await bad(kubectl, "get nonsense"), /the server doesn't have a resource type "nonsense"/);
  assert.match(await good(kubectl, `describe cm b -n ${ns}`), /Name: +b\n[\s\S]*Labels: +app=y[\s\S]*Data\n====\nk:\n----\n2/);
  assert.match(await good(kubectl, `describe ns ${ns}`), /Status: +Active/);
}

async function deletes(kubectl: Kubectl, ns: string): Promise<void> {
  assert.match(await good(kubectl, `create -n ${ns} -f -`, configMap("held", {}, { finalizers: ["example.com/hold"] })), /created/);
  const waiting = kubectl(`delete cm held -n ${ns} --wait --timeout=60s`);
  const marked = await until(async () => {
    const object = JSON.parse(await good(kubectl, `get cm held -n ${ns} -o json`));
    assert.ok(object.metadata.deletionTimestamp, "not marked yet");
    return object;
  });
  delete marked.metadata.finalizers;
  await good(kubectl, `replace -n ${ns} -f -`, JSON.stringify(marked));
  const { code, output, errors } = await waiting;
  assert.equal(code, 0, errors);
  assert.match(output, /configmap "held" deleted/);
  assert.match(await good(kubectl, `delete cm a b -n ${ns}`), /configmap "a" deleted.*\nconfigmap "b" deleted/);
  assert.match(await bad(kubectl, `delete cm a -n ${ns}`), /\(NotFound\)/);
  assert.match(await good(kubectl, `delete secret --all -n ${ns}`), /secret "s" deleted/);
  assert.match(await good(kubectl, `delete ns ${ns} --wait --timeout=60s`), /namespace "\S+" deleted/);
  assert.match(await bad(kubectl, `get ns ${ns}`), /\(NotFound\)/);
}

async function documentation(kubectl: Kubectl, server: RealServer): Promise<void> {
  const [resources, versions, explained, field, version, ready, raw] = await Promise.all([
    good(kubectl, "api-resources"),
    good(kubectl, "api-versions"),
    good(kubectl, "explain configmap --recursive"),
    good(kubectl, "explain configmap.data"),
    good(kubectl, "version -o json"),
    until(() => good(kubectl, "get --raw /readyz?verbose")), // Default roles are created after the start.
    good(kubectl, "get --raw /api/v1/namespaces/default"),
  ]);
  assert.match(resources, /^configmaps +cm +v1 +true +ConfigMap$/m);
  assert.match(resources, /^namespaces +ns +v1 +false +Namespace$/m);
  assert.match(versions, /^v1$/m);
  assert.match(explained, /^KIND: +ConfigMap\nVERSION: +v1\n/);
  assert.match(explained, /^ {2}binaryData\t<map\[string\]string>$/m);
  assert.match(explained, /^ {6}fieldsType\t<string>$/m, "three levels down");
  assert.match(field, /^FIELD: data <map\[string\]string>\n/m);
  assert.equal(JSON.parse(version).serverVersion.major, "1");
  assert.match(ready, /readyz check passed/);
  assert.equal(JSON.parse(raw).metadata.name, "default");
  assert.match(await good(kubectl, "cluster-info"), new RegExp(`is running at .*${server.url}`));
}

/** The lines of `get -w` while objects are created, changed and deleted, with one header. */
async function watches(path: string, server: RealServer, kubectl: Kubectl): Promise<void> {
  const env = { ...process.env, KUBECONFIG: server.kubeconfig, HOME: server.folder };
  const watch = spawn(path, [`--cache-dir=${server.folder}/kubectl-cache`, "get", "cm", "-w", "-l", "watched=yes"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 300_000,
  });
  const lines: string[] = [];
  createInterface({ input: watch.stdout }).on("line", (line) => {
    lines.push(line);
  });
  const seen = (count: number) => until(() => assert.ok(lines.length >= count, `kubectl get -w showed ${JSON.stringify(lines)}`));
  const labels = { labels: { watched: "yes" } };
  await good(kubectl, "create -f -", configMap("w1", {}, labels));
  await seen(2);
  await good(kubectl, "replace -f -", configMap("w1", { k: "v" }, labels));
  await good(kubectl, "create -f -", configMap("unwatched", {}));
  await seen(3);
  await good(kubectl, "delete cm w1 unwatched");
  await seen(4);
  const ended = once(watch, "exit");
  watch.kill("SIGKILL");
  await ended;
  assert.match(lines[0]!, /^NAME +DATA +AGE$/);
  assert.deepEqual(lines.slice(1).map((line) => line.split(/ +/).slice(0, 2).join(" ")), ["w1 0", "w1 1", "w1 1"]);
}

const clients = { paths: kubectls(), missing: kubectlMissing() };
againstTheProgram("kubectl works against the program", clients, everySetup, async (path, server) => {
  const kubectl = kubectlFor(path, server);
  await Promise.all([
    writesAndReads(kubectl, "demo").then(() => deletes(kubectl, "demo")),
    documentation(kubectl, server),
    watches(path, server, kubectl),
  ]);
});
