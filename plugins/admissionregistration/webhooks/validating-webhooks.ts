/** The admission step ValidatingAdmissionWebhook: webhooks that accept or reject requests. */
import { DecisionTable } from "../../../cel/functions/authorizer/decisions.ts";
import type { Admission, ApiObject, RequestHookContext } from "../../../plugin.ts";
import type { AdmissionForm, Subject } from "../../../toolbox.ts";
import { calledForm, callIfMatched, endOfCall, rejectionOf, requestOver, type ReviewedRequest, stepNames, verdictOf } from "./call.ts";
import { type KnownWebhook, knownWebhooks } from "./known-webhooks.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum number of validating webhooks that are called at the same time for one request. */
const webhooksAtOnceMax = bound(16);

export const validatingWebhooks: Admission = {
  name: stepNames.validating,
  resources: "all",
  includesReviews: true,
  refuse: (next, prior, context) =>
    context.request.isAction
      ? undefined
      : review({ operation: prior === undefined ? "CREATE" : "UPDATE", object: next, oldObject: prior }, context),
  // This handles the POST of a subresource, and the requests of one that connects.
  refuseAction: (request: ApiObject | undefined, _subresource, context) =>
    review({ operation: context.request.action, object: request, oldObject: undefined }, context),
  refuseDelete: (prior, context) => review({ operation: "DELETE", object: undefined, oldObject: prior }, context),
};

function review(subject: Subject, context: RequestHookContext): undefined | Promise<undefined> {
  return callIfMatched(known, subject, context, (webhooks) => reviewBy(webhooks, subject, context));
}
const known = knownWebhooks("validatingwebhookconfigurations");

/** Calls the webhooks at the same time, and throws the rejection of the first one in their order. */
async function reviewBy(webhooks: readonly KnownWebhook[], subject: Subject, context: RequestHookContext): Promise<undefined> {
  const request: ReviewedRequest = { subject, context, type: "validating", decisions: new DecisionTable() };
  const calls: { readonly webhook: KnownWebhook; readonly form: AdmissionForm }[] = [];
  for (const webhook of webhooks) {
    const form = await calledForm(webhook, request);
    if (form !== undefined) calls.push({ webhook, form });
  }
  const errors: (Error | undefined)[] = [], waiting = calls.entries();
  // Several loops run at the same time, and take calls from one iterator.
  const run = async (): Promise<void> => {
    for (const [index, { webhook, form }] of waiting) errors[index] = await errorOf(webhook, form, index, request);
  };
  await Promise.all(Array.from({ length: Math.min(calls.length, webhooksAtOnceMax) }, run));
  const error = errors.find((each) => each !== undefined);
  if (error !== undefined) throw error;
  return undefined;
}

async function errorOf(webhook: KnownWebhook, form: AdmissionForm, index: number, request: ReviewedRequest): Promise<Error | undefined> {
  const failedOpen = `failed-open.validating.webhook.admission.${request.context.names.domain}/round_0_index_${index}`;
  const end = await endOfCall(webhook, request, failedOpen, async () => rejectionOf(webhook, await verdictOf(webhook, form, request)));
  if (end.tag === "rejected") return end.error;
  return end.tag === "over" ? requestOver() : undefined;
}
