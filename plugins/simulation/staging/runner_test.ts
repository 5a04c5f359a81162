// Stages that make pods and nodes live, in a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openSimulation } from "../test-world.ts";

type World = Awaited<ReturnType<typeof openSimulation>>;
const create = ({ api }: World, name: string, spec: object) =>
  api.create("kwok.x-k8s.io/v1alpha1", "stages", "", {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name },
    spec,
  });
const ofPods = { resourceRef: { apiGroup: "v1", kind: "Pod" } };
const statusTemplate = [
  "{{ $now := Now }}",
  "phase: Running",
  "podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) | Quote }}",
  "conditions:",
  "- {type: Ready, status: 'True', lastTransitionTime: {{ $now | Quote }}}",
  "containerStatuses:",
  "{{ range .spec.containers }}",
  "- {name: {{ .name | Quote }}, image: {{ .image | Quote }}, imageID: '', ready: true, restartCount: 7, state: {running: {startedAt: {{ $now | Quote }} }}}",
  "{{ end }}",
].join("\n");

test("a Stage decides the life of the pods that it selects; others live as usual", async () => {
  await using world = await openSimulation();
  await create(world, "seven", {
    ...ofPods,
    selector: {
      matchAnnotations: { mine: "yes" },
      matchExpressions: [{ key: ".metadata.deletionTimestamp", operator: "DoesNotExist" }, {
        key: ".status.phase",
        operator: "In",
        values: ["Pending"],
      }],
    },
    delay: { durationMilliseconds: 20 },
    next: {
      event: { type: "Normal", reason: "Sevened", message: "seven restarts" },
      finalizers: { add: [{ value: "example.com/held" }] },
      statusTemplate,
    },
  });
  await eventually(async () => assert.equal((await world.api.list("kwok.x-k8s.io/v1alpha1", "stages", "")).items.length, 1));
  await world.createPod("mine", { mine: "yes" });
  await world.createPod("other");
  const other = await world.podWhen("other", ({ status }) => status.phase === "Running");
  assert.equal(other.status.containerStatuses![0]!.restartCount, 0);
  await eventually(async () => {
    const { metadata, status } = await world.pod("mine");
    assert.deepEqual([metadata.finalizers, status.phase], [["example.com/held"], "Running"]);
    assert.match(status.podIP ?? "", /^10\.128\./);
  });
});

test("a Stage with the name of a built-in one replaces it", async () => {
  await using world = await openSimulation();
  await create(world, "pod-ready", { ...ofPods, selector: { matchLabels: { never: "matches" } }, next: {} });
  await world.createPod("one");
  const { status } = await world.podWhen("one", ({ spec }) => spec.nodeName !== undefined);
  assert.equal(status.phase, "Pending");
  await world.api.delete("kwok.x-k8s.io/v1alpha1", "stages", "", "pod-ready");
  await world.podWhen("one", ({ status }) => status.phase === "Running");
});

test("a Stage that is wrong is reported by name, and stops no other", async () => {
  await using world = await openSimulation();
  await create(world, "bad", { ...ofPods, selector: { matchExpressions: [{ key: "input", operator: "Exists" }] }, next: {} });
  await create(world, "gone", { ...ofPods, selector: { matchAnnotations: { gone: "yes" } }, next: { delete: true } });
  await world.createPod("one", { gone: "yes" });
  await eventually(() => assert.rejects(() => world.pod("one"), /not found/));
  assert.ok(world.server.logged.some((line) => line.includes("the stage bad has no effect: the function input is not supported")));
});

test("the step apply writes other objects, and changes them in the same way later", async () => {
  await using world = await openSimulation();
  const template = (value: string) =>
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: {{ printf "of-%s" .metadata.name | Quote }} }, data: {phase: ${value}}}`;
  const selector = (phase: string) => ({ matchAnnotations: { mine: "yes", phase } });
  const after = (value: string) => ({ patch: { type: "merge", template: `metadata: {annotations: {phase: '${value}'}}` } });
  await create(world, "first", { ...ofPods, selector: selector("1"), steps: [{ apply: { template: template("one") } }, after("2")] });
  await create(world, "second", {
    ...ofPods,
    selector: selector("2"),
    steps: [{ apply: { type: "merge", template: template("two") } }, {
      apply: { template: "{apiVersion: v1, kind: Namespace, metadata: {name: made}}" },
    }, after("3")],
  });
  await world.createPod("one", { mine: "yes", phase: "1" });
  await eventually(async () => assert.equal((await world.pod("one")).metadata.annotations?.["phase"], "3"));
  const { data } = await world.api.get("v1", "configmaps", "default", "of-one") as unknown as { readonly data: object };
  assert.deepEqual(data, { phase: "two" });
  await world.api.get("v1", "namespaces", "", "made");
});

test("a step apply for a kind that is not served is reported", async () => {
  await using world = await openSimulation();
  const template = "{apiVersion: example.com/v1, kind: Nothing, metadata: {name: a}}";
  await create(world, "nothing", { ...ofPods, selector: { matchAnnotations: { mine: "yes" } }, steps: [{ apply: { template } }] });
  await world.createPod("one", { mine: "yes" });
  await eventually(() =>
    assert.ok(
      world.server.logged.some((line) => line.includes('the kind \\"Nothing\\" of \\"example.com/v1\\" is not served')),
      world.server.logged.join("\n"),
    )
  );
});
