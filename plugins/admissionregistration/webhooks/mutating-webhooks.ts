/** The admission step MutatingAdmissionWebhook: webhooks that may change objects, called one after another. */
import { DecisionTable } from "../../../cel/functions/authorizer/decisions.ts";

import type { Admission, ApiObject, RequestHookContext } from "../../../plugin.ts";
import { type AdmissionForm, goQuote, internalError, sameValue, type Subject, valueText } from "../../../toolbox.ts";
import {
  calledForm,
  CallError,
  callIfMatched,
  endOfCall,
  rejectionOf,
  requestOver,
  type ReviewedRequest,
  stepNames,
  verdictOf,
} from "./call.ts";
import { type KnownWebhook, knownWebhooks } from "./known-webhooks.ts";
import { annotatePatch, patchedObject, readPatch } from "./patch.ts";
import { WebhookRuns } from "./reinvocation.ts";
import type { Verdict } from "./review.ts";

export const mutatingWebhooks: Admission = {
  name: stepNames.admit,
  resources: "all",
  includesReviews: true,
  mutate: (next, prior, context) =>
    context.request.isAction
      ? next
      : admit({ operation: prior === undefined ? "CREATE" : "UPDATE", object: next, oldObject: prior }, context) as Changed,
  mutateAction: (request: ApiObject, _subresource, context) =>
    admit({ operation: context.request.action, object: request, oldObject: undefined }, context),
  // The request of an action may be absent, and there is then no object to change.
  refuseAction: (request: ApiObject | undefined, _subresource, context) =>
    request === undefined ? rejectOnly({ operation: context.request.action, object: undefined, oldObject: undefined }, context) : undefined,
  refuseDelete: (prior, context) => rejectOnly({ operation: "DELETE", object: undefined, oldObject: prior }, context),
};
/** The object of a request that has one. */
type Changed = ApiObject | Promise<ApiObject>;

async function rejectOnly(subject: Subject, context: RequestHookContext): Promise<undefined> {
  await admit(subject, context);
  return undefined;
}

/** Returns the object after all webhooks. Throws the first rejection. */
function admit(subject: Subject, context: RequestHookContext): Subject["object"] | Promise<Subject["object"]> {
  const reviewed = callIfMatched(known, subject, context, async (webhooks) => ({ object: await admitBy(webhooks, subject, context) }));
  return reviewed === undefined ? subject.object : reviewed.then((result) => result === undefined ? subject.object : result.object);
}
const known = knownWebhooks("mutatingwebhookconfigurations");

async function admitBy(webhooks: readonly KnownWebhook[], subject: Subject, context: RequestHookContext): Promise<Subject["object"]> {
  const { reinvocation } = context, runs = reinvocation.stateOf(mutatingWebhooks, () => new WebhookRuns());
  if (reinvocation.isSecondRun) runs.beginSecond(subject.object);
  const decisions = new DecisionTable();
  let { object } = subject;
  for (const webhook of webhooks) {
    const request: ReviewedRequest = { subject: { ...subject, object }, context, type: "admit", decisions };
    const form = await calledForm(webhook, request);
    // A webhook that was not called in the first run is not called in the second.
    if (form === undefined || reinvocation.isSecondRun && !runs.isDue(webhook.id)) continue;
    const next = await changeBy(webhook, form, request);
    const isChanged = next !== object && !sameValue(next, object);
    if (isChanged) {
      runs.changed();
      reinvocation.request();
    }
    if (webhook.webhook.reinvocationPolicy === "IfNeeded") runs.called(webhook.id);
    object = next;
  }
  runs.end(object);
  return object;
}

/** Returns the object after one webhook. Throws the rejection of the request. */
async function changeBy(webhook: KnownWebhook, form: AdmissionForm, request: ReviewedRequest): Promise<Subject["object"]> {
  const { context, subject: { object } } = request, { names: { domain }, reinvocation, annotate } = context;
  const place = `round_${reinvocation.isSecondRun ? 1 : 0}_index_${webhook.index}`;
  const keys = { mutation: `mutation.webhook.admission.${domain}/${place}`, patch: `patch.webhook.admission.${domain}/${place}` };
  let next = object;
  const end = await endOfCall(webhook, request, `failed-open.${keys.mutation}`, async () => {
    const verdict = await verdictOf(webhook, form, request);
    const rejection = rejectionOf(webhook, verdict);
    if (rejection === undefined) next = await patchBy(webhook, form, verdict, request, keys.patch);
    return rejection;
  });
  const { configuration, webhook: { name } } = webhook;
  annotate(keys.mutation, valueText({ configuration, webhook: name, mutated: next !== object && !sameValue(next, object) }));
  if (end.tag === "rejected") throw end.error;
  if (end.tag === "over") throw requestOver();
  return next;
}

async function patchBy(
  { configuration, webhook: { name } }: KnownWebhook,
  form: AdmissionForm,
  { patch, patchType }: Verdict,
  { subject: { object }, context }: ReviewedRequest,
  annotation: string,
): Promise<Subject["object"]> {
  const operations = patch === undefined ? [] : context.request.bounded(() => readPatch(patch));
  if (operations.length === 0 || patch === undefined) return object;
  if (object === undefined) {
    const why = "attempted to modify the object, which is not supported for this operation";
    throw internalError(`admission webhook ${goQuote(name)} ${why}`);
  }
  if (patchType !== "JSONPatch") throw new CallError(`unsupported patch type ${goQuote(patchType)}`, 400);
  const next = context.request.bounded(() => patchedObject(form, object, operations));
  annotatePatch(context, annotation, { configuration, webhook: name }, patch);
  return form.restored === undefined ? next : await form.restored(next);
}
