/** Keeps the policies with their bindings, and their compiled expressions. */
import type { ApiObject, GroupVersion, RequestHookContext } from "../../../plugin.ts";
import { type AdmissionOperation, RuleIndex, spell } from "../../../toolbox.ts";
import type { Binding, BoundPolicy, Policy } from "./invocations.ts";

/** Kinds that no policy covers. Otherwise a policy could prevent its own removal. */
const exempt: ReadonlySet<string> = new Set([
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

/** Whether the request concerns a kind that no policy covers. */
export function isExempt({ resource: { group, plural }, names }: RequestHookContext): boolean {
  return exempt.has(plural) && group === spell(names, "admissionregistration.{domain}");
}

/** The policies of one kind, with their bindings. */
export class PolicyFamily<P extends Policy, B extends Binding> {
  readonly #collections: readonly { readonly groupVersion: GroupVersion; readonly resource: string }[];
  /** `policies` and `bindings` are names of resources. Of `groupVersions`, the first one that is served is used. */
  constructor(groupVersions: readonly GroupVersion[], policies: string, bindings: string) {
    this.#collections = groupVersions.flatMap((groupVersion) => [policies, bindings].map((resource) => ({ groupVersion, resource })));
  }

  /** Returns the policies that have bindings and may cover the request, in the order of their names. */
  async candidates(
    operation: AdmissionOperation,
    { server, request: { form, forms }, subresource }: RequestHookContext,
  ): Promise<readonly BoundPolicy<P, B>[]> {
    const request = { operation, form, subresource, equivalents: forms };
    const index = await server.derived(this, this.#collections, (lists) => new RuleIndex(firstBound<P, B>(lists), rulesOf));
    return index.candidates(request);
  }
}

/** Returns the bound policies of the first version that has some. `lists` has the policies and the bindings of each version. */
function firstBound<P extends Policy, B extends Binding>(lists: readonly (readonly ApiObject[])[]): readonly BoundPolicy<P, B>[] {
  for (let at = 0; at < lists.length; at += 2) {
    const found = joinBindings(lists[at] as readonly P[], lists[at + 1] as readonly B[]); // the objects are of these resources
    if (found.length > 0) return found;
  }
  return [];
}

const rulesOf = ({ policy }: BoundPolicy<Policy, Binding>) => policy.spec.matchConstraints?.resourceRules;

function joinBindings<P extends Policy, B extends Binding>(policies: readonly P[], bindings: readonly B[]): readonly BoundPolicy<P, B>[] {
  const byPolicy = Map.groupBy(bindings, ({ spec }) => spec.policyName ?? "");
  return policies.flatMap((policy) => {
    const own = byPolicy.get(policy.metadata.name ?? "");
    return own === undefined ? [] : [{ policy, bindings: own }];
  });
}

/** Keeps compiled policies by uid. A policy is compiled again when its spec has changed. */
export class CompiledPolicies<P extends ApiObject, C> {
  readonly #compile: (policy: P) => C;
  readonly #kept = new Map<string, { readonly generation: unknown; readonly compiled: C }>();
  constructor(compile: (policy: P) => C) {
    this.#compile = compile;
  }

  of(policy: P): C {
    const { uid = "", generation } = policy.metadata;
    const kept = this.#kept.get(uid);
    if (kept?.generation === generation && kept !== undefined) return kept.compiled;
    const compiled = this.#compile(policy);
    this.#kept.delete(uid);
    this.#kept.set(uid, { generation, compiled });
    // The oldest policy is dropped first; it is compiled again when it is needed.
    if (this.#kept.size > keptMax) this.#kept.delete(this.#kept.keys().next().value!);
    return compiled;
  }
}
/** Maximum number of compiled policies that are kept. */
const keptMax = 2_000;
