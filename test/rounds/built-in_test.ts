// No kind of the built-in families loses data: in any encoding, in the store, or between its versions.
// In Deno's suite only: folds of schemas use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { seedOfRun } from "../../core/derive/test-random.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { plugins } from "../../plugins/mod.ts";
import { checkRoundTrips } from "../../testing.ts";
import { merged } from "../validation/rule.ts";
import { namedBy, validMembers } from "./valid-objects.ts";

const seed = seedOfRun();

let taken = 0;
/** The valid object with one generated member: most objects with many are invalid. */
function withOneGenerated(base: JsonObject, { metadata, kind, apiVersion, ...generated }: JsonObject): JsonObject {
  const members = Object.entries(generated).flatMap(([key, value]): JsonObject[] =>
    isObject(value) ? Object.entries(value).map(([inner, each]) => ({ [key]: { [inner]: each } })) : [{ [key]: value }]
  );
  const change = members[taken++ % members.length] ?? {};
  return { ...merged(base, change) as JsonObject, kind: kind!, apiVersion: apiVersion!, metadata: metadata! };
}

/** Members that are not generated: v1alpha1 accepts more names of resources than v1beta1; hardly a generated definition is valid. */
const fixedMembers: Readonly<Record<string, readonly string[]>> = {
  StorageVersionMigration: ["spec"],
  CustomResourceDefinition: ["spec", "status"],
};
function adjust(object: any, { kind, apiVersion }: { kind: string; apiVersion: string }): object | undefined {
  // Write-only: it becomes data.
  if (kind === "Secret") delete object.stringData;
  // An empty list of requests is in conflict with itself, as upstream: the stored form has null.
  const claim = kind === "ResourceClaim" ? object.spec : kind === "ResourceClaimTemplate" ? object.spec?.spec : undefined;
  if (claim?.devices?.requests?.length === 0) delete claim.devices.requests;
  // Version 1 does not tell absent values of metrics from zeros, and without any metric there is a default.
  if (kind === "HorizontalPodAutoscaler") {
    if (apiVersion === "autoscaling/v1") delete object.status?.currentCPUUtilizationPercentage;
    else delete object.status?.currentMetrics;
    const target = { type: "Utilization", averageUtilization: 50 }, metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
    object.spec = { ...object.spec, ...(apiVersion === "autoscaling/v1" ? { targetCPUUtilizationPercentage: 50 } : { metrics }) };
  }
  // Protobuf does not tell an empty list from an absent one, which has a default. No valid object has one.
  for (const rules of [object.spec?.behavior?.scaleUp, object.spec?.behavior?.scaleDown]) {
    if (rules?.policies?.length === 0) delete rules.policies;
  }
  // `false` is invalid, and v1beta1 does not tell it from an absent value.
  if (kind === "ResourceSlice" && object.spec?.allNodes === false) delete object.spec.allNodes;
  // Protobuf does not tell an empty map from an absent one, which takes the capacity as default.
  if (kind === "Node" && object.status?.allocatable !== undefined && Object.keys(object.status.allocatable).length === 0) {
    delete object.status.allocatable;
  }
  // v1alpha1 fills what both versions demand.
  if (kind === "MutatingAdmissionPolicyBinding" && object.spec?.paramRef) object.spec.paramRef.parameterNotFoundAction ??= "Deny";
  // v1beta1 cannot tell an empty exact request, which is invalid, from an absent one.
  const { devices } = object.spec?.spec ?? object.spec ?? {};
  for (const { exactly } of kind.startsWith("ResourceClaim") ? devices?.requests ?? [] : []) if (exactly) exactly.deviceClassName ||= "a";
  // A device of v1beta1 always has `basic`.
  if (kind === "ResourceSlice" && apiVersion.endsWith("/v1beta1")) { for (const device of object.spec?.devices ?? []) device.basic ??= {}; }
  // Nor the zero values of these fields, which are invalid, too.
  if (kind === "ResourceSlice") { for (const key of ["nodeName", "allNodes"]) if (!object.spec?.[key]) delete object.spec?.[key]; }
  if (object.metadata.name?.startsWith("round-trip-") !== true) return object;
  const base = validMembers(apiVersion, kind);
  const generated = Object.entries(object).filter(([key]) => fixedMembers[kind]?.includes(key) !== true);
  const made = withOneGenerated(base, Object.fromEntries(generated) as JsonObject);
  return namedBy[kind] !== undefined ? { ...made, metadata: { ...made["metadata"] as JsonObject, name: namedBy[kind] } } : made;
}

for (const plugin of plugins) {
  const stored = (plugin.resources ?? []).filter(({ storedUnder, strategy }) =>
    storedUnder !== undefined && strategy?.without?.includes("create") !== true
  );
  if (stored.length === 0) continue;
  test(`nothing of ${stored.map(({ kind }) => kind).join(", ")} is lost (seed ${seed})`, async () => {
    // No controller makes the accounts that this step looks for.
    const settings = { "disable-admission-plugins": ["ServiceAccount"] };
    const report = await checkRoundTrips(plugin, { seed, objects: 40, adjust, settings });
    assert.ok(report.converted >= 40 * stored.length && report.stored >= 4 * stored.length, JSON.stringify(report));
    console.log(`${plugin.name}: ${report.converted} converted, ${report.stored} stored`);
  });
}
