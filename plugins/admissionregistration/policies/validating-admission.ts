/** The admission step ValidatingAdmissionPolicy: requests must satisfy the policies that cover them. */
import {
  type Admission,
  type AdmissionForm,
  type ApiObject,
  attributesOf,
  type AuthorizationDecision,
  coveredForm,
  forbiddenError,
  type JsonObject,
  type RequestHookContext,
  type RuleIndex,
  spell,
  StatusError,
  type StatusReason,
  type Subject,
  type SubjectAttributes,
} from "../../../plugin.ts";
import { type AccessCheck, DecisionTable } from "../../../core/cel/functions/authorizer/decisions.ts";
import { AuthorizerValue } from "../../../core/cel/functions/authorizer/authorizer.ts";
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "../schema.ts";
import type { CompiledPolicy } from "./compiled-policy.ts";
import { type Decision, evaluate, type Evaluation } from "./evaluate.ts";
import { boundPolicies, type BoundPolicy, CompiledPolicies } from "./known-policies.ts";
import { type Enforcement, recordCheck } from "./metrics.ts";
import { ParameterError, parameterResource, parametersOf } from "./parameters.ts";
import { namespaceJson, RequestInput } from "./request.ts";

export const validatingPolicies: Admission = {
  name: "ValidatingAdmissionPolicy",
  resources: "all",
  refuse: (next, prior, context) =>
    context.request.isAction
      ? undefined
      : review({ operation: prior === undefined ? "CREATE" : "UPDATE", object: next, oldObject: prior }, context),
  // The POST of a subresource.
  refuseAction: (request: ApiObject | undefined, _subresource, context) =>
    review({ operation: "CREATE", object: request, oldObject: undefined }, context),
  refuseDelete: (prior, context) => review({ operation: "DELETE", object: undefined, oldObject: prior }, context),
};

/** Kinds that no policy covers: otherwise a policy could prevent its own removal. */
const exempt: ReadonlySet<string> = new Set([
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

function review(subject: Subject, context: RequestHookContext): undefined | Promise<undefined> {
  const { group, plural } = context.resource;
  if (exempt.has(plural) && group === spell(context.names, "admissionregistration.{domain}")) return undefined;
  const policies = boundPolicies(context);
  if (policies instanceof Promise) return policies.then((known) => reviewBy(known, subject, context));
  return reviewBy(policies, subject, context);
}
function reviewBy(policies: RuleIndex<BoundPolicy>, subject: Subject, context: RequestHookContext): undefined | Promise<undefined> {
  const { request: { form, forms }, subresource } = context;
  const candidates = policies.candidates({ operation: subject.operation, form, subresource, equivalents: forms });
  return candidates.length === 0 ? undefined : new Review(subject, context).run(candidates);
}

/** A rejection, and the policy and binding that it comes from. */
interface Denial {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason?: string | undefined;
}

/** Bytes of the value of an audit annotation. */
const annotationBytesMax = 10 * 1024;

/** The review of one request by all policies. Objects are converted when a policy covers the request. */
class Review {
  readonly #subject: Subject;
  readonly #context: RequestHookContext;
  readonly #attributes: SubjectAttributes;
  readonly #denials: Denial[] = [];
  readonly #decisions = new DecisionTable();
  readonly #authorizer: AuthorizerValue;
  /** By the form by which policies cover the request. */
  readonly #inputs = new Map<AdmissionForm, RequestInput>();

  constructor(subject: Subject, context: RequestHookContext) {
    this.#subject = subject;
    this.#context = context;
    this.#attributes = attributesOf(subject, context);
    this.#authorizer = new AuthorizerValue(context.caller, this.#decisions);
  }

  /** Throws the first rejection. */
  async run(policies: readonly BoundPolicy[]): Promise<undefined> {
    for (const each of policies) await this.#reviewPolicy(each);
    const [denial] = this.#denials;
    if (denial !== undefined) throw this.#error(denial);
    return undefined;
  }

  async #reviewPolicy({ policy, bindings }: BoundPolicy): Promise<void> {
    const { metadata: { name = "" }, spec: { matchConstraints, paramKind } } = policy;
    const form = await this.#tried(policy, undefined, async () => {
      const covering = await coveredForm(matchConstraints ?? {}, this.#attributes) as AdmissionForm | undefined; // one of the attributes
      if (covering !== undefined && paramKind !== undefined) parameterResource(paramKind, this.#context);
      return covering;
    });
    if (form === undefined) return;
    const annotations = new Map<string, Set<string>>();
    for (const binding of bindings) await this.#reviewBinding(policy, binding, form, annotations);
    for (const [key, values] of annotations) this.#context.annotate(`${name}/${key}`, [...values].join(", "));
  }

  async #reviewBinding(
    policy: ValidatingAdmissionPolicy,
    binding: ValidatingAdmissionPolicyBinding,
    form: AdmissionForm,
    annotations: Map<string, Set<string>>,
  ): Promise<void> {
    const { matchResources, paramRef } = binding.spec;
    const parameters = await this.#tried(policy, binding, async () => {
      if (matchResources !== undefined && await coveredForm(matchResources, this.#attributes) === undefined) return undefined;
      return await parametersOf(policy.spec.paramKind, paramRef, this.#attributes.namespace, this.#context);
    });
    if (parameters === undefined) return;
    const compiled = this.#context.server.stateOf(validatingPolicies, () => new CompiledPolicies()).of(policy);
    const namespaceObject = compiled.readsNamespace ? await namespaceJson(this.#attributes, this.#context) : null;
    for (const params of parameters) {
      const evaluation = await this.#evaluated(policy, compiled, form, params, namespaceObject);
      for (const [index, decision] of evaluation.decisions.entries()) this.#apply(policy, binding, decision, index);
      for (const each of evaluation.annotations) {
        if (each.tag === "error") this.#deny(policy, binding, each.message);
        else {
          const values = annotations.get(each.key) ?? new Set<string>();
          annotations.set(each.key, values.add(Buffer.from(each.value).subarray(0, annotationBytesMax).toString()));
        }
      }
    }
  }

  async #evaluated(
    policy: ValidatingAdmissionPolicy,
    compiled: CompiledPolicy,
    form: AdmissionForm,
    params: JsonObject | null,
    namespaceObject: JsonObject | null,
  ): Promise<Evaluation> {
    let input = this.#inputs.get(form);
    if (input === undefined) {
      input = new RequestInput(this.#subject, this.#attributes, form, this.#context, this.#authorizer);
      this.#inputs.set(form, input);
    }
    const run = () => evaluate(policy, compiled, Object.assign(input, { params, namespaceObject }));
    const { access } = this.#context;
    const authorize = async ({ user, attributes }: AccessCheck): Promise<AuthorizationDecision> => await access.authorize(user, attributes);
    return await this.#decisions.evaluate(run, authorize);
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
        annotate(`validation.policy.admission.${names.domain}/validation_failure`, JSON.stringify([failure]));
      }
      record(message, enforcements[action]);
    }
  }

  /** Runs a step of the configuration; an error is a rejection, unless failures are ignored. */
  async #tried<T>(
    policy: ValidatingAdmissionPolicy,
    binding: ValidatingAdmissionPolicyBinding | undefined,
    run: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ParameterError || error instanceof StatusError)) throw error;
      const what = binding === undefined ? "policy" : "binding";
      if (policy.spec.failurePolicy !== "Ignore") this.#deny(policy, binding, `failed to configure ${what}: ${error.message}`);
      return undefined;
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
    const chosen = (reason ?? "Invalid") as StatusReason; // one of those that a validation may have
    return new StatusError(chosen, refusal.message, { details: refusal.details!, ...(codes[chosen] === undefined ? { code: 422 } : {}) });
  }
}

const enforcements: Readonly<Record<"Deny" | "Warn" | "Audit", Enforcement>> = Object.freeze({
  Deny: "deny",
  Warn: "warn",
  Audit: "audit",
});

/** Codes of the reasons that a validation may have; 422 for others. */
const codes: Readonly<Record<string, number>> = Object.freeze({
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
});
