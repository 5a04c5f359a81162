/** The configuration of ResourceQuota: resources that objects may use only if a quota of their namespace limits them. */
import { type ApiObject, field, type FieldError, type Infer, list, required, StatusError, string, struct } from "../../plugin.ts";
import { compareQuantities, type StepConfiguration } from "../../toolbox.ts";
import type { Amounts } from "./amounts.ts";
import type { Usage } from "./counting.ts";
import { ScopedResourceSelectorRequirement, type ScopeRequirement } from "./quota-schema.ts";
import { validateRequirement } from "./quota-rules.ts";

const home = { package: "" };

const LimitedResource = struct("LimitedResource", {
  apiGroup: field(0, string, "The API group of the objects. Empty: the core group."),
  resource: field(0, string, "The resource of the objects, such as persistentvolumeclaims.", { written: "always" }),
  matchContains: field(
    0,
    list(string),
    "Parts of names of what objects use, such as requests.storage. A quota must limit what has such a name.",
  ),
  matchScopes: field(0, list(ScopedResourceSelectorRequirement), "Scopes of objects. A quota with the same scope must exist."),
}, { ...home, doc: "What needs a quota." });
export type LimitedResource = Infer<typeof LimitedResource>;

const Configuration = struct("ResourceQuotaConfiguration", {
  limitedResources: field(0, list(LimitedResource), "What objects may use only if a quota limits it."),
}, { ...home, doc: "The configuration of ResourceQuota." });
type Configuration = Infer<typeof Configuration>;

export const configuration: StepConfiguration<Configuration> = {
  kind: "ResourceQuotaConfiguration",
  group: "apiserver.config.{domain}",
  versions: ["v1"],
  older: [{ kind: "Configuration", group: "resourcequota.admission.{domain}", versions: ["v1beta1", "v1alpha1"] }],
  schema: Configuration,
  validate: ({ limitedResources = [] }) =>
    limitedResources.flatMap(({ resource, matchScopes = [] }, i): readonly FieldError[] => [
      ...((resource ?? "") === "" ? [required(`limitedResources[${i}].resource`, "")] : []),
      ...matchScopes.flatMap((scope, j) => validateRequirement(scope, `limitedResources[${i}].matchScopes[${j}]`)),
    ]),
};

/** What the configuration limits. */
export function limitedIn(given: unknown): readonly LimitedResource[] {
  return ((given ?? {}) as Configuration).limitedResources ?? []; // validated
}

/** A write, and what the quotas of its namespace limit. */
export interface Covering {
  readonly group: string;
  readonly plural: string;
  readonly usage: Usage;
  readonly object: ApiObject;
  /** What the object uses. */
  readonly amounts: Amounts;
  /** The names of the limits that apply to the object, of all quotas. */
  readonly names: ReadonlySet<string>;
  /** The scopes of all quotas that the object is in. */
  readonly scopes: readonly ScopeRequirement[];
}

/** Returns the reason to reject an object that uses what no quota limits; undefined if there is none. */
export function uncovered(
  limited: readonly LimitedResource[],
  { group, plural, usage, object, amounts, names, scopes }: Covering,
): string | StatusError | undefined {
  const parts = limited.filter(({ apiGroup = "", resource }) => apiGroup === group && resource === plural).flatMap((each) =>
    each.matchContains ?? []
  );
  const missing = Object.entries(amounts).filter(([name, amount]) =>
    compareQuantities(amount, "0") > 0 && !names.has(name) && parts.some((part) => name.includes(part))
  ).map(([name]) => name).sort();
  if (missing.length > 0) return `insufficient quota to consume: ${missing.join(",")}`;
  // As upstream, the scopes of all entries count, whatever their resource is.
  const open = limited.flatMap(({ matchScopes = [] }) => matchScopes).filter((scope) =>
    usage.isIn(scope, object) && !scopes.some(({ scopeName }) => scopeName === scope.scopeName)
  );
  if (open.length === 0) return undefined;
  const texts = open.map(({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(" ")}]}`);
  // As upstream, which takes this reason for a fault of the server.
  return new StatusError("Unknown", `insufficient quota to match these scopes: [${texts.join(" ")}]`, { code: 500 });
}
