/** Holds what the evaluations of all policies for one request share. */
import type { JsonObject, RequestHookContext } from "../../../plugin.ts";
import type { AdmissionForm, AuthorizationDecision, Subject, SubjectAttributes } from "../../../toolbox.ts";
import { prepareForm } from "../../../core/admission/attributes.ts";
import { type AccessCheck, DecisionTable } from "../../../cel/functions/authorizer/decisions.ts";
import { AuthorizerValue } from "../../../cel/functions/authorizer/authorizer.ts";
import type { PolicyInput } from "../../../cel/policy/policy.ts";
import { namespaceJson, RequestInput } from "./request.ts";

/** Evaluates expressions for one request. Decisions of the authorizer, converted objects and the namespace are kept for all policies. */
export class Evaluations {
  readonly #context: RequestHookContext;
  readonly #attributes: SubjectAttributes;
  readonly #decisions = new DecisionTable();
  readonly #authorizer: AuthorizerValue;
  #subject: Subject | undefined;
  /** The variables of the subject, by form. */
  readonly #inputs = new Map<AdmissionForm, RequestInput>();
  #namespace: Promise<JsonObject | null> | undefined;

  constructor(attributes: SubjectAttributes, context: RequestHookContext) {
    this.#context = context;
    this.#attributes = attributes;
    this.#authorizer = new AuthorizerValue(context.caller, this.#decisions);
  }

  /**
   * Returns the variables for a policy that covers the request in `form`. They are valid until the next call. `namespaceObject` is read if
   * the policy needs it.
   */
  async input(
    subject: Subject,
    { form, params }: { readonly form: AdmissionForm; readonly params: JsonObject | null },
    { readsNamespace }: { readonly readsNamespace: boolean },
  ): Promise<PolicyInput> {
    await prepareForm(form, subject);
    if (this.#subject !== subject) this.#inputs.clear();
    this.#subject = subject;
    let input = this.#inputs.get(form);
    if (input === undefined) {
      input = new RequestInput(subject, this.#attributes, form, this.#context, this.#authorizer);
      this.#inputs.set(form, input);
    }
    const namespaceObject = readsNamespace ? await (this.#namespace ??= namespaceJson(this.#attributes, this.#context)) : null;
    return Object.assign(input, { params, namespaceObject });
  }

  /** Runs an evaluation. It runs again after each decision of the authorizer that it needs. */
  evaluate<T>(run: () => T): Promise<T> {
    const { access } = this.#context;
    const authorize = async ({ user, attributes }: AccessCheck): Promise<AuthorizationDecision> => await access.authorize(user, attributes);
    return this.#decisions.evaluate(run, authorize);
  }
}
