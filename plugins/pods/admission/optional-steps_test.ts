// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../../core/field-error.ts";
import { defaultNames } from "../../../core/names.ts";
import { Budget } from "../../../core/budget.ts";
import { StatusError } from "../../../plugin.ts";
import { alwaysPullImages } from "./always-pull-images.ts";
import { extendedResourceToleration } from "./extended-resource-toleration.ts";
import { limitHardAntiAffinity } from "./hard-anti-affinity.ts";
import { labelsIn, podNodeSelector } from "./pod-node-selector.ts";
import { podTolerationRestriction } from "./toleration-restriction.ts";

const scheduler = "scheduler.alpha.kubernetes.io/";
const pod = (spec: object): any => ({ metadata: { name: "p", namespace: "n" }, spec: { containers: [], ...spec } }); // `any`: a part of a pod
/** A context of the namespace `n` with these annotations. */
const contextOf = (annotations: object = {}, configuration?: object, more: object = {}): any => ({ // `any`: only what the steps use
  names: defaultNames,
  gates: () => false,
  subresource: "",
  configuration: () => configuration,
  request: { namespace: "n", bounded: (work: () => unknown) => work() },
  server: { recentObject: () => Promise.resolve({ metadata: { name: "n", annotations } }) },
  ...more,
});
async function outcome(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
}

test("AlwaysPullImages sets the policy of new images, and rejects one that was changed afterwards", async () => {
  const c = { name: "c", image: "a", imagePullPolicy: "Never" }, volumes = [{ name: "v", image: { reference: "r", pullPolicy: "Never" } }];
  const given = pod({ containers: [c], initContainers: [c], ephemeralContainers: [c], volumes: [...volumes, { name: "w" }] });
  const always = { ...c, imagePullPolicy: "Always" };
  const { spec } = await alwaysPullImages.mutate!(given, undefined, contextOf());
  assert.deepEqual(spec, {
    containers: [always],
    initContainers: [always],
    ephemeralContainers: [always],
    volumes: [{ name: "v", image: { reference: "r", pullPolicy: "Always" } }, { name: "w" }],
  });
  const wrong = (path: string) => `pods "p" is forbidden: ${path}: Unsupported value: "Never": supported values: "Always"`;
  const refused = (next: any, prior?: any, context = contextOf()) => outcome(() => alwaysPullImages.refuse!(next, prior, context));
  assert.equal(await refused(pod({ containers: [c] })), `500 ${wrong("spec.containers[0].imagePullPolicy")}`);
  assert.equal(
    await refused(pod({ initContainers: [c], volumes })),
    `500 [${wrong("spec.initContainers[0].imagePullPolicy")}, ${wrong("spec.volumes[0].image.pullPolicy")}]`,
  );
  assert.equal(await refused(pod({ containers: [c] }), pod({ containers: [c] })), undefined);
  assert.equal(await refused(pod({ containers: [c] }), pod({}), contextOf({}, undefined, { subresource: "status" })), undefined);
  assert.notEqual(await refused(pod({ containers: [c] }), pod({ containers: [{ ...c, image: "b" }] })), undefined);
});

test("LimitPodHardAntiAffinityTopology admits the node as the only domain of required anti-affinity", () => {
  const refused = (podAntiAffinity: object) =>
    limitHardAntiAffinity.refuse!(pod({ affinity: { podAntiAffinity } }), undefined, contextOf());
  const terms = (...keys: string[]) => ({ requiredDuringSchedulingIgnoredDuringExecution: keys.map((topologyKey) => ({ topologyKey })) });
  assert.equal(refused(terms("kubernetes.io/hostname")), undefined);
  assert.equal(refused({ preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: { topologyKey: "zone" } }] }), undefined);
  assert.equal(
    refused(terms("kubernetes.io/hostname", "zone")),
    "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed",
  );
});

test("ExtendedResourceToleration adds a toleration for each extended resource that containers request", async () => {
  const requests = (...names: string[]) => ({ resources: { requests: Object.fromEntries(names.map((name) => [name, "1"])) } });
  const of = (key: string, more: object = {}) => ({ key, operator: "Exists", effect: "NoSchedule", ...more });
  const tolerations = async (given: readonly object[] | undefined) => {
    const containers = [requests("cpu", "b.example/x", "a.example/x")], initContainers = [requests("c.example/x", "kubernetes.io/x")];
    const next = pod({ containers, initContainers, ...(given === undefined ? {} : { tolerations: given }) });
    return (await extendedResourceToleration.mutate!(next, undefined, contextOf())).spec.tolerations;
  };
  const all = [of("a.example/x"), of("b.example/x"), of("c.example/x")];
  assert.deepEqual(await tolerations(undefined), all);
  const timed = of("a.example/x", { tolerationSeconds: 5 }), other = { key: "b.example/x", operator: "Exists" };
  assert.deepEqual(await tolerations([timed, other]), [of("a.example/x"), other, ...all.slice(1)]);
  assert.deepEqual(await tolerations([timed, all[0]!]), [timed, ...all]);
});

test("PodNodeSelector merges the selector of the namespace and rejects what it does not allow", async () => {
  const annotation = `${scheduler}node-selector`,
    settings = { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "r=w", n: "r=w,a=b" } };
  const mutated = (nodeSelector: object | undefined, annotations: object = {}, configuration: object | undefined = settings) =>
    outcome(async () => {
      const next = pod(nodeSelector === undefined ? {} : { nodeSelector });
      return (await podNodeSelector.mutate!(next, undefined, contextOf(annotations, configuration))).spec.nodeSelector;
    });
  const conflict = 'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector';
  const outside = 'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist';
  assert.deepEqual(await mutated({ a: "b" }), { r: "w", a: "b" });
  assert.equal(await mutated({ r: "e" }), `403 ${conflict}`);
  assert.equal(await mutated({ x: "y" }), `403 ${outside}`);
  assert.equal(await mutated({}, { [annotation]: "x=y" }), `403 ${outside}`);
  assert.deepEqual(await mutated({ q: "r" }, { [annotation]: "x=y" }, {}), { x: "y", q: "r" });
  assert.equal(await mutated(undefined, { [annotation]: "" }, undefined), undefined);
  assert.equal(await mutated({}, { [annotation]: "x" }, {}), "500 invalid selector: [x]");
  assert.equal(await podNodeSelector.refuse!(pod({ nodeSelector: { x: "y" } }), undefined, contextOf({}, settings)), outside.slice(23));
  assert.equal(await podNodeSelector.refuse!(pod({ nodeSelector: { x: "y" } }), pod({}), contextOf({}, settings)), undefined);
  assert.deepEqual(labelsIn("a = b, constructor=c,a=d"), { labels: { a: "d", constructor: "c" } });
  assert.match((labelsIn("-a=b") as { error: string }).error, /^<nil>: Invalid value: "-a": name part must consist of/);
  assert.match((labelsIn("a=/b") as { error: string }).error, /^\[a\]: Invalid value: "\/b": a valid label must be/);
  const wrong = podNodeSelector.configuration!.validate!({ podNodeSelectorPluginConfig: { n: "a" } }).map(fieldErrorText);
  assert.deepEqual(wrong, ['podNodeSelectorPluginConfig[n]: Invalid value: "a": invalid selector: [a]']);
});

test("a pod of a namespace that does not exist is rejected", async () => {
  const none = () => Promise.resolve(undefined),
    context = contextOf({}, undefined, { server: { recentObject: none }, read: { get: none } });
  assert.equal(await outcome(() => podNodeSelector.mutate!(pod({}), undefined, context)), '404 namespaces "n" not found');
});

test("PodTolerationRestriction adds the tolerations of the namespace and rejects others than it allows", async () => {
  const defaults = `${scheduler}defaultTolerations`, allowed = `${scheduler}tolerationsWhitelist`;
  const all = { key: "a", operator: "Exists" as const }, narrow = { ...all, effect: "NoSchedule" as const };
  const pressure = { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" };
  const settings = { default: [narrow], whitelist: [all, { key: "b", operator: "Exists" }] };
  const mutated = (spec: object, annotations: object = {}, prior?: any) =>
    outcome(async () => (await podTolerationRestriction.mutate!(pod(spec), prior, contextOf(annotations, settings))).spec.tolerations);
  const conflict = (scope: string) =>
    `500 pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;
  const resources = { requests: { cpu: "1" } };
  assert.deepEqual(await mutated({}), [narrow]);
  assert.deepEqual(await mutated({ tolerations: [all] }), [all]);
  assert.deepEqual(await mutated({}, { [defaults]: "" }), undefined);
  assert.deepEqual(await mutated({}, { [defaults]: '[{"key":"b","Operator":"Exists"}]' }), [{ key: "b", operator: "Exists" }]);
  assert.equal(await mutated({ containers: [{ resources }] }), conflict("cluster"));
  assert.deepEqual(await mutated({ containers: [{ resources }] }, { [allowed]: "[]" }), [narrow, pressure]);
  assert.equal(await mutated({ tolerations: [{ key: "c" }] }, { [allowed]: '[{"key":"b"}]' }), conflict("namespace"));
  assert.deepEqual(await mutated({ tolerations: [all] }, {}, pod({})), [all]);
  const wrong = "500 json: cannot unmarshal number into Go struct field Toleration.key of type string";
  assert.equal(await mutated({}, { [defaults]: '[{"key":1}]' }), wrong);
  assert.equal(
    await outcome(() => podTolerationRestriction.refuse!(pod({ tolerations: [{ key: "c" }] }), pod({}), contextOf({}, settings))),
    conflict("cluster"),
  );
  const errors = podTolerationRestriction.configuration!.validate!({ default: [{}], whitelist: [{ ...all, value: "v" }] }).map(
    fieldErrorText,
  );
  assert.deepEqual(errors.map((text) => text.slice(0, text.indexOf(":"))), ["default[0].operator", "whitelist[0].operator"]);
});

test("comparing many tolerations is charged to the budget of the request", async () => {
  const many = (prefix: string) => Array.from({ length: 2_000 }, (_, i) => ({ key: `${prefix}${i}`, operator: "Exists" as const }));
  const budget = new Budget(1_000_000, () => new StatusError("Invalid", "too much"));
  const request = { namespace: "n", bounded: (work: () => unknown) => budget.run(work) };
  const context = contextOf({}, { whitelist: many("a") }, { request });
  assert.equal(
    await outcome(() => podTolerationRestriction.refuse!(pod({ tolerations: many("b").slice(0, 9) }), undefined, context)),
    "500 pod tolerations (possibly merged with namespace default tolerations) conflict with its cluster whitelist",
  );
  assert.equal(
    await outcome(() =>
      podTolerationRestriction.mutate!(
        pod({ tolerations: many("b"), containers: [{ resources: { requests: { cpu: "1" } } }] }),
        undefined,
        context,
      )
    ),
    "422 too much",
  );
});
