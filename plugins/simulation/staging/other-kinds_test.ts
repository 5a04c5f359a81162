// Stages for custom resources and other kinds, in a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openSimulation } from "../test-world.ts";

// deno-lint-ignore-file no-explicit-any -- objects of any kind are read as they come.

type World = Awaited<ReturnType<typeof openSimulation>>;
const stageVersion = "kwok.x-k8s.io/v1alpha1", widgetVersion = "example.com/v1";

const createStage = ({ api }: World, name: string, spec: object) =>
  api.create(stageVersion, "stages", "", { apiVersion: stageVersion, kind: "Stage", metadata: { name }, spec });
const ofWidgets = { resourceRef: { apiGroup: widgetVersion, kind: "Widget" } };

const define = ({ api }: World) =>
  api.create("apiextensions.k8s.io/v1", "customresourcedefinitions", "", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      }],
    },
  });

const createWidget = ({ api }: World, name: string, spec: object, more: object = {}) =>
  eventually(() =>
    api.create(widgetVersion, "widgets", "default", { apiVersion: widgetVersion, kind: "Widget", metadata: { name }, spec, ...more })
  );
const phaseOf = async ({ api }: World, name: string) => (await api.get(widgetVersion, "widgets", "default", name) as any).status?.phase;
const tells = ({ server: { logged } }: World, text: string) => assert.ok(logged.some((line) => line.includes(text)), logged.join("\n"));

test("Stages are for custom resources from when their kind is served: selectors in CEL and jq, delays, statuses, finalizers, deletions", async () => {
  await using world = await openSimulation();
  const selector = (expression: string) => ({ matchExpressions: [{ cel: { expression } }] });
  await createStage(world, "widget-ready", {
    ...ofWidgets,
    selector: selector("!has(self.status) && self.spec.size > 1"),
    delay: { durationFrom: { cel: { expression: "self.spec.after" } } },
    next: { statusTemplate: "phase: Ready\nname: {{ .metadata.name | Quote }}", finalizers: { add: [{ value: "example.com/kept" }] } },
  });
  await createStage(world, "widget-gone", {
    ...ofWidgets,
    selector: { matchExpressions: [{ jq: { key: ".metadata.deletionTimestamp", operator: "Exists" } }] },
    next: { finalizers: { empty: true } },
  });
  await eventually(() => tells(world, "the stage widget-ready waits until its kind is served"));
  await define(world);
  await createWidget(world, "large", { size: 2, after: "1ms" });
  await createWidget(world, "small", { size: 1, after: "1ms" });
  await eventually(async () => assert.equal(await phaseOf(world, "large"), "Ready"));
  assert.equal(await phaseOf(world, "small"), undefined);
  const { metadata, status } = await world.api.get(widgetVersion, "widgets", "default", "large") as any;
  assert.deepEqual([metadata.finalizers, status.name], [["example.com/kept"], "large"]);
  await world.api.delete(widgetVersion, "widgets", "default", "large");
  await eventually(() => assert.rejects(phaseOf(world, "large"), /not found/));
});

test("Stages are for other built-in kinds; one that is wrong for an object leaves others alone", async () => {
  await using world = await openSimulation();
  const ofMaps = { resourceRef: { kind: "ConfigMap" } };
  await createStage(world, "failing", {
    ...ofMaps,
    selector: { matchLabels: { mine: "wrong" } },
    next: { statusTemplate: "phase: Ready" },
  });
  await createStage(world, "counted", {
    ...ofMaps,
    selector: { matchLabels: { mine: "yes" }, matchExpressions: [{ cel: { expression: "!('seen' in self.data)" } }] },
    steps: [{ patch: { root: "data", template: "seen: {{ .metadata.name | Quote }}" } }],
  });
  for (const [name, mine] of [["wrong", "wrong"], ["right", "yes"]] as const) {
    await world.api.create("v1", "configmaps", "default", { metadata: { name, labels: { mine } }, data: { a: "b" } });
  }
  await eventually(async () => {
    const { data } = await world.api.get("v1", "configmaps", "default", "right") as any;
    assert.deepEqual(data, { a: "b", seen: "right" });
  });
  await eventually(() => tells(world, "the stage failing fails for v1 ConfigMap default/wrong"));
});

test("a custom resource whose status is no struct harms no Stage", async () => {
  await using world = await openSimulation();
  await define(world);
  await createWidget(world, "odd", {});
  await createStage(world, "told", { ...ofWidgets, selector: {}, next: { patches: [{ template: "spec: {told: true}" }] } });
  await world.api.update(widgetVersion, "widgets", "default", "odd", {
    ...await world.api.get(widgetVersion, "widgets", "default", "odd"),
    ...{ status: { conditions: [null, "text"], startTime: 5 } },
  }, { subresource: "status" });
  await eventually(async () => assert.equal((await world.api.get(widgetVersion, "widgets", "default", "odd") as any).spec.told, true));
});

test("a kind is followed as long as a Stage is for it, and again when its definition is back", async () => {
  await using world = await openSimulation();
  const spec = { ...ofWidgets, selector: { matchLabels: {} }, next: { statusTemplate: "phase: Ready" } };
  await define(world);
  await createStage(world, "ready", spec);
  await createWidget(world, "one", {});
  await eventually(async () => assert.equal(await phaseOf(world, "one"), "Ready"));
  await world.api.delete(stageVersion, "stages", "", "ready");
  await eventually(() => assert.rejects(world.api.get(stageVersion, "stages", "", "ready"), /not found/));
  await createStage(world, "ready", spec);
  await createWidget(world, "two", {});
  await eventually(async () => assert.equal(await phaseOf(world, "two"), "Ready"));
  await world.api.delete("apiextensions.k8s.io/v1", "customresourcedefinitions", "", "widgets.example.com");
  await eventually(() =>
    assert.rejects(world.api.get("apiextensions.k8s.io/v1", "customresourcedefinitions", "", "widgets.example.com"), /not found/)
  );
  await define(world);
  await createWidget(world, "three", {});
  await eventually(async () => assert.equal(await phaseOf(world, "three"), "Ready"));
});
