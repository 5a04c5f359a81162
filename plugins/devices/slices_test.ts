// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { attributesMax, devicesMax } from "./bounds.ts";
import { gates } from "./gates.ts";
import { sliceConversion } from "./old-version.ts";
import { resourceSlices } from "./resource-slice.ts";
import { dropFromSlice } from "./slice-gates.ts";
import { hookContext, metadata, texts } from "./test-context.ts";
import { isSemanticVersion } from "./version-text.ts";

const pool = { name: "p", generation: 0, resourceSliceCount: 1 };
const slice = (spec: object): any => ({ metadata, spec: { driver: "d", pool, allNodes: true, ...spec } }); // `any`: also wrong slices
const created = (spec: object) => texts(resourceSlices.create?.(slice(spec), hookContext()));
const device = (rest: object) => ({ devices: [{ name: "x", ...rest }] });
const shared = (requestPolicy: object) => device({ allowMultipleAllocations: true, capacity: { m: { value: "10", requestPolicy } } });

test("each field of a slice is checked", () => {
  const at = "spec.devices[0]", policy = `${at}.capacity[m].requestPolicy`;
  const identifier = "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters " +
    "or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
  const oneValue = "exactly one value must be specified";
  for (
    const [spec, ...errors] of [
      [device({ attributes: { "a.b/c": { int: 1 } }, capacity: { m: { value: "1" } } })],
      [
        { pool: { ...pool, generation: -1, resourceSliceCount: 0 } },
        "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
        "spec.pool.generation: Invalid value: -1: must be greater than or equal to zero",
      ],
      [
        device({ attributes: { "a-b": {}, "a/b/c": { int: 1, bool: true } } }),
        `${at}.attributes: Invalid value: "a-b": ${identifier}`,
        `${at}.attributes[a-b]: Invalid value: "": ${oneValue}`,
        `${at}.attributes[a/b/c]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,"VersionValue":null}: ${oneValue}`,
      ],
      [
        device({ attributes: { v: { version: "1.2" } } }),
        `${at}.attributes[v].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0`,
      ],
      [
        device({ taints: [{ key: "k", effect: "x" }] }),
        `${at}.taints[0].effect: Unsupported value: "x": supported values: "NoExecute", "NoSchedule", "None"`,
      ],
      [
        device({ consumesCounters: [{ counterSet: "", counters: {} }] }),
        `${at}.consumesCounters[0].counterSet: Required value`,
        `${at}.consumesCounters[0].counters: Required value`,
      ],
      [
        device({ nodeName: "n" }),
        `${at}: Invalid value: null: \`nodeName\`, \`nodeSelector\` and \`allNodes\` can only be set if \`perDeviceNodeSelection\` is set to ` +
        "true in the ResourceSlice spec",
      ],
      [device({ capacity: { m: { value: "1", requestPolicy: {} } } }), `${policy}: Forbidden: allowMultipleAllocations must be true`],
      [shared({ default: "2", validValues: ["1", "2"] })],
      [shared({ default: null, validValues: ["1"] }), `${policy}.default: Required value: required when validValues is defined`],
      [shared({ validValues: ["1"] }), `${policy}.default: Required value: required when validValues is defined`],
      [
        shared({ default: "3", validValues: ["2", "1", "11"] }),
        `${policy}.validValues[1]: Invalid value: "1": values must be sorted in ascending order`,
        `${policy}.validValues[2]: Invalid value: "11": option is larger than capacity value: 10`,
        `${policy}.validValues: Invalid value: "3": default value is not valid according to the requestPolicy`,
      ],
      [shared({ default: "4", validRange: { min: "2", max: "8", step: "2" } })],
      [
        shared({ default: "3", validRange: { min: "4", max: "7", step: "2" } }),
        `${policy}.validRange.min: Invalid value: "3": default is less than min: 4`,
        `${policy}.validRange.step: Invalid value: "3": value is not a multiple of a given step (2) from (4)`,
        `${policy}.validRange.step: Invalid value: "7": value is not a multiple of a given step (2) from (4)`,
      ],
      [
        { sharedCounters: [{ name: "c", counters: { m: { value: "1" } } }], ...device({}) },
        'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
      ],
    ] as const
  ) assert.deepEqual(created(spec), errors, JSON.stringify(spec));
});

test("a slice has a maximum number of devices, and a device of attributes", () => {
  const devices = (count: number, rest: object = {}) => ({
    devices: Array.from({ length: count }, (_, i) => ({ name: `x${i}`, ...rest })),
  });
  assert.deepEqual(created(devices(devicesMax)), []);
  assert.deepEqual(created(devices(devicesMax + 1)), ["spec.devices: Too many: 129: must have at most 128 items"]);
  const tainted = { taints: [{ key: "k", effect: "None" }] };
  assert.deepEqual(created(devices(65, tainted)), ["spec.devices: Too many: 65: must have at most 64 items"]);
  const attributes = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, { int: 1 }]));
  assert.deepEqual(created(device({ attributes: attributes(attributesMax) })), []);
  assert.deepEqual(created(device({ attributes: attributes(attributesMax + 1) })), [
    "spec.devices[0]: Invalid value: 33: the total number of attributes and capacities must not exceed 32",
  ]);
});

test("a semantic version has three numbers, and parts after - and +", () => {
  for (const text of ["0.0.0", "1.2.3-rc.1+build.05", "1.0.0--", "1.0.0+a-b"]) assert.ok(isSemanticVersion(text), text);
  for (const text of ["", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3+a+b", "v1.2.3"]) {
    assert.ok(!isSemanticVersion(text), text);
  }
});

test("taints get the time of the request, and fields of gates that are off are dropped", () => {
  const full = slice(device({
    taints: [{ key: "k", effect: "None" }],
    consumesCounters: [{ counterSet: "c", counters: {} }],
    nodeName: "n",
    bindsToNode: true,
    allowMultipleAllocations: true,
    capacity: { m: { value: "1", requestPolicy: {} } },
  }));
  const on = hookContext(Object.values(gates)), timed = resourceSlices.prepare?.(full, undefined, on);
  assert.equal(timed?.spec.devices?.[0]?.taints?.[0]?.timeAdded, on.now);
  const dropped = dropFromSlice(full.spec, undefined, hookContext().gates);
  assert.deepEqual(dropped.devices, [{ name: "x", capacity: { m: { value: "1" } } }]);
  assert.deepEqual(dropFromSlice(full.spec, full.spec, hookContext().gates), full.spec);
});

test("a device of v1beta1 has its members in basic", () => {
  const old = slice({ devices: [{ name: "x", basic: { allNodes: true } }] });
  const stored = slice({ devices: [{ name: "x", allNodes: true }] });
  assert.deepEqual(sliceConversion.toStored(old), stored);
  assert.deepEqual(sliceConversion.toStored(slice({ nodeName: "", devices: old.spec.devices })), stored);
  assert.deepEqual(sliceConversion.fromStored(stored), old);
  const named = slice({ nodeName: "n", allNodes: true });
  assert.deepEqual(sliceConversion.fromStored(sliceConversion.toStored(named)), named);
});

test("a driver with capital letters gets a warning", () => {
  assert.deepEqual(resourceSlices.warn?.(slice({ driver: "D" }), undefined, hookContext()), [
    'spec.driver: driver names should be lowercase; "D" contains uppercase characters',
  ]);
});
