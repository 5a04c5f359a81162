/** Finds the policies, bindings and parameters that cover a request. Validating and mutating policies share this. */
import { MovedWork } from "../../../core/budget.ts";
import { type ApiObject, type JsonObject, type RequestHookContext, StatusError } from "../../../plugin.ts";
import { type AdmissionForm, coveredForm, type MatchResources, type SubjectAttributes } from "../../../toolbox.ts";
import type { ParamKind, ParamRef } from "../schema.ts";
import { ParameterError, parameterResource, parametersOf } from "./parameters.ts";

/** The members that validating and mutating policies have in common. */
export interface Policy extends ApiObject {
  readonly spec: { readonly paramKind?: ParamKind; readonly matchConstraints?: MatchResources };
}
/** The members that bindings of validating and mutating policies have in common. */
export interface Binding extends ApiObject {
  readonly spec: { readonly policyName?: string; readonly paramRef?: ParamRef; readonly matchResources?: MatchResources };
}

/** A policy with its bindings, by name. */
export interface BoundPolicy<P extends Policy, B extends Binding> {
  readonly policy: P;
  readonly bindings: readonly B[];
}

/** A policy that covers the request by a binding, with one object of parameters. */
export interface Invocation<P extends Policy, B extends Binding> {
  readonly policy: P;
  readonly binding: B;
  /** The form of the object in the version of the resource that the policy names. */
  readonly form: AdmissionForm;
  /** The object of parameters; null for a policy or a binding without parameters. */
  readonly params: JsonObject | null;
}

/** Receives the invocations of a request in the order of policies, bindings and parameters. */
export interface InvocationVisitor<P extends Policy, B extends Binding> {
  invoke(invocation: Invocation<P, B>): void | Promise<void>;
  /** Called for a mistake in the configuration. `binding` is undefined if the mistake is one of the policy. */
  fail(policy: P, binding: B | undefined, message: string): void;
}

/** Visits the invocations of a request. */
export async function visitInvocations<P extends Policy, B extends Binding>(
  policies: readonly BoundPolicy<P, B>[],
  attributes: SubjectAttributes,
  context: RequestHookContext,
  visitor: InvocationVisitor<P, B>,
): Promise<void> {
  for (const { policy, bindings } of policies) {
    const { matchConstraints, paramKind } = policy.spec;
    const form = await runStep(policy, undefined, visitor, context, async () => {
      const covering = await coveredForm(matchConstraints ?? {}, attributes) as AdmissionForm | undefined; // it is one of the forms of `attributes`
      if (covering !== undefined && paramKind !== undefined) parameterResource(paramKind, context);
      return covering;
    });
    if (form === undefined) continue;
    for (const binding of bindings) {
      const { matchResources, paramRef } = binding.spec;
      const parameters = await runStep(policy, binding, visitor, context, async () => {
        if (matchResources !== undefined && await coveredForm(matchResources, attributes) === undefined) return undefined;
        return await parametersOf(paramKind, paramRef, attributes.namespace, context);
      });
      for (const params of parameters ?? []) {
        await runGuarded(policy, binding, visitor, context, async () => await visitor.invoke({ policy, binding, form, params }));
      }
    }
  }
}

/** Runs a step of the configuration. */
function runStep<P extends Policy, B extends Binding, T>(
  policy: P,
  binding: B | undefined,
  visitor: InvocationVisitor<P, B>,
  context: RequestHookContext,
  run: () => Promise<T>,
): Promise<T | undefined> {
  return runGuarded(policy, binding, visitor, context, async () => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ParameterError || error instanceof StatusError)) throw error;
      visitor.fail(policy, binding, `failed to configure ${binding === undefined ? "policy" : "binding"}: ${error.message}`);
      return undefined;
    }
  });
}

/**
 * Runs a step of one policy. An error that does not reject the request is logged with the name of the policy, and the failure policy
 * decides. Other policies go on.
 */
export async function runGuarded<P extends Policy, B extends Binding, T>(
  policy: P,
  binding: B | undefined,
  visitor: Pick<InvocationVisitor<P, B>, "fail">,
  { server }: RequestHookContext,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof StatusError || error instanceof MovedWork) throw error;
    server.failed(`${policy.kind ?? "policy"} ${policy.metadata.name ?? ""}`, error);
    visitor.fail(policy, binding, "the policy met an unexpected condition, see the log of the server");
    return undefined;
  }
}
