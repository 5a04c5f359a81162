// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments } from "./deployment.ts";
import { replicaSets } from "./replica-set.ts";
import { created, hookContext, make, statusErrors, template, updated } from "./test-objects.ts";

const notSelected = "spec.template.metadata.labels: Invalid value: ";
const nothing = "`selector` does not match template `labels`";

test("each field of a Deployment is checked", () => {
  const rolling = (rollingUpdate: object) => ({ strategy: { type: "RollingUpdate", rollingUpdate } });
  const at = "spec.strategy.rollingUpdate";
  const percent = "a valid percent string must be a numeric string followed by an ending '%' " +
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{}],
    [rolling({ maxUnavailable: 0, maxSurge: "150%" })],
    [{ replicas: -1 }, "spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
    [{ selector: null }, "spec.selector: Required value", `${notSelected}{"a":"b"}: ${nothing}`],
    [{ selector: {} }, "spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
    [{ selector: { matchLabels: { a: "c" } } }, `${notSelected}{"a":"b"}: ${nothing}`],
    [{ template: { ...template, metadata: {} } }, `${notSelected}null: ${nothing}`],
    [{ strategy: { type: "Recreate", rollingUpdate: {} } }, `${at}: Forbidden: may not be specified when strategy \`type\` is 'Recreate'`],
    [
      { strategy: { type: "Odd" } },
      'spec.strategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
    [
      rolling({ maxUnavailable: "x", maxSurge: -1 }),
      `${at}.maxUnavailable: Invalid value: "x": ${percent}`,
      `${at}.maxSurge: Invalid value: -1: must be greater than or equal to 0`,
    ],
    [rolling({ maxUnavailable: "0%", maxSurge: 0 }), `${at}.maxUnavailable: Invalid value: "0%": may not be 0 when \`maxSurge\` is 0`],
    [rolling({ maxUnavailable: "101%" }), `${at}.maxUnavailable: Invalid value: "101%": must not be greater than 100%`],
    [{ minReadySeconds: 600 }, "spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"],
    [{ revisionHistoryLimit: -1 }, "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0"],
    [
      { template: { ...template, spec: { ...template.spec, restartPolicy: "Never", activeDeadlineSeconds: 1 } } },
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported",
    ],
  ];
  for (const [spec, ...errors] of cases) assert.deepEqual(created(deployments, spec), errors, JSON.stringify(spec));
  const bad = created(deployments, { selector: { matchExpressions: [{ key: "a", operator: "Odd" }] } });
  assert.equal(bad?.at(-1)?.endsWith(": invalid label selector"), true, "the template is not looked at");
});

test("the selector of a Deployment or ReplicaSet does not change; an empty part of it is no change", () => {
  for (const resource of [deployments, replicaSets]) {
    const other = { selector: { matchLabels: { a: "b", c: "d" } }, template: { ...template, metadata: { labels: { a: "b", c: "d" } } } };
    assert.deepEqual(updated(resource, other, {}), [
      'spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable',
    ]);
    assert.deepEqual(updated(resource, { selector: { matchLabels: { a: "b" }, matchExpressions: [] } }, {}), []);
  }
});

test("the counts of a status are not negative and not more than the replicas", () => {
  assert.deepEqual(statusErrors(deployments, { replicas: 1, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1 }), [
    "status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas",
  ]);
  assert.deepEqual(statusErrors(deployments, { terminatingReplicas: -1 }), [
    "status.terminatingReplicas: Invalid value: -1: must be greater than or equal to 0",
  ]);
  assert.deepEqual(statusErrors(deployments, {}, { collisionCount: 0 }), [
    "status.collisionCount: Invalid value: 0: cannot be decremented",
  ]);
  assert.deepEqual(statusErrors(deployments, { collisionCount: 1 }, { collisionCount: 1 }), []);
  assert.deepEqual(statusErrors(replicaSets, { replicas: 2, fullyLabeledReplicas: 3, readyReplicas: 1, availableReplicas: 2 }), [
    "status.fullyLabeledReplicas: Invalid value: 3: cannot be greater than status.replicas",
    "status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas",
  ]);
});

test("a change of the annotations of a Deployment counts in its generation, that of a ReplicaSet does not", () => {
  const noted = (resource: typeof deployments | typeof replicaSets) => {
    const prior = make(resource), next = { ...prior, metadata: { ...prior.metadata, annotations: { note: "b" } } };
    return resource.prepare?.(next, prior, hookContext()).metadata.generation;
  };
  assert.equal(noted(deployments), 2);
  assert.equal(noted(replicaSets), 1);
});

test("a new workload whose name is no label of DNS brings a warning, and the template one with each generation", () => {
  const named = (name: string, spec: object = {}) => {
    const object = make(deployments, spec);
    return { ...object, metadata: { ...object.metadata, name } };
  };
  const dotted = deployments.warn?.(named("a.b"), undefined, hookContext()) ?? [];
  assert.match(dotted.join(), /^metadata\.name: this is used in Pod names and hostnames, .* is recommended: \[.*\]$/);
  const twice = { template: { ...template, spec: { ...template.spec, hostAliases: [{ ip: "1.2.3.4" }, { ip: "1.2.3.4" }] } } };
  const next = named("one", twice), warning = ['spec.template.spec.hostAliases[1].ip: duplicate ip "1.2.3.4"'];
  assert.deepEqual(deployments.warn?.(next, undefined, hookContext()), warning);
  assert.deepEqual(deployments.warn?.(next, named("one"), hookContext()), [], "the generation is the same");
  assert.deepEqual(deployments.warn?.({ ...next, metadata: { ...next.metadata, generation: 2 } }, named("one"), hookContext()), warning);
});

test("the annotation with the revision to which a Deployment goes back is an integer", () => {
  const key = "deprecated.deployment.rollback.to";
  const of = (text: string) => make(deployments, {}, { metadata: { annotations: { [key]: text } } });
  assert.deepEqual(of("007").metadata.annotations, { [key]: "7" });
  assert.equal(of("").metadata.annotations, undefined);
  assert.throws(() => of("x"), /failed to parse annotation\[.*\]=x as int64: strconv\.ParseInt: parsing "x": invalid syntax/);
  const errors = deployments.create?.(of("-1"), hookContext()) ?? [];
  assert.deepEqual(errors.map(({ path }) => path), ["spec.rollback.version"]);
});
