import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { steadyForms, withoutPlaceholders } from "./steady-form.ts";

const uid = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
const time = "2026-01-02T03:04:05Z";
const object = (kind: string, metadata: object, more: object = {}) => ({ apiVersion: "v1", kind, metadata, ...more }) as ApiObject;
const owner = object("Job", {
  name: "j",
  namespace: "a",
  uid: uid(1),
  resourceVersion: "7",
  creationTimestamp: time,
  managedFields: [{ manager: "m", time }],
});
const pod = (name: string, image: string, resourceVersion: string) =>
  object("Pod", {
    name,
    generateName: "j-",
    namespace: "a",
    uid: uid(2),
    resourceVersion,
    labels: { owner: uid(1), other: uid(3) },
    ownerReferences: [{ kind: "Job", name: "j", uid: uid(1) }],
  }, { spec: { image, volumes: [{ name: "kube-api-access-abc12" }, { name: "own" }] }, status: { id: `x://${uid(1)}/1`, at: time } });

test("steadyForms() replaces what differs from run to run, and names what a uid belongs to", () => {
  const [job, made] = steadyForms([owner, pod("j-abcde", "i", "9")]);
  assert.deepEqual(job, { apiVersion: "v1", kind: "Job", metadata: { name: "j", namespace: "a" } });
  assert.deepEqual(made, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "j-<1>",
      generateName: "j-",
      namespace: "a",
      labels: { owner: "<uid of Job a/j>", other: "<uid>" },
      ownerReferences: [{ kind: "Job", name: "j" }],
    },
    spec: { image: "i", volumes: [{ name: "kube-api-access-<random>" }, { name: "own" }] },
    status: { id: "x://<uid of Job a/j>/1", at: "<time>" },
  });
});

test("steadyForms() numbers generated names by what the objects contain, whatever the order of their names and revisions", () => {
  const runs = [[pod("j-aaaaa", "one", "5"), pod("j-bbbbb", "two", "6")], [pod("j-ccccc", "two", "5"), pod("j-ddddd", "one", "6")]];
  const [first, second] = runs.map((each) => steadyForms(each).toSorted((a, b) => a.metadata.name! < b.metadata.name! ? -1 : 1));
  assert.deepEqual(first, second);
  assert.deepEqual(first!.map(({ metadata }) => metadata.name), ["j-<1>", "j-<2>"]);
});

test("steadyForms() keeps what is asked for", () => {
  const both = [owner, pod("j-abcde", "i", "9")];
  assert.deepEqual(steadyForms(both, ["times", "random", "revisions", "managedFields"]).map(ordered), both.map(ordered));
  assert.equal(steadyForms(both, ["times"])[0]!.metadata.creationTimestamp, time);
  assert.deepEqual([steadyForms(both, ["random"])[1]!.metadata.name, steadyForms(both, ["random"])[1]!.metadata.uid], ["j-abcde", uid(2)]);
  assert.equal(steadyForms(both, ["revisions"])[1]!.metadata.resourceVersion, "9");
});
const ordered = ({ metadata, ...rest }: ApiObject) => ({ ...rest, metadata: { ...metadata } });

test("steadyForms() replaces addresses and ports of Services that no client has written", () => {
  const spec = { clusterIP: "10.0.0.9", clusterIPs: ["10.0.0.9"], ports: [{ port: 80, nodePort: 30_001 }, { port: 81 }] };
  const service = (fields: object) =>
    object("Service", { name: "s", managedFields: [{ manager: "m", fieldsV1: { "f:spec": fields } }] }, { spec });
  const [allocated, written, headless] = steadyForms([
    service({ "f:ports": { ".": {}, 'k:{"port":80}': { "f:port": {} } } }),
    service({ "f:clusterIP": {}, "f:ports": { 'k:{"port":80}': { "f:nodePort": {} } } }),
    { ...service({}), spec: { clusterIP: "None", clusterIPs: ["None"] } } as ApiObject,
  ]) as any[];
  assert.deepEqual(allocated.spec, {
    clusterIP: "<ip>",
    clusterIPs: ["<ip>"],
    ports: [{ port: 80, nodePort: "<port>" }, { port: 81 }],
  });
  assert.deepEqual(written.spec, spec);
  assert.deepEqual(headless.spec, { clusterIP: "None", clusterIPs: ["None"] });
  assert.deepEqual(withoutPlaceholders(allocated).spec, { ports: [{ port: 80 }, { port: 81 }] });
});

test("withoutPlaceholders() leaves out what the server makes again", () => {
  const [, made] = steadyForms([owner, pod("j-abcde", "i", "9")]);
  assert.deepEqual(withoutPlaceholders(made), {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "j-", namespace: "a", labels: {}, ownerReferences: [{ kind: "Job", name: "j" }] },
    spec: { image: "i", volumes: [{ name: "own" }] },
    status: { id: "x://<uid of Job a/j>/1" },
  });
});
