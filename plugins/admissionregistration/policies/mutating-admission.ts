/** The admission step MutatingAdmissionPolicy: policies change the objects of the requests that they cover. */
import { type Admission, type ApiObject, forbiddenError, type RequestHookContext, StatusError } from "../../../plugin.ts";
import { attributesOf, sameValue, type Subject, type SubjectAttributes, valueText } from "../../../toolbox.ts";
import { recordConditions } from "../conditions/metrics.ts";
import type { ExpressionWork } from "../../../core/admission/expression-work.ts";
import type { PolicyActivation } from "../../../cel/policy/policy.ts";
import type { Value } from "../../../cel/values.ts";
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from "../mutating-schema.ts";
import { type CompiledMutation, type CompiledMutations, compiledMutations } from "./compiled-mutations.ts";
import { measuredConditions } from "../conditions/match-conditions.ts";
import { inTurn, type Results, spent } from "../conditions/in-turn.ts";
import { type BoundPolicy, type Invocation, runGuarded, visitInvocations } from "./invocations.ts";
import { CompiledPolicies, isExempt, PolicyFamily } from "./known-policies.ts";
import { recordMutation } from "./metrics.ts";
import { MutationError, withConfiguration, withJsonPatch } from "./mutations.ts";
import { PolicyRuns } from "./reinvocation.ts";
import { Evaluations } from "./request-input.ts";
import { celObjectCostMax } from "../../../cel/bounds.ts";

type Policy = MutatingAdmissionPolicy;
type PolicyBinding = MutatingAdmissionPolicyBinding;

export const mutatingPolicies: Admission = {
  name: "MutatingAdmissionPolicy",
  resources: "all",
  mutate: (next, prior, context) =>
    context.request.isAction
      ? next
      : mutateBy({ operation: prior === undefined ? "CREATE" : "UPDATE", object: next, oldObject: prior }, context),
  // This handles the POST of a subresource, and the requests of one that connects.
  mutateAction: (request: ApiObject, _subresource, context) =>
    mutateBy({ operation: context.request.action, object: request, oldObject: undefined }, context),
};

const family = new PolicyFamily<Policy, PolicyBinding>(
  ["admissionregistration.{domain}/v1beta1", "admissionregistration.{domain}/v1alpha1"],
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
);

/** The subject of a mutation; it always has an object. */
type MutatedSubject = Subject & { readonly object: ApiObject };

async function mutateBy(subject: MutatedSubject, context: RequestHookContext): Promise<ApiObject> {
  if (!context.gates("MutatingAdmissionPolicy") || isExempt(context)) return subject.object;
  const policies = await family.candidates(subject.operation, context);
  return policies.length === 0 ? subject.object : await new Mutation(subject, context).run(policies);
}

/** An error to which the failure policy of a policy applies. */
interface Failure {
  readonly policy: Policy;
  readonly binding: PolicyBinding | undefined;
  readonly message: string;
  /** Whether the error comes from an evaluation, and not from the configuration. */
  readonly isInvalid: boolean;
}

/** Mutates the object of one request by all policies, in one run of the admission steps. */
class Mutation {
  /** The subject, with the object as it has been mutated so far, in the stored form. */
  #subject: MutatedSubject;
  readonly #context: RequestHookContext;
  readonly #attributes: SubjectAttributes;
  readonly #evaluations: Evaluations;
  readonly #failures: Failure[] = [];
  /** The policies that have run. The first and the second run of the mutating steps share this. */
  readonly #runs: PolicyRuns;

  constructor(subject: MutatedSubject, context: RequestHookContext) {
    this.#subject = subject;
    this.#context = context;
    this.#attributes = attributesOf(subject, context);
    this.#evaluations = new Evaluations(this.#attributes, context);
    this.#runs = context.reinvocation.stateOf(mutatingPolicies, () => new PolicyRuns());
  }

  /** Returns the mutated object. Throws the first error that a failure policy does not ignore. */
  async run(policies: readonly BoundPolicy<Policy, PolicyBinding>[]): Promise<ApiObject> {
    const invocations: Invocation<Policy, PolicyBinding>[] = [];
    await visitInvocations(policies, this.#attributes, this.#context, {
      invoke: (invocation) => void invocations.push(invocation),
      fail: this.#fail,
    });
    if (invocations.length > 0) await this.#runAll(invocations);
    const failures = this.#failures.filter(({ policy }) => policy.spec.failurePolicy !== "Ignore");
    if (failures.length > 0) throw this.#error(failures);
    return this.#subject.object;
  }

  readonly #fail = (policy: Policy, binding: PolicyBinding | undefined, message: string): void =>
    void this.#failures.push({ policy, binding, message, isInvalid: false });

  async #runAll(invocations: readonly Invocation<Policy, PolicyBinding>[]): Promise<void> {
    const { reinvocation } = this.#context, runs = this.#runs;
    runs.begin(reinvocation.isSecondRun, this.#subject.object);
    let hasMutated = false;
    for (const invocation of invocations) {
      const { policy, binding } = invocation;
      if (await runGuarded(policy, binding, { fail: this.#fail }, this.#context, () => this.#runOne(invocation))) hasMutated = true;
    }
    if (hasMutated) {
      runs.changed();
      reinvocation.request();
    }
    runs.end(this.#subject.object);
  }

  /** Runs one policy. Returns whether a mutation was evaluated without an error. */
  async #runOne(invocation: Invocation<Policy, PolicyBinding>): Promise<boolean> {
    const { policy, binding } = invocation, { reinvocation, server, request: { expressions } } = this.#context;
    const compiled = server.stateOf(mutatingPolicies, () => new CompiledPolicies(compiledMutations)).of(policy);
    if (compiled.conditions.length > 0) {
      const input = await this.#evaluations.input(this.#subject, invocation, compiled);
      const held = (await this.#evaluations.evaluate(() => measuredConditions(expressions, compiled, input)))!; // the policy has conditions
      const { operation } = this.#attributes, { name = "" } = policy.metadata;
      recordConditions(this.#context, { kind: "policy", name, type: "validate", operation }, held);
      if (held.result.tag === "excluded") return false;
      if (held.result.tag === "failed") {
        this.#failures.push({ policy, binding, message: held.result.message, isInvalid: true });
        return false;
      }
    }
    const key = keyOf(invocation);
    if (reinvocation.isSecondRun && !this.#runs.isDue(key)) return false;
    const before = this.#subject.object;
    let hasMutated = false;
    for (const mutation of compiled.mutations) {
      const begun = performance.now();
      const failure = await this.#apply(mutation, compiled, invocation);
      const ms = performance.now() - begun;
      recordMutation(this.#context, { policy, binding, failure, seconds: ms / 1000 });
      const pause = expressions.pause();
      if (pause !== undefined) await pause;
      if (failure instanceof StatusError) throw failure;
      if (failure === undefined) hasMutated = true;
      else this.#failures.push({ policy, binding, message: failure.message, isInvalid: true });
    }
    if (!sameValue(before, this.#subject.object)) {
      this.#runs.changed();
      reinvocation.request();
    }
    if (policy.spec.reinvocationPolicy === "IfNeeded") this.#runs.ran(key);
    return hasMutated;
  }

  /** Applies one mutation to the object. Returns its failure, if it has failed. */
  async #apply(
    mutation: CompiledMutation,
    compiled: CompiledMutations,
    invocation: Invocation<Policy, PolicyBinding>,
  ): Promise<MutationError | StatusError | undefined> {
    if (mutation.compiled.error !== undefined) return new MutationError(mutation.compiled.error);
    const { form } = invocation, subject = this.#subject, stored = subject.object;
    const input = await this.#evaluations.input(subject, invocation, compiled);
    try {
      const made = valueOf(
        await this.#evaluations.evaluate(() =>
          evaluateMutation(this.#context.request.expressions, mutation, compiled.compiler.activate(input))
        ),
      );
      const next = this.#context.request.bounded(() =>
        mutation.type === "JSONPatch"
          ? withJsonPatch({ form, stored }, made)
          : withConfiguration({ form, stored, json: input.object! }, made) // the subject has an object
      );
      if (next !== stored) this.#subject = { ...subject, object: form.restored === undefined ? next : await form.restored(next) };
      return undefined;
    } catch (error) {
      if (error instanceof MutationError || error instanceof StatusError) return error;
      throw error;
    }
  }

  #error(failures: readonly Failure[]): StatusError {
    const messages = failures.map(({ policy, binding, message }) => {
      const { name = "" } = policy.metadata;
      return binding === undefined
        ? `policy "${name}" denied request: ${message}`
        : `policy '${name}' with binding '${binding.metadata.name}' denied request: ${message}`;
    });
    const { group, plural } = this.#context.resource, { generateName } = this.#subject.object.metadata ?? {};
    const name = this.#attributes.name || generateName || "Unknown";
    const { details } = forbiddenError({ group, name: plural }, name, "", messages.map((message) => ({ message })));
    return new StatusError(failures[0]!.isInvalid ? "Invalid" : "Forbidden", messages[0]!, { code: 403, ...(details && { details }) });
  }
}

/** Evaluates a mutation. Errors are values, because the evaluation may run again with more decisions of the authorizer. */
function evaluateMutation(work: ExpressionWork, { text, compiled }: CompiledMutation, activation: PolicyActivation): Promise<Results> {
  return inTurn(work, activation, [{ text, compiled }], celObjectCostMax);
}
/** Returns the value of a mutation. Throws a MutationError if there is none. */
function valueOf({ results: [result], left }: Results): Value {
  if (left < 0) throw new MutationError(spent);
  if (result?.error !== undefined) throw new MutationError(result.error);
  return result?.value ?? null;
}

/** Returns a key of policy, binding and parameters of an invocation. */
function keyOf({ policy, binding, params }: Invocation<Policy, PolicyBinding>): string {
  const { name = "", namespace = "" } = params?.metadata as { readonly name?: string; readonly namespace?: string } | undefined ?? {};
  return valueText([policy.metadata.name, binding.metadata.name, namespace, name]);
}
