/** The policies with their bindings, and their compiled expressions. */
import { type RequestHookContext, RuleIndex } from "../../../plugin.ts";
import { groupVersion, type ValidatingAdmissionPolicy, type ValidatingAdmissionPolicyBinding } from "../schema.ts";
import { type CompiledPolicy, compiledPolicy } from "./compiled-policy.ts";

/** A policy with its bindings, by name. */
export interface BoundPolicy {
  readonly policy: ValidatingAdmissionPolicy;
  readonly bindings: readonly ValidatingAdmissionPolicyBinding[];
}

/** The policies that have bindings, by name, as an index of their rules. Not a Promise if they are in memory. */
export function boundPolicies({ server }: RequestHookContext): RuleIndex<BoundPolicy> | Promise<RuleIndex<BoundPolicy>> {
  return server.derived(
    owner,
    collections,
    ([policies = [], bindings = []]) => new RuleIndex(joined(policies as Policies, bindings as Bindings), rulesOf),
  );
}
const owner = Object.freeze({});
const collections = Object.freeze([
  { groupVersion, resource: "validatingadmissionpolicies" },
  { groupVersion, resource: "validatingadmissionpolicybindings" },
]);
const rulesOf = ({ policy }: BoundPolicy) => policy.spec.matchConstraints?.resourceRules;
/** Of these resources. */
type Policies = readonly ValidatingAdmissionPolicy[];
type Bindings = readonly ValidatingAdmissionPolicyBinding[];

function joined(policies: Policies, bindings: Bindings): readonly BoundPolicy[] {
  const byPolicy = Map.groupBy(bindings, ({ spec }) => spec.policyName ?? "");
  return policies.flatMap((policy) => {
    const own = byPolicy.get(policy.metadata.name ?? "");
    return own === undefined ? [] : [{ policy, bindings: own }];
  });
}

/** Compiled policies by uid. A policy is compiled again when its spec has changed. */
export class CompiledPolicies {
  readonly #kept = new Map<string, { readonly generation: unknown; readonly compiled: CompiledPolicy }>();

  of(policy: ValidatingAdmissionPolicy): CompiledPolicy {
    const { uid = "", generation } = policy.metadata;
    const kept = this.#kept.get(uid);
    if (kept?.generation === generation && kept !== undefined) return kept.compiled;
    const compiled = compiledPolicy(policy);
    this.#kept.delete(uid);
    this.#kept.set(uid, { generation, compiled });
    // The oldest one goes first; it is compiled again when it is needed.
    if (this.#kept.size > keptMax) this.#kept.delete(this.#kept.keys().next().value!);
    return compiled;
  }
}
/** Compiled policies that are kept. */
const keptMax = 2_000;
