// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationsMax, expressionBytesMax, parametersBytesMax, selectorsMax } from "./bounds.ts";
import { deviceClasses } from "./device-class.ts";
import { gates } from "./gates.ts";
import { claimConversion } from "./old-version.ts";
import { resourceClaims } from "./resource-claim.ts";
import { validateClaimStatus } from "./status-rules.ts";
import { hookContext, metadata, texts } from "./test-context.ts";

const label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const reference = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
const opaque = { driver: "d", parameters: {} };
const exactly = { deviceClassName: "c", allocationMode: "ExactCount", count: 1 };

const claim = (devices: object, status = {}): any => ({ metadata, spec: { devices }, status }); // `any`: also wrong claims
const created = (devices: object, on: readonly string[] = []) => texts(resourceClaims.create?.(claim(devices), hookContext(on)));
const request = (rest: object) => ({ requests: [{ name: "a", exactly: { ...exactly, ...rest } }] });

test("each field of a claim's spec is checked", () => {
  const tolerations = (...list: readonly object[]) => request({ tolerations: list });
  const at = "spec.devices.requests[0].exactly";
  for (
    const [devices, ...errors] of [
      [{ requests: null }],
      [request({ tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 1 }] })],
      [request({ selectors: [{}] }), `${at}.selectors[0].cel: Required value`],
      [
        tolerations({ operator: "Exists", value: "v" }),
        `${at}.tolerations[0].value: Invalid value: "v": must be empty for operator \`Exists\``,
      ],
      [tolerations({ operator: "" }), `${at}.tolerations[0].operator: Required value`],
      [tolerations({ operator: "In" }), `${at}.tolerations[0].operator: Unsupported value: "In": supported values: "Equal", "Exists"`],
      [
        tolerations({ operator: "Exists", effect: "No" }),
        `${at}.tolerations[0].effect: Unsupported value: "No": supported values: "NoExecute", "NoSchedule", "None"`,
      ],
      [
        { ...request({}), config: [{ requests: ["a/b/c", "A"], opaque: { ...opaque, parameters: null } }] },
        `spec.devices.config[0].requests[0]: Invalid value: "a/b/c": ${reference}`,
        `spec.devices.config[0].requests[1]: Invalid value: "A": ${label}`,
        `spec.devices.config[0].requests[1]: Invalid value: "A": ${reference}`,
        "spec.devices.config[0].opaque.parameters: Required value",
      ],
      [
        { ...request({}), constraints: [{ matchAttribute: "/a" }, { matchAttribute: "a/" }] },
        'spec.devices.constraints[0].matchAttribute: Invalid value: "": the domain must not be empty',
        'spec.devices.constraints[1].matchAttribute: Invalid value: "": the name must not be empty',
      ],
    ] as const
  ) assert.deepEqual(created(devices), errors, JSON.stringify(devices));
  assert.deepEqual(created({ ...request({}), constraints: [{}] }, [gates.consumableCapacity]), [
    'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
  ]);
});

test("selectors and parameters have bounds", () => {
  const of = (spec: object) => texts(deviceClasses.create?.({ metadata, spec } as any, hookContext()));
  const text = (bytes: number) => `true //${"x".repeat(bytes - 7)}`;
  const selectors = (expression: string, count = 1) => ({ selectors: Array.from({ length: count }, () => ({ cel: { expression } })) });
  assert.deepEqual(of(selectors(text(expressionBytesMax))), []);
  assert.deepEqual(of(selectors(text(expressionBytesMax + 1))), [
    "spec.selectors[0].cel.expression: Too long: may not be more than 10240 bytes",
  ]);
  assert.deepEqual(of(selectors("true", selectorsMax)), []);
  assert.deepEqual(of(selectors("true", selectorsMax + 1)), ["spec.selectors: Too many: 33: must have at most 32 items"]);
  const config = (bytes: number, count = 1) => ({
    config: Array.from({ length: count }, () => ({ opaque: { driver: "d", parameters: { a: "x".repeat(bytes - 8) } } })),
  });
  assert.deepEqual(of(config(parametersBytesMax)), []);
  assert.deepEqual(of(config(parametersBytesMax + 1)), [
    "spec.config[0].opaque.parameters: Too long: may not be more than 10240 bytes",
  ]);
  assert.deepEqual(of(config(10, configurationsMax + 1)), ["spec.config: Too many: 33: must have at most 32 items"]);
});

test("each field of a claim's status is checked", () => {
  const result = { request: "a", driver: "d", pool: "p", device: "x" };
  const allocation = (rest: object = {}, config?: readonly object[]) => ({ devices: { results: [{ ...result, ...rest }], config } });
  const checked = (status: object, prior: object = {}, meta: object = {}) => {
    const next = claim(request({}), status);
    return texts(validateClaimStatus({ ...next, metadata: { ...metadata, ...meta } }, claim(request({}), prior)));
  };
  const consumer = { resource: "pods", name: "a", uid: "u" }, device = { driver: "d", pool: "p", device: "x" };
  const uuid = "11111111-2222-3333-4444-555555555555";
  for (
    const [status, ...errors] of [
      [{ allocation: allocation(), reservedFor: [consumer], devices: [{ ...device, networkData: { ips: ["192.0.2.5/24"] } }] }],
      [{ allocation: allocation({ shareID: uuid }) }],
      [{ reservedFor: [consumer] }, "status.reservedFor: Forbidden: may not be specified when `allocated` is not set"],
      [
        { allocation: allocation(), reservedFor: [{ resource: "", name: "", uid: "" }] },
        ...["resource", "name", "uid"].map((key) => `status.reservedFor[0].${key}: Required value`),
      ],
      [
        { allocation: allocation({ request: "b", driver: "", pool: "", shareID: "s" }) },
        `status.allocation.devices.results[0].request: Invalid value: "b": ${reference}`,
        "status.allocation.devices.results[0].driver: Required value",
        "status.allocation.devices.results[0].pool: Required value",
        'status.allocation.devices.results[0].shareID: Invalid value: "s": error validating uid: invalid UUID length: 1',
      ],
      [
        { allocation: allocation({ bindingConditions: ["a", "a"], bindingFailureConditions: ["a"] }) },
        'status.allocation.devices.results[0].bindingConditions[1]: Duplicate value: "a"',
        'status.allocation.devices.results[0].bindingFailureConditions[0]: Invalid value: "a": bindingFailureConditions must not overlap with bindingConditions',
      ],
      [
        { allocation: allocation({}, [{ source: "x", opaque }]) },
        'status.allocation.devices.config[0].source: Unsupported value: "x": supported values: "FromClaim", "FromClass"',
      ],
      [
        { devices: [device] },
        'status.devices[0]: Invalid value: {"Driver":"d","Pool":"p","Device":"x","ShareID":""}: must be an allocated device in the claim',
      ],
      [
        { allocation: allocation(), devices: [{ ...device, networkData: { ips: ["::ffff:1.2.3.4/120", "x"] } }] },
        'status.devices[0].networkData.ips[0]: Invalid value: "::ffff:1.2.3.4/120": must be in canonical form ("1.2.3.4/24")',
        'status.devices[0].networkData.ips[1]: Invalid value: "x": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
      ],
    ] as const
  ) assert.deepEqual(checked(status), errors, JSON.stringify(status));
  const taken = { allocation: allocation(), reservedFor: [consumer] };
  assert.match(
    checked({ allocation: allocation({ device: "y" }) }, taken)?.[0] ?? "",
    /^status.allocation: Invalid value: .*: field is immutable$/,
  );
  assert.deepEqual(checked({}, taken), []);
  const deleted = { deletionTimestamp: "2024-01-02T03:04:05Z" };
  assert.deepEqual(checked({ allocation: allocation() }, taken, deleted), []);
  assert.deepEqual(checked({ ...taken, reservedFor: [{ ...consumer, uid: "v" }] }, taken, deleted), [
    "status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
  ]);
});

test("a request of v1beta1 has the fields of an exact request", () => {
  const flat = claim({ requests: [{ name: "a", deviceClassName: "c", count: 1 }, { name: "b", deviceClassName: "", firstAvailable: [] }] });
  const stored = claim({ requests: [{ name: "a", exactly: { deviceClassName: "c", count: 1 } }, { name: "b", firstAvailable: [] }] });
  assert.deepEqual(claimConversion.toStored(flat), stored);
  assert.deepEqual(claimConversion.fromStored(stored), flat);
});
