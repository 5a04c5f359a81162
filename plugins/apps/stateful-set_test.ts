// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { statefulSets } from "./stateful-set.ts";
import { created, hookContext, make, statusErrors, template, updated } from "./test-objects.ts";

const claim = (storage: string, name = "data") => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
});
const fixed = "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
  "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

test("each field of a StatefulSet is checked", () => {
  const negative = "Invalid value: -1: must be greater than or equal to 0", at = "spec.updateStrategy";
  const rolling = (rollingUpdate: object, type = "RollingUpdate") => ({ updateStrategy: { type, rollingUpdate } });
  const retention = "spec.persistentVolumeClaimRetentionPolicy";
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{}],
    [{ podManagementPolicy: "Odd" }, "spec.podManagementPolicy: Invalid value: \"Odd\": must be 'OrderedReady' or 'Parallel'"],
    [
      rolling({ partition: 1 }, "OnDelete"),
      `${at}.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`,
    ],
    [
      { updateStrategy: { type: "Odd" } },
      `${at}: Invalid value: {"Type":"Odd","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`,
    ],
    [rolling({ partition: -1 }), `${at}.rollingUpdate.partition: ${negative}`],
    [rolling({ maxUnavailable: 0 }), `${at}.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0`],
    [rolling({ maxUnavailable: "101%" }), `${at}.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%`],
    [
      { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Keep" } },
      `${retention}.whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"`,
    ],
    [
      { replicas: -1, minReadySeconds: -1, ordinals: { start: -1 } },
      `spec.replicas: ${negative}`,
      `spec.minReadySeconds: ${negative}`,
      `spec.ordinals.start: ${negative}`,
    ],
    [{ selector: {} }, "spec.selector: Invalid value: {}: empty selector is invalid for statefulset"],
    [
      { template: { ...template, spec: { ...template.spec, restartPolicy: "Never", activeDeadlineSeconds: 1 } } },
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported",
    ],
    // A controller replaces these names.
    [{ template: { ...template, spec: { ...template.spec, hostname: "Not_A_Label", subdomain: "-" } } }],
  ];
  for (const [spec, ...errors] of cases) assert.deepEqual(created(statefulSets, spec), errors, JSON.stringify(spec));
  assert.equal(created(statefulSets, { serviceName: "a.b" })?.length, 1);
  assert.deepEqual(created(statefulSets, { volumeClaimTemplates: [claim("1Gi")] }), []);
  assert.equal(
    created(statefulSets, { volumeClaimTemplates: [claim("-1Gi")] })?.[0]?.startsWith("spec.volumeClaimTemplates[0].spec.resources"),
    true,
  );
});

test("the containers of a StatefulSet can mount its claims", () => {
  const containers = [{ ...template.spec.containers[0], volumeMounts: [{ name: "data", mountPath: "/d" }] }];
  const mounting = { template: { ...template, spec: { containers } } };
  assert.deepEqual(created(statefulSets, { ...mounting, volumeClaimTemplates: [claim("1Gi")] }), []);
  assert.deepEqual(created(statefulSets, mounting), ['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"']);
});

test("an update of a StatefulSet changes seven fields; what it does not change may be invalid", () => {
  const allowed = {
    replicas: 3,
    minReadySeconds: 1,
    revisionHistoryLimit: 1,
    ordinals: { start: 1 },
    updateStrategy: { type: "OnDelete" },
  };
  assert.deepEqual(updated(statefulSets, { ...allowed, persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } }, {}), []);
  for (const change of [{ serviceName: "x" }, { podManagementPolicy: "Parallel" }, { volumeClaimTemplates: [claim("1Gi")] }]) {
    assert.deepEqual(updated(statefulSets, change, {}), [fixed], JSON.stringify(change));
  }
  const odd = { serviceName: "a.b", volumeClaimTemplates: [claim("-1Gi")] };
  assert.deepEqual(updated(statefulSets, { ...odd, replicas: 2 }, odd), []);
  const old = { template: { ...template, spec: { containers: [] } } };
  assert.deepEqual(updated(statefulSets, { ...old, replicas: 2 }, old), [], "the stored template is invalid");
});

test("the counts of a StatefulSet's status fit each other", () => {
  assert.deepEqual(statusErrors(statefulSets, { replicas: 1, currentReplicas: 2, availableReplicas: 1 }), [
    "status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas",
    "status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas",
  ]);
});

test("fractions of bytes in claims and a negative history bring warnings", () => {
  const object = make(statefulSets, { revisionHistoryLimit: -1, volumeClaimTemplates: [claim("1500m")] });
  const [first, second] = statefulSets.warn?.(object, undefined, hookContext()) ?? [];
  assert.match(first!, /^spec\.volumeClaimTemplates\[0\]\.resources\.requests\[storage\]: fractional/);
  assert.match(second!, /^spec\.revisionHistoryLimit: a negative value/);
  assert.match(statefulSets.warn?.(object, object, hookContext())?.[0] ?? "", /^spec\.volumeClaimTemplates\[0\]\.Spec\.resources/);
  assert.deepEqual(statefulSets.warn?.(object, object, hookContext(true, "status")), []);
});
