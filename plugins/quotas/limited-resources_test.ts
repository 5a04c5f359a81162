// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import { StatusError } from "../../plugin.ts";
import { type Charge, chargeTo } from "./charge.ts";
import { configuration, limitedIn } from "./limited-resources.ts";
import { objectOf, quotaOf } from "./test-quota.ts";
import { usageOf } from "./usage.ts";

const settings = { names: defaultNames, gates: () => true, seconds: () => 0 };
const limited = limitedIn({
  limitedResources: [
    { resource: "pods", matchScopes: [{ scopeName: "PriorityClass", operator: "In", values: ["high", "top"] }] },
    { resource: "persistentvolumeclaims", matchContains: [".storageclass.storage.k8s.io/requests.storage"] },
    { apiGroup: "apps", resource: "deployments", matchContains: ["count/"] },
  ],
});
const chargeOf = (group: string, plural: string, next: any, prior?: any): Charge => ({
  usage: usageOf(group, plural, settings)!,
  next,
  prior,
  subresource: "",
  limits: { group, plural, resources: limited },
});
/** The reason to reject the charge, with the code of an error that is none of a quota. */
function refused(charge: Charge, ...quotas: Parameters<typeof chargeTo>[0]): string | undefined {
  const result = chargeTo(quotas, charge);
  if (!("refused" in result)) return undefined;
  return result.refused instanceof StatusError ? `${result.refused.code} ${result.refused.message}` : result.refused;
}

test("an object may use a limited resource only if a quota limits it", () => {
  const claim = (storageClassName: string, storage: string) =>
    objectOf("a", { spec: { storageClassName, resources: { requests: { storage } } }, status: {} });
  const create = chargeOf("", "persistentvolumeclaims", claim("gold", "1Gi")), limit = "gold.storageclass.storage.k8s.io/requests.storage";
  const why = `insufficient quota to consume: ${limit}`;
  assert.equal(refused(create), why);
  assert.equal(refused(create, quotaOf("q", { persistentvolumeclaims: "5" }, { persistentvolumeclaims: "0" })), why);
  assert.equal(refused(create, quotaOf("q", { [limit]: "5Gi" }, { [limit]: "0" })), undefined);
  assert.equal(refused(chargeOf("", "persistentvolumeclaims", claim("", "1Gi"))), undefined);
  const same = chargeOf("", "persistentvolumeclaims", claim("gold", "1Gi"), claim("gold", "1Gi"));
  assert.equal(refused(same), undefined);
  assert.equal(refused({ ...same, prior: claim("gold", "1Mi") }), why);
  assert.equal(refused(chargeOf("apps", "deployments", objectOf("a"))), "insufficient quota to consume: count/deployments.apps");
  assert.equal(refused(chargeOf("", "configmaps", objectOf("a"))), undefined);
});

test("an object in a limited scope needs a quota of that scope, whatever its values are", () => {
  const pod = (priorityClassName: string) => objectOf("a", { spec: { priorityClassName, containers: [] } });
  const create = chargeOf("", "pods", pod("high")),
    scoped = (values: string[]) => ({
      scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values }] },
    });
  const why = "500 insufficient quota to match these scopes: [{PriorityClass In [high top]}]";
  assert.equal(refused(create), why);
  assert.equal(refused(create, quotaOf("q", { pods: "5" }, { pods: "0" }, scoped(["low"]))), why);
  assert.equal(refused(create, quotaOf("q", { pods: "5" }, { pods: "0" }, scoped(["high"]))), undefined);
  assert.equal(refused(create, quotaOf("q", { pods: "5" }, { pods: "0" }, { scopes: ["PriorityClass"] })), undefined);
  assert.equal(refused(chargeOf("", "pods", pod("low"))), undefined);
});

test("the configuration must name resources, and scopes that can match", () => {
  const errors = (...limitedResources: object[]) =>
    configuration.validate!({ limitedResources } as any).map(fieldErrorText).map((text) => text.slice(0, text.indexOf(": ")));
  assert.deepEqual(errors(...limited), []);
  assert.deepEqual(
    errors({ matchScopes: [{ scopeName: "Zone", operator: "Exists" }] }, {
      resource: "pods",
      matchScopes: [{ scopeName: "PriorityClass", operator: "In" }, { scopeName: "PriorityClass", operator: "Near" }],
    }),
    [
      "limitedResources[0].resource",
      "limitedResources[0].matchScopes[0].scopeName",
      "limitedResources[1].matchScopes[0].values",
      "limitedResources[1].matchScopes[1].operator",
    ],
  );
});
