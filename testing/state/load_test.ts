import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { openTestServer } from "../server.ts";
import { documentsOf } from "./documents.ts";
import { LoadError } from "./load.ts";
import { stepsOf } from "./order.ts";

const configMap = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "a", ...more },
});
const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } };
const widgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

test("documentsOf() reads documents, JSON, lists and typed lists, and names the place of each", () => {
  const text = [
    "# a comment before the first document",
    "--- # and one behind the marker",
    "apiVersion: v1",
    "kind: List",
    'items: [{ apiVersion: v1, kind: Secret, metadata: { name: "---" } }, { kind: Pod }]',
    "---",
    "# nothing here",
    "---",
    '{"apiVersion":"v1","kind":"ConfigMapList","items":[{"metadata":{"name":"a"}}]}',
    "---",
    "text: |",
    "  ---",
    "kind: 5",
  ].join("\n");
  const found = documentsOf(text, "x.yaml").map(({ place, object, problem }) => [place, object?.kind ?? problem]);
  assert.deepEqual(found, [
    ["x.yaml, document 1, item 1", "Secret"],
    ["x.yaml, document 1, item 2", "Pod has no apiVersion"],
    ["x.yaml, document 3, item 1", "ConfigMap"],
    ["x.yaml, document 4", "has no kind"],
  ]);
  assert.deepEqual(documentsOf("", "empty"), []);
  assert.equal(documentsOf("a: 1\na: 2", "twice")[0]?.problem, 'line 2: key "a" already set in map');
});

test("stepsOf() puts definitions and namespaces first, webhooks and quotas last, and owners before what they own", () => {
  const owned = (name: string, owner: string) =>
    configMap(name, { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: owner, uid: "" }] });
  const object = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, metadata: { name } });
  const all = [
    object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook"),
    owned("grandchild", "child"),
    owned("child", "parent"),
    configMap("parent"),
    owned("round", "round"),
    namespace,
    object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "definition"),
  ];
  const steps = stepsOf(all.map((each) => ({ object: each }))).map((step) => step.map(({ object }) => object.metadata?.name));
  assert.deepEqual(steps, [["definition"], ["a"], ["parent"], ["child"], ["grandchild"], ["round"], ["hook"]]);
});

test("load() writes manifests in the order of what they need, with their status and the uids of owners", async () => {
  await using server = await openTestServer();
  const stored = await server.load(`
apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: a
  ownerReferences: [{ apiVersion: example.com/v1, kind: Widget, name: w, uid: <uid> }]
spec: { containers: [{ name: c, image: i }] }
status: { phase: Running, podIP: 10.0.0.1, startTime: <time> }
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: w, namespace: a }
status: { ready: true }
---
apiVersion: v1
kind: Namespace
metadata: { name: a }
---${widgetDefinition}`);
  assert.deepEqual(stored.map(({ kind }) => kind), ["Pod", "Widget", "Namespace", "CustomResourceDefinition"]);
  const pod = await server.api.get("v1", "pods", "a", "p") as any;
  const widget = await server.api.get("example.com/v1", "widgets", "a", "w") as any;
  assert.deepEqual([pod.status.phase, pod.status.podIP, pod.status.startTime], ["Running", "10.0.0.1", undefined]);
  assert.equal(pod.metadata.ownerReferences[0].uid, widget.metadata.uid);
  assert.deepEqual(widget.status, { ready: true });
});

test("load() applies what exists, and takes single objects and arrays", async () => {
  await using server = await openTestServer();
  await server.load([configMap("c"), namespace]);
  const [again] = await server.load({ ...configMap("c"), data: { k: "v" } } as typeof namespace);
  assert.deepEqual((again as any).data, { k: "v" });
  assert.equal((await server.api.list("v1", "configmaps", "a")).items.filter(({ metadata }) => metadata.name === "c").length, 1);
});

test("load() of a folder reads the files below it, and reports each problem with its file and document", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-load-"));
  try {
    await mkdir(join(folder, "inner"));
    await writeFile(join(folder, "1.yaml"), JSON.stringify(configMap("c")));
    await writeFile(join(folder, "inner", "2.json"), JSON.stringify(namespace));
    await writeFile(join(folder, "notes.txt"), "no manifest");
    await using server = await openTestServer();
    assert.equal((await server.load(pathToFileURL(`${folder}/`))).length, 2);
    await writeFile(
      join(folder, "wrong.yml"),
      `kind: Pod\n---\napiVersion: v1\nkind: Nothing\n---\n${JSON.stringify(configMap("D"))}\n---\n{]`,
    );
    await writeFile(join(folder, "z.yaml"), JSON.stringify(configMap("z")));
    const error = await server.load({ path: folder }).then(() => undefined, (error: unknown) => error);
    assert.ok(error instanceof LoadError);
    assert.deepEqual(error.problems.map(({ place }) => place).sort(), [1, 2, 3, 4].map((number) => `wrong.yml, document ${number}`));
    assert.match(error.message, /wrong\.yml, document 2: Nothing: no kind "Nothing" is served in v1/);
    assert.match(error.message, /wrong\.yml, document 3: ConfigMap a\/D: .*lowercase/);
    assert.equal((await server.api.get("v1", "configmaps", "a", "z")).metadata.name, "z");
    await assert.rejects(server.load({ path: join(folder, "none") }), { code: "ENOENT" });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("load() of another server copies objects with all of their metadata, and rejects what differs", async () => {
  await using source = await openTestServer();
  await source.load([namespace, configMap("c", { finalizers: ["example.com/kept"] })]);
  await source.load(`${widgetDefinition}---\n{ apiVersion: example.com/v1, kind: Widget, metadata: { name: w, namespace: a } }`);
  await source.api.delete("v1", "configmaps", "a", "c");
  await using target = await openTestServer();
  await target.load(source);
  const [original, copy] = await Promise.all([source, target].map(({ api }) => api.get("v1", "configmaps", "a", "c")));
  assert.equal((await target.api.get("example.com/v1", "widgets", "a", "w")).kind, "Widget");
  assert.equal(typeof copy!.metadata.deletionTimestamp, "string");
  assert.deepEqual({ ...copy!.metadata, resourceVersion: "" }, { ...original!.metadata, resourceVersion: "" });
  await target.load(source);
  const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const metadata = { name: "x", namespace: "a" }, spec = { selector: { matchLabels: { app: "x" } }, template };
  const plain = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec }, counted = { ...plain, status: { replicas: 1 } };
  await Promise.all([source.load(counted), target.load(plain)]);
  await target.load(source); // what a controller of only one of them has written makes no difference
  await source.load({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "d", namespace: "a" } });
  await target.load({ ...configMap("d"), data: { other: "content" } } as typeof namespace);
  await assert.rejects(target.load(source), /configmaps\/a\/d: ConfigMap a\/d exists with another content/);
});
