// The JavaScript client on custom resources: its API without types, its API of any object, watches, and an informer across restarts.
// In Deno's suite only: what clients are answered does not depend on the runtime; kubectl_test.ts and client-node_test.ts run on both.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  ApiException,
  ApiextensionsV1Api,
  CustomObjectsApi,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1CustomResourceDefinition,
  Watch,
} from "@kubernetes/client-node";
import { freePort } from "../ports.ts";
import { startRealServer, startSkipped, until } from "../real-server.ts";
import { configOf } from "./client-node.ts";

const group = "clients.example.com", version = "v1", plural = "gadgets", namespace = "default";
const apiVersion = `${group}/${version}`, kind = "Gadget";
const path = `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
const of = { group, version, namespace, plural };

interface Gadget extends KubernetesObject {
  readonly spec?: { readonly size?: number; readonly colour?: string; readonly tags?: readonly string[] };
  readonly status?: { readonly size?: number };
}

const definition: V1CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural, kind },
    versions: [{
      name: version,
      served: true,
      storage: true,
      subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
      selectableFields: [{ jsonPath: ".spec.colour" }],
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: {
                size: { type: "integer", maximum: 100 },
                colour: { type: "string", _default: "blue" },
                tags: { type: "array", x_kubernetes_list_type: "set", items: { type: "string" } },
              },
            },
            status: { type: "object", properties: { size: { type: "integer" } } },
          },
        },
      },
    }],
  },
};

const gadget = (name: string, spec: Gadget["spec"] = {}): Gadget => ({ apiVersion, kind, metadata: { name, namespace }, spec });
const isRefusal = (code: number, text: RegExp) => (error: unknown) =>
  error instanceof ApiException && error.code === code && text.test(error.body);
const patchedBy = (strategy: string) => setHeaderOptions("Content-Type", strategy);

/** Creates the definition and waits until its resource is served. */
async function define(config: KubeConfig): Promise<void> {
  const made = await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({ body: definition });
  assert.deepEqual({ ...made.spec.names }, { plural, kind, singular: "gadget", listKind: "GadgetList" });
  assert.equal(made.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.["spec"]?.properties?.["colour"]?._default, "blue");
  await until(() => config.makeApiClient(CustomObjectsApi).listNamespacedCustomObject(of));
}

async function withoutTypes(config: KubeConfig): Promise<void> {
  const api = config.makeApiClient(CustomObjectsApi);
  const name = "untyped";
  const made: Gadget = await api.createNamespacedCustomObject({ ...of, body: gadget(name, { size: 3 }) });
  assert.deepEqual(made.spec, { size: 3, colour: "blue" });
  await assert.rejects(api.createNamespacedCustomObject({ ...of, body: gadget("wrong", { size: 101 }) }), isRefusal(422, /spec\.size/));
  const merged: Gadget = await api.patchNamespacedCustomObject(
    { ...of, name, body: { spec: { colour: "red" } } },
    patchedBy(PatchStrategy.MergePatch),
  );
  assert.deepEqual(merged.spec, { size: 3, colour: "red" });
  const patched: Gadget = await api.patchNamespacedCustomObject({
    ...of,
    name,
    body: [{ op: "replace", path: "/spec/size", value: 4 }],
  }, patchedBy(PatchStrategy.JsonPatch));
  assert.equal(patched.spec?.size, 4);
  await assert.rejects(
    api.patchNamespacedCustomObject({ ...of, name, body: {} }, patchedBy(PatchStrategy.StrategicMergePatch)),
    isRefusal(415, /the body of the request was in an unknown format/),
  );
  const reported: Gadget = await api.patchNamespacedCustomObjectStatus(
    { ...of, name, body: { status: { size: 4 } } },
    patchedBy(PatchStrategy.MergePatch),
  );
  assert.deepEqual([reported.status, reported.metadata?.generation], [{ size: 4 }, 3]);
  await api.patchNamespacedCustomObjectScale({ ...of, name, body: { spec: { replicas: 9 } } }, patchedBy(PatchStrategy.MergePatch));
  const scale = await api.getNamespacedCustomObjectScale({ ...of, name });
  assert.deepEqual([scale.kind, scale.spec, scale.status], ["Scale", { replicas: 9 }, { replicas: 4 }]);
  const current = await api.getNamespacedCustomObject({ ...of, name });
  const replaced = await api.replaceNamespacedCustomObject({ ...of, name, body: { ...current, spec: { colour: "green" } } });
  assert.deepEqual(replaced.spec, { colour: "green" });
  await assert.rejects(api.replaceNamespacedCustomObject({ ...of, name, body: current }), isRefusal(409, /the object has been modified/));
  const green: KubernetesListObject<Gadget> = await api.listNamespacedCustomObject({ ...of, fieldSelector: "spec.colour=green" });
  assert.deepEqual(green.items.map(nameOf), [name]);
  await api.deleteNamespacedCustomObject({ ...of, name });
  await assert.rejects(
    api.getNamespacedCustomObject({ ...of, name }),
    isRefusal(404, /gadgets\.clients\.example\.com \\?"untyped\\?" not found/),
  );
}

async function ofAnyObject(config: KubeConfig): Promise<void> {
  const api = KubernetesObjectApi.makeApiClient(config);
  const name = "any", header = { apiVersion, kind, metadata: { name, namespace } };
  const applied = await api.patch<Gadget>(
    gadget(name, { size: 1, tags: ["a"] }),
    undefined,
    undefined,
    "one",
    undefined,
    PatchStrategy.ServerSideApply,
  );
  assert.deepEqual(applied.spec, { colour: "blue", size: 1, tags: ["a"] });
  const apply = (manager: string, spec: Gadget["spec"], force?: boolean) =>
    api.patch<Gadget>(gadget(name, spec), undefined, undefined, manager, force, PatchStrategy.ServerSideApply);
  assert.deepEqual((await apply("two", { tags: ["b"] })).spec?.tags?.toSorted(), ["a", "b"]);
  await assert.rejects(apply("two", { tags: ["b"], size: 2 }), isRefusal(409, /conflict with \\"one\\"/));
  assert.equal((await apply("two", { size: 2 }, true)).spec?.size, 2);
  assert.deepEqual((await api.read<Gadget>(header)).spec, { colour: "blue", size: 2, tags: ["a"] });
  const merged = await api.patch<Gadget>(
    gadget(name, { colour: "red" }),
    undefined,
    undefined,
    undefined,
    undefined,
    PatchStrategy.MergePatch,
  );
  assert.equal(merged.spec?.colour, "red");
  await api.create(gadget("dry"), undefined, "All");
  const { items } = await api.list<Gadget>(apiVersion, kind, namespace, undefined, undefined, undefined, "metadata.name=any");
  assert.deepEqual(items.map(nameOf), [name]);
  await assert.rejects(api.read({ ...header, metadata: { name: "dry", namespace } }), isRefusal(404, /not found/));
  const replaced = await api.replace<Gadget>({ ...await api.read<Gadget>(header), spec: { size: 5 } });
  assert.deepEqual(replaced.spec, { colour: "blue", size: 5 });
  await api.delete(header);
}

async function watched(config: KubeConfig): Promise<void> {
  const api = config.makeApiClient(CustomObjectsApi);
  const events: string[] = [];
  const controller = await new Watch(config).watch(
    path,
    { fieldSelector: "spec.colour=watched" },
    (phase, object: Gadget) => events.push(`${phase} ${nameOf(object)} ${object.spec?.size}`),
    () => {},
  );
  await api.createNamespacedCustomObject({ ...of, body: gadget("w", { colour: "watched", size: 1 }) });
  await api.patchNamespacedCustomObject({ ...of, name: "w", body: { spec: { size: 2 } } }, patchedBy(PatchStrategy.MergePatch));
  await api.createNamespacedCustomObject({ ...of, body: gadget("other", { colour: "other" }) });
  await api.patchNamespacedCustomObject({ ...of, name: "w", body: { spec: { colour: "other" } } }, patchedBy(PatchStrategy.MergePatch));
  await until(() => assert.deepEqual(events, ["ADDED w 1", "MODIFIED w 2", "DELETED w 2"]));
  controller.abort();
  for (const name of ["w", "other"]) await api.deleteNamespacedCustomObject({ ...of, name });
}

function nameOf(object: KubernetesObject): string {
  return object.metadata?.name ?? "";
}

for (const runtime of ["deno", "node"] as const) {
  const skip = startSkipped(runtime);

  test(`@kubernetes/client-node uses custom resources on ${runtime}`, { skip }, async () => {
    const server = await startRealServer({ runtime });
    try {
      const config = configOf(server.kubeconfig);
      await define(config);
      await Promise.all([withoutTypes(config), ofAnyObject(config), watched(config)]);
      await config.makeApiClient(ApiextensionsV1Api).deleteCustomResourceDefinition({ name: definition.metadata!.name! });
      await until(() => assert.rejects(config.makeApiClient(CustomObjectsApi).listNamespacedCustomObject(of), isRefusal(404, /404/)));
    } finally {
      await server.close();
    }
  });

  test(`an informer of @kubernetes/client-node on custom resources resumes without a list when the server on ${runtime} restarts`, {
    skip,
  }, () => resumes(runtime));
}

async function resumes(runtime: "deno" | "node"): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-informer-")), port = await freePort();
  const start = () => startRealServer({ runtime, folder, args: [`--secure-port=${port}`] });
  let server = await start(), lists = 0, stopped = false;
  const config = configOf(server.kubeconfig), api = config.makeApiClient(CustomObjectsApi);
  const seen: string[] = [], later: Promise<void>[] = [];
  const informer = makeInformer(config, path, async () => {
    lists++;
    return await api.listNamespacedCustomObject(of) as KubernetesListObject<Gadget>; // The client has no types of it.
  });
  for (const verb of ["add", "update", "delete"] as const) informer.on(verb, (object) => seen.push(`${verb} ${nameOf(object)}`));
  informer.on("error", () => {
    if (!stopped) later.push(new Promise<void>((resolve) => setTimeout(resolve, 100)).then(() => informer.start()).catch(() => {}));
  });
  try {
    await define(config);
    await informer.start();
    await api.createNamespacedCustomObject({ ...of, body: gadget("before") });
    await until(() => assert.deepEqual(seen, ["add before"]));
    server.signal("SIGTERM");
    assert.equal(await server.exited, 0);
    server = await start();
    await until(() => api.createNamespacedCustomObject({ ...of, body: gadget("after", { size: 1 }) }));
    await api.deleteNamespacedCustomObject({ ...of, name: "before" });
    await until(() => assert.deepEqual(seen, ["add before", "add after", "delete before"]));
    assert.deepEqual(informer.list().map(({ spec }) => spec), [{ colour: "blue", size: 1 }]);
    assert.equal(lists, 1);
  } finally {
    stopped = true;
    await informer.stop();
    await Promise.all(later);
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
