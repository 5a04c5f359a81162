// In Deno's suite only: admission steps use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../../core/names.ts";
import { fieldErrorText } from "../../../core/field-error.ts";
import { StatusError } from "../../../plugin.ts";
import { fakeRequestContext } from "../../../core/test-context.ts";
import type { MetricDefinition } from "../../../metrics/mod.ts";
import { existingPodsMax, podSecurity } from "./step.ts";

const prefix = "pod-security.kubernetes.io/";
const labelsOf = (labels: object) => Object.fromEntries(Object.entries(labels).map(([key, value]) => [prefix + key, value]));
const podOf = (name: string, spec: object = {}, metadata: object = {}): any => ({
  metadata: { name, namespace: "ns", ...metadata },
  spec: { containers: [{ name: "c", image: "a" }], ...spec },
});
const host = { hostNetwork: true };

interface Asked {
  readonly labels?: object;
  readonly resource?: { readonly group: string; readonly plural: string };
  readonly subresource?: string;
  readonly prior?: any;
  readonly pods?: readonly any[];
  readonly configuration?: unknown;
  /** Is given what was counted: the name of the metric and the values of its labels. */
  readonly counted?: string[];
}

/** Runs the step. Returns the refusal, the warnings and the annotations, each without what is empty. */
async function admit(
  next: any,
  { labels = {}, resource = { group: "", plural: "pods" }, subresource = "", prior, pods = [], configuration, counted = [] }: Asked,
) {
  const warnings: string[] = [], annotations: Record<string, string> = {};
  const context = fakeRequestContext({
    names: defaultNames,
    gates: () => false,
    now: "2024-01-02T03:04:05Z",
    subresource,
    requestVersion: "v1",
    minCompatibility: "1.35",
    caller: { name: "alice", groups: [] },
    metric: ((definition: MetricDefinition) => ({
      with: (values: Readonly<Record<string, string>>) => ({
        add: () => counted.push([definition.name, ...definition.labels.map((label) => values[label])].join(" ")),
      }),
    })) as any, // `any`: counters only
  }, {
    resource,
    configuration,
    warn: (text) => warnings.push(text),
    annotate: (key, value) => annotations[key.replace(prefix, "")] ??= value,
    server: {
      recentObject: () => Promise.resolve({ metadata: { name: "ns", labels: labelsOf(labels) } } as any),
      recent: () => pods,
    },
  });
  let refused: string | undefined;
  try {
    refused = await podSecurity.refuse!(next, prior, context);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    refused = `${error.code} ${error.message}`;
  }
  return { refused, warnings, annotations };
}

test("a pod is rejected by enforce, warned about by warn, and annotated by audit", async () => {
  const text = 'violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)';
  const enforced = await admit(podOf("a", host), { labels: { enforce: "baseline" } });
  assert.deepEqual(enforced, {
    refused: text.replace("violate", "violates"),
    warnings: [],
    annotations: { "enforce-policy": "baseline:latest" },
  });
  const others = await admit(podOf("a", host), { labels: { warn: "baseline", audit: "baseline", "audit-version": "v1.20" } });
  assert.deepEqual(others, {
    refused: undefined,
    warnings: [`would ${text}`],
    annotations: { "enforce-policy": "privileged:latest", "audit-violations": `would ${text.replace("latest", "v1.20")}` },
  });
  assert.deepEqual((await admit(podOf("a", host), {})).annotations, { "enforce-policy": "privileged:latest" });
});

test("a wrong level demands the most and is told in the audit event", async () => {
  const { refused, annotations } = await admit(podOf("a", host), { labels: { enforce: "x" } });
  assert.match(refused!, /^violates PodSecurity "restricted:latest"/);
  assert.equal(
    annotations["error"],
    `Failed to parse policy: metadata.labels[${prefix}enforce]: Invalid value: "x": must be one of privileged, baseline, restricted`,
  );
});

test("an update counts if it adds a container or changes an image, and most subresources never do", async () => {
  const labels = { enforce: "baseline" }, prior = podOf("a", host);
  const refused = async (spec: object, subresource = "") =>
    (await admit(podOf("a", { ...host, ...spec }), { labels, prior, subresource })).refused !== undefined;
  assert.equal(await refused({}), false);
  assert.equal(await refused({ containers: [{ name: "c", image: "b" }] }), true);
  assert.equal(await refused({ initContainers: [{ name: "i", image: "b" }] }), true);
  assert.equal(await refused({ ephemeralContainers: [{ name: "e", image: "b" }] }, "ephemeralcontainers"), true);
  assert.equal(await refused({ containers: [{ name: "c", image: "b" }] }, "status"), false);
});

test("templates of pods are warned about and never rejected", async () => {
  const labels = { enforce: "baseline" }, template = podOf("a", host);
  const kinds: readonly (readonly [group: string, plural: string, object: object])[] = [
    ["", "podtemplates", { template }],
    ["apps", "deployments", { spec: { template } }],
    ["batch", "cronjobs", { spec: { jobTemplate: { spec: { template } } } }],
  ];
  for (const [group, plural, object] of kinds) {
    const { refused, warnings, annotations } = await admit({ metadata: { namespace: "ns" }, ...object }, {
      labels,
      resource: { group, plural },
    });
    assert.deepEqual([refused, warnings.length, annotations], [undefined, 1, {}], plural);
  }
  const empty = await admit({ metadata: { namespace: "ns" }, spec: {} }, {
    labels,
    resource: { group: "", plural: "replicationcontrollers" },
  });
  assert.deepEqual(empty.warnings, []);
});

test("labels of a namespace are checked, except for wrong ones that it has", async () => {
  const resource = { group: "", plural: "namespaces" };
  const namespace = (labels: object): any => ({ metadata: { name: "ns", labels: labelsOf(labels) } });
  const wrong = { enforce: "x", "warn-version": "1.2", audit: "restricted" };
  const { refused } = await admit(namespace(wrong), { resource });
  assert.equal(
    refused,
    `422 Namespace "ns" is invalid: [metadata.labels[${prefix}enforce]: Invalid value: "x": must be one of privileged, baseline, restricted, ` +
      `metadata.labels[${prefix}warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"]`,
  );
  assert.equal((await admit(namespace(wrong), { resource, prior: namespace(wrong) })).refused, undefined);
  assert.match((await admit(namespace({ enforce: "y" }), { resource, prior: namespace(wrong) })).refused!, /^422/);
  for (const version of ["v1.00", "v2.1", "v1.9223372036854775808"]) {
    assert.match((await admit(namespace({ "enforce-version": version }), { resource })).refused!, /^422/);
  }
});

test("a higher level warns about the pods that are there, one of each controller first", async () => {
  const resource = { group: "", plural: "namespaces" };
  const namespace = (labels: object): any => ({ metadata: { name: "ns", labels: labelsOf(labels) } });
  const owned = { ownerReferences: [{ uid: "u", controller: true }] };
  const pods = [podOf("b", host), podOf("a", host), podOf("c", { hostPID: true, volumes: [{ name: "v", hostPath: {} }] }), podOf("d")];
  const warn = async (next: object, prior: object, given = pods) =>
    (await admit(namespace(next), { resource, prior: namespace(prior), pods: given })).warnings;
  assert.deepEqual(await warn({ enforce: "baseline" }, {}), [
    'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
    "a (and 1 other pod): host namespaces",
    "c: host namespaces, hostPath volumes",
  ]);
  assert.deepEqual(await warn({ enforce: "baseline" }, { enforce: "restricted" }), []);
  assert.deepEqual(await warn({ enforce: "privileged" }, { enforce: "restricted" }), []);
  const many = Array.from({ length: existingPodsMax }, (_, i) => podOf(`p${i}`, {}, owned));
  assert.deepEqual(await warn({ enforce: "baseline" }, {}, many), []);
  assert.deepEqual(await warn({ enforce: "baseline" }, {}, [...many, podOf("q", host)]), [
    `new PodSecurity enforce level only checked against the first ${existingPodsMax} of ${existingPodsMax + 1} existing pods`,
    'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
    "q: host namespaces",
  ]);
});

test("the configuration exempts users, namespaces and runtime classes, and has levels for namespaces without labels", async () => {
  const defaults = { enforce: "baseline", "enforce-version": "v1.30" };
  const of = async (configuration: object, pod = podOf("a", host)) => await admit(pod, { configuration: { defaults, ...configuration } });
  assert.equal((await of({})).refused, 'violates PodSecurity "baseline:v1.30": host namespaces (hostNetwork=true)');
  const exempt = async (exemptions: object, pod?: any) => (await of({ exemptions }, pod)).annotations;
  assert.deepEqual(await exempt({ usernames: ["alice"] }), { exempt: "user" });
  assert.deepEqual(await exempt({ namespaces: ["ns"] }), { exempt: "namespace" });
  assert.deepEqual(await exempt({ runtimeClasses: ["r"] }, podOf("a", { ...host, runtimeClassName: "r" })), { exempt: "runtimeClass" });
});

test("labels of an exempt namespace are ignored, which a warning says", async () => {
  const resource = { group: "", plural: "namespaces" }, configuration = { exemptions: { namespaces: ["ns"] } };
  const namespace: any = { metadata: { name: "ns", labels: labelsOf({ enforce: "baseline", "warn-version": "v1.30" }) } };
  assert.deepEqual((await admit(namespace, { resource, configuration })).warnings, [
    'namespace "ns" is exempt from Pod Security, and the policy (enforce=baseline:latest, warn=baseline:v1.30) will be ignored',
  ]);
  assert.deepEqual((await admit({ metadata: { name: "ns" } }, { resource, configuration })).warnings, []);
});

test("levels, versions and names of the configuration are checked", () => {
  const errors = (configuration: object) => podSecurity.configuration!.validate!(configuration).map(fieldErrorText);
  assert.deepEqual(errors({ defaults: { enforce: "baseline", "warn-version": "v1.30" }, exemptions: { namespaces: ["a", "b"] } }), []);
  const wrong = {
    defaults: { enforce: "x", "audit-version": "y" },
    exemptions: { usernames: ["", "a", "a"], namespaces: ["A"], runtimeClasses: ["r", "r"] },
  };
  assert.deepEqual(errors(wrong).map((text) => text.slice(0, text.indexOf(": "))), [
    "defaults.enforce",
    "defaults.audit-version",
    "exemptions.namespaces[0]",
    "exemptions.runtimeClasses[1]",
    "exemptions.usernames[0]",
    "exemptions.usernames[2]",
  ]);
});

test("evaluations, exemptions and wrong labels are counted, under upstream's labels", async () => {
  const of = async (next: any, asked: Asked) => {
    const counted: string[] = [];
    await admit(next, { ...asked, counted });
    return counted.map((text) => text.replace("pod_security_", ""));
  };
  const bad = podOf("a", host), prior = podOf("a", { containers: [{ name: "c", image: "b" }] });
  assert.deepEqual(await of(bad, {}), ["evaluations_total allow privileged latest enforce create pod "]);
  assert.deepEqual(await of(bad, { labels: { enforce: "baseline", audit: "restricted", "audit-version": "v1.20" }, prior }), [
    "evaluations_total deny restricted v1.20 audit update pod ",
    "evaluations_total deny baseline latest enforce update pod ",
  ]);
  assert.deepEqual(await of(podOf("a"), { labels: { enforce: "baseline", "enforce-version": "v1.99", warn: "restricted" } }), [
    "evaluations_total allow baseline future enforce create pod ",
    "evaluations_total deny restricted latest warn create pod ",
  ]);
  const deployment = { metadata: { namespace: "ns" }, spec: { template: bad } }, resource = { group: "apps", plural: "deployments" };
  assert.deepEqual(await of(deployment, { labels: { warn: "baseline" }, resource }), [
    "evaluations_total deny baseline latest warn create controller ",
  ]);
  assert.deepEqual(await of(bad, { configuration: { exemptions: { namespaces: ["ns"] } } }), ["exemptions_total create pod "]);
  assert.deepEqual(
    (await of(bad, { labels: { enforce: "x" }, prior, subresource: "ephemeralcontainers" }))[0],
    "errors_total false update pod ephemeralcontainers",
  );
});
