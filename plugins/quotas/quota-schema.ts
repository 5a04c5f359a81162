/** The schema of ResourceQuota (core/v1). */
import { field, type Infer, list, object, oneOf, string, structsOf } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { ResourceList, roundToMillis } from "../shared/volumes/mod.ts";

const home = "core/v1";
const struct = structsOf(home);

const Scope = named(
  "v1.ResourceQuotaScope",
  oneOf(
    "BestEffort",
    "CrossNamespacePodAffinity",
    "NotBestEffort",
    "NotTerminating",
    "PriorityClass",
    "Terminating",
    "VolumeAttributesClass",
  ),
);

export const ScopedResourceSelectorRequirement = struct("ScopedResourceSelectorRequirement", {
  scopeName: field(1, Scope, "The scope that the requirement is about.", { required: true }),
  operator: field(
    2,
    named("v1.ScopeSelectorOperator", oneOf("DoesNotExist", "Exists", "In", "NotIn")),
    "The relation of the scope to the values: In, NotIn, Exists or DoesNotExist.",
    { required: true },
  ),
  values: field(3, list(string), "The values for In and NotIn. Empty for Exists and DoesNotExist."),
}, { doc: "A requirement about the scope of counted objects." });
export type ScopeRequirement = Infer<typeof ScopedResourceSelectorRequirement>;

const ScopeSelector = struct("ScopeSelector", {
  matchExpressions: field(1, list(ScopedResourceSelectorRequirement), "Requirements. All of them have to match."),
}, { atomic: true, doc: "Selects counted objects by their scopes." });

const ResourceQuotaSpec = struct("ResourceQuotaSpec", {
  hard: field(1, ResourceList, "The limits, by resource."),
  scopes: field(2, list(Scope), "Scopes of the counted objects. All of them have to match. Empty: all objects. Immutable."),
  scopeSelector: field(3, ScopeSelector, "Further scopes of the counted objects, with values.", { pointer: true }),
}, { doc: "Limits of what a namespace uses.", applyDefaults: roundToMillis("hard") });
export type ResourceQuotaSpec = Infer<typeof ResourceQuotaSpec>;

const ResourceQuotaStatus = struct("ResourceQuotaStatus", {
  hard: field(1, ResourceList, "The limits that are enforced, by resource."),
  used: field(2, ResourceList, "The usage of the namespace, by resource."),
}, { doc: "The limits in force, and the usage.", applyDefaults: roundToMillis("hard", "used") });

export const ResourceQuota = object("ResourceQuota", {
  spec: field(2, ResourceQuotaSpec, "The wanted limits.", { written: "always" }),
  status: field(3, ResourceQuotaStatus, "The limits in force, and the usage. Set by the server.", { written: "always" }),
}, { package: home, doc: "Limits the number of objects, and the storage of claims, in a namespace." });
export type ResourceQuota = Infer<typeof ResourceQuota>;
