/** The admission step ValidatingAdmissionPolicy: requests must satisfy the policies that cover them. */
import { type Admission, type ApiObject, forbiddenError, type RequestHookContext, StatusError } from "../../../plugin.ts";
import { attributesOf, type StatusReason, type Subject, type SubjectAttributes, valueText } from "../../../toolbox.ts";
import { recordConditions } from "../conditions/metrics.ts";
import { groupVersion, type ValidatingAdmissionPolicy, type ValidatingAdmissionPolicyBinding } from "../schema.ts";
import { compiledPolicy } from "./compiled-policy.ts";
import { type Decision, evaluate } from "./evaluate.ts";
import { type BoundPolicy, type Invocation, visitInvocations } from "./invocations.ts";
import { CompiledPolicies, isExempt, PolicyFamily } from "./known-policies.ts";
import { type Enforcement, recordCheck } from "./metrics.ts";
import { Evaluations } from "./request-input.ts";

export const validatingPolicies: Admission = {
  name: "ValidatingAdmissionPolicy",
  resources: "all",
  refuse: (next, prior, context) =>
    context.request.isAction
      ? undefined
      : review({ operation: prior === undefined ? "CREATE" : "UPDATE", object: next, oldObject: prior }, context),
  // This handles the POST of a subresource, and the requests of one that connects.
  refuseAction: (request: ApiObject | undefined, _subresource, context) =>
    review({ operation: context.request.action, object: request, oldObject: undefined }, context),
  refuseDelete: (prior, context) => review({ operation: "DELETE", object: undefined, oldObject: prior }, context),
};

const policies = new PolicyFamily<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding>(
  [groupVersion],
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
);

async function review(subject: Subject, context: RequestHookContext): Promise<undefined> {
  if (isExempt(context)) return undefined;
  const candidates = await policies.candidates(subject.operation, context);
  return candidates.length === 0 ? undefined : await new Review(subject, context).run(candidates);
}
type Bound = BoundPolicy<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding>;

/** A rejection, and the policy and binding that it comes from. */
interface Denial {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason?: string | undefined;
}

/** Maximum bytes of the value of an audit annotation. */
const annotationBytesMax = 10 * 1024;

/** Reviews one request by all policies. The object is converted when a policy covers the request. */
class Review {
  readonly #subject: Subject;
  readonly #context: RequestHookContext;
  readonly #attributes: SubjectAttributes;
  readonly #evaluations: Evaluations;
  readonly #denials: Denial[] = [];
  /** Values of audit annotations by key. */
  readonly #annotations = new Map<string, Set<string>>();

  constructor(subject: Subject, context: RequestHookContext) {
    this.#subject = subject;
    this.#context = context;
    this.#attributes = attributesOf(subject, context);
    this.#evaluations = new Evaluations(this.#attributes, context);
  }

  /** Runs the policies. Throws the first rejection. */
  async run(candidates: readonly Bound[]): Promise<undefined> {
    await visitInvocations(candidates, this.#attributes, this.#context, {
      invoke: (invocation) => this.#review(invocation),
      fail: (policy, binding, message) => {
        if (policy.spec.failurePolicy !== "Ignore") this.#deny(policy, binding, message);
      },
    });
    for (const [key, values] of this.#annotations) this.#context.annotate(key, [...values].join(", "));
    const [denial] = this.#denials;
    if (denial !== undefined) throw this.#error(denial);
    return undefined;
  }

  async #review(invocation: Invocation<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding>): Promise<void> {
    const { policy, binding } = invocation, { server, request: { expressions } } = this.#context;
    const pause = expressions.pause();
    if (pause !== undefined) await pause;
    const compiled = server.stateOf(validatingPolicies, () => new CompiledPolicies(compiledPolicy)).of(policy);
    const input = await this.#evaluations.input(this.#subject, invocation, compiled);
    const evaluation = await this.#evaluations.evaluate(() => evaluate(expressions, policy, compiled, input));
    if (evaluation.conditions !== undefined) {
      const { operation } = this.#attributes, { name = "" } = policy.metadata;
      recordConditions(this.#context, { kind: "policy", name, type: "validate", operation }, evaluation.conditions);
    }
    for (const [index, decision] of evaluation.decisions.entries()) this.#apply(policy, binding, decision, index);
    for (const each of evaluation.annotations) {
      if (each.tag === "error") this.#deny(policy, binding, each.message);
      else {
        const key = `${policy.metadata.name ?? ""}/${each.key}`, values = this.#annotations.get(key) ?? new Set<string>();
        this.#annotations.set(key, values.add(Buffer.from(each.value).subarray(0, annotationBytesMax).toString()));
      }
    }
  }

  #apply(policy: ValidatingAdmissionPolicy, binding: ValidatingAdmissionPolicyBinding, decision: Decision, index: number): void {
    const { validationActions = [], policyName = "" } = binding.spec, { name: bindingName = "" } = binding.metadata;
    const { annotate, warn, names } = this.#context, { seconds } = decision;
    const record = (message: string, action: Enforcement) =>
      recordCheck(this.#context, { policy: policyName, binding: bindingName, message, seconds, action });
    if (decision.tag === "admit") {
      if (decision.error !== undefined) record(decision.error, "allow");
      return;
    }
    const { message, reason } = decision;
    for (const action of validationActions) {
      if (action === "Deny") this.#deny(policy, binding, message, reason);
      if (action === "Warn") {
        warn(`Validation failed for ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}': ${message}`);
      }
      if (action === "Audit") {
        const failure = { message, policy: policyName, binding: bindingName, expressionIndex: index, validationActions };
        annotate(`validation.policy.admission.${names.domain}/validation_failure`, valueText([failure]));
      }
      record(message, enforcements[action]);
    }
  }

  #deny(
    policy: ValidatingAdmissionPolicy,
    binding: ValidatingAdmissionPolicyBinding | undefined,
    message: string,
    reason?: string,
  ): void {
    this.#denials.push({ policy: policy.metadata.name ?? "", binding: binding?.metadata.name, message, reason });
  }

  #error({ policy, binding, message, reason }: Denial): StatusError {
    const by = binding === undefined ? "" : ` with binding '${binding}'`;
    const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
    const { group, plural } = this.#context.resource;
    const refusal = forbiddenError({ group, name: plural }, this.#attributes.name || "Unknown", text, [{ message: text }]);
    const chosen = (reason ?? "Invalid") as StatusReason; // it is one of the reasons that a validation may have
    return new StatusError(chosen, refusal.message, { details: refusal.details!, ...(codes[chosen] === undefined ? { code: 422 } : {}) });
  }
}

const enforcements: Readonly<Record<"Deny" | "Warn" | "Audit", Enforcement>> = Object.freeze({
  Deny: "deny",
  Warn: "warn",
  Audit: "audit",
});

/** The HTTP codes of the reasons that a validation may have. Other reasons have 422. */
const codes: Readonly<Record<string, number>> = Object.freeze({
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
});
