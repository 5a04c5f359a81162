import {
  ageColumn,
  type Column,
  Condition,
  defineResource,
  field,
  type FieldError,
  type HookContext,
  type Infer,
  mapBy,
  nameColumn,
  object,
  type Resource,
  string,
  structsOf,
  type Subresource,
} from "../../plugin.ts";
import { age, metaOfStatus, metaRulesOf, tooMany, validateConditions, validateObjectMetaUpdate } from "../../toolbox.ts";
import { conditionsMax } from "./bounds.ts";
import { validateDriver, validateLabel, validatePool } from "./names.ts";
import { taintOf } from "./parts-schema.ts";
import { validateTaint, withTime } from "./taint-rules.ts";

const home = "resource/v1alpha3";
const groupVersion = "resource.{domain}/v1alpha3";
const struct = structsOf(home);

const DeviceTaintSelector = struct("DeviceTaintSelector", {
  driver: field(2, string, "The driver of the devices. Absent: all drivers.", { pointer: true }),
  pool: field(3, string, "The pool of the devices. Absent: all pools.", { pointer: true }),
  device: field(4, string, "The name of the devices. Absent: all names.", { pointer: true }),
}, { doc: "Selects devices by driver, pool and name. All fields that are set must match." });

const DeviceTaintRuleSpec = struct("DeviceTaintRuleSpec", {
  deviceSelector: field(1, DeviceTaintSelector, "The devices that get the taint. Absent: none. Empty: all.", { pointer: true }),
  taint: field(2, taintOf("v1alpha3"), "The taint.", { required: true }),
}, { doc: "A taint, and the devices that get it." });

const DeviceTaintRuleStatus = struct("DeviceTaintRuleStatus", {
  conditions: field(1, mapBy(["type"], Condition), "The conditions of the rule, such as the progress of an eviction. At most 8.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
}, { doc: "What the rule has caused." });

const DeviceTaintRule = object("DeviceTaintRule", {
  spec: field(2, DeviceTaintRuleSpec, "The taint, and the devices that get it.", { required: true }),
  status: field(3, DeviceTaintRuleStatus, "What the rule has caused.", { written: "always" }),
}, { package: home, doc: "Adds a taint to devices, beside the taints that their drivers set." });
type DeviceTaintRule = Infer<typeof DeviceTaintRule>;

const columns: readonly Column<DeviceTaintRule>[] = [
  nameColumn,
  { name: "Key", type: "string", description: "The key of the taint.", cell: ({ spec: { taint } }) => taint.key },
  { name: "Value", type: "string", description: "The value of the taint.", cell: ({ spec: { taint: { value = "" } } }) => value },
  { name: "Effect", type: "string", description: "The effect of the taint.", cell: ({ spec: { taint } }) => taint.effect },
  {
    name: "TimeAdded",
    type: "string",
    description: "The time since the taint was added.",
    cell: ({ spec: { taint: { timeAdded } } }) => timeAdded === undefined || timeAdded === null ? "" : age(timeAdded),
  },
  ageColumn,
];

function validateSpec({ spec: { deviceSelector, taint } }: DeviceTaintRule, prior?: DeviceTaintRule): readonly FieldError[] {
  const { driver, pool, device } = deviceSelector ?? {}, at = "spec.deviceSelector";
  return [
    ...(driver === undefined ? [] : validateDriver(driver, `${at}.driver`)),
    ...(pool === undefined ? [] : validatePool(pool, `${at}.pool`)),
    ...(device === undefined ? [] : validateLabel(device, `${at}.device`)),
    ...validateTaint(taint, "spec.taint", prior?.spec.taint.effect),
  ];
}

/** The time of a taint is that of its effect: a change of the effect sets it, unless the client has changed it. */
function withTimes(next: DeviceTaintRule, prior: DeviceTaintRule | undefined, now: string): DeviceTaintRule {
  const { taint } = next.spec, before = prior?.spec.taint;
  const isRenewed = before !== undefined && taint.effect !== before.effect && taint.timeAdded === before.timeAdded;
  const timed = isRenewed ? { ...taint, timeAdded: now } : withTime(taint, now);
  return timed === taint ? next : { ...next, spec: { ...next.spec, taint: timed } };
}

const status: Subresource<DeviceTaintRule> = {
  hasTable: false,
  leaves: ["metadata", "spec"],
  write: (next, prior) => ({ ...next, metadata: metaOfStatus(next.metadata, prior.metadata), spec: prior.spec }),
  update: (next, prior, context) => {
    const { conditions = [] } = next.status, path = "status.conditions";
    return [
      ...validateMeta(next, prior, context),
      ...validateConditions(conditions, path),
      ...(conditions.length > conditionsMax ? [tooMany(path, conditions.length, conditionsMax)] : []),
    ];
  },
};

function validateMeta(next: DeviceTaintRule, prior: DeviceTaintRule, { names }: HookContext): readonly FieldError[] {
  return validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(deviceTaintRules, names));
}

export const deviceTaintRules: Resource<DeviceTaintRule> = defineResource({
  kind: "DeviceTaintRule",
  scope: "Cluster",
  summary: "A taint that an administrator adds to devices.",
  storedAs: groupVersion,
  storedUnder: "devicetaintrules",
  served: { [groupVersion]: { schema: DeviceTaintRule, introduced: "1.33", columns, subresources: { status } } },
  strategy: { deleteAnswers: "object", generation: true, coreFinalizers: true },
  prepare: (next, prior, { now }) => withTimes(next, prior, now),
  create: (next) => validateSpec(next),
  update: (next, prior, context) => [...validateMeta(next, prior, context), ...validateSpec(next, prior)],
});
