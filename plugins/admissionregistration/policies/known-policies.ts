/** The policies with their bindings, and their compiled expressions. */
import type { RequestHookContext } from "../../../plugin.ts";
import { groupVersion, type ValidatingAdmissionPolicy, type ValidatingAdmissionPolicyBinding } from "../schema.ts";
import { type CompiledPolicy, compiledPolicy } from "./compiled-policy.ts";

/** A policy with its bindings, by name. */
export interface BoundPolicy {
  readonly policy: ValidatingAdmissionPolicy;
  readonly bindings: readonly ValidatingAdmissionPolicyBinding[];
}

/** The policies that have bindings, by name. Not a Promise if they are in memory. */
export function boundPolicies({ server }: RequestHookContext): readonly BoundPolicy[] | Promise<readonly BoundPolicy[]> {
  const bindings = server.recent(groupVersion, "validatingadmissionpolicybindings", "");
  if (!(bindings instanceof Promise) && bindings.length === 0) return none;
  const policies = server.recent(groupVersion, "validatingadmissionpolicies", "");
  if (!(bindings instanceof Promise) && !(policies instanceof Promise)) return joined(policies as Policies, bindings as Bindings);
  return Promise.all([policies, bindings]).then(([some, others]) => joined(some as Policies, others as Bindings));
}
const none: readonly BoundPolicy[] = Object.freeze([]);
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
