/** Makes one call of a webhook: it sends the review, reads the answer, and records both. */

import { MovedWork } from "../../../core/budget.ts";
import type { DecisionTable } from "../../../cel/functions/authorizer/decisions.ts";
import { prepareForm } from "../../../core/admission/attributes.ts";
import { AuthorizerValue, ResourceCheck } from "../../../cel/functions/authorizer/authorizer.ts";
import { badRequestError, forbiddenError, type RequestHookContext, StatusError } from "../../../plugin.ts";
import {
  type AdmissionForm,
  attributesOf,
  type AuthorizationDecision,
  coveredForm,
  goQuote,
  internalError,
  qualifiedName,
  type RuleIndex,
  spell,
  type Subject,
} from "../../../toolbox.ts";
import { type ConditionSeries, recordConditions, recordExclusion } from "../conditions/metrics.ts";
import { measuredConditions } from "../conditions/match-conditions.ts";
import { requestJson } from "../policies/request.ts";
import { harmlessSideEffects } from "../schema.ts";
import { reviewVersions } from "../validate/webhook.ts";
import type { KnownWebhook } from "./known-webhooks.ts";
import { type CallType, recordCall, recordFailOpen, recordRejection, type WebhookSeries } from "./metrics.ts";
import { rejection } from "./rejection.ts";
import { AnswerError, readAnswer, type Verdict, writeReview } from "./review.ts";

/** Kinds that no webhook covers. Otherwise a webhook could prevent its own removal. */
const exempt: ReadonlySet<string> = new Set([
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

/** Runs `review` with the webhooks that may cover the request; undefined if there are none. */
export async function callIfMatched<T>(
  known: (context: RequestHookContext) => RuleIndex<KnownWebhook> | Promise<RuleIndex<KnownWebhook>>,
  subject: Subject,
  context: RequestHookContext,
  review: (webhooks: readonly KnownWebhook[]) => Promise<T>,
): Promise<T | undefined> {
  if (isExempt(context)) return undefined;
  const { request: { form, forms }, subresource } = context;
  const index = await known(context);
  const webhooks = index.candidates({ operation: subject.operation, form, subresource, equivalents: forms });
  return webhooks.length === 0 ? undefined : await review(webhooks);
}

function isExempt({ resource: { group, plural }, names }: RequestHookContext): boolean {
  return exempt.has(plural) && group === spell(names, "admissionregistration.{domain}");
}

/** The request of a hook, as it is reviewed by the webhooks of one kind. */
export interface ReviewedRequest {
  readonly subject: Subject;
  readonly context: RequestHookContext;
  readonly type: CallType;
  /** The decisions of the authorizer that conditions have asked for. */
  readonly decisions: DecisionTable;
}

/**
 * Returns the form of the resource in which the request is sent to the webhook; undefined if the webhook is not called. An error that does
 * not reject the request is logged with the name of the webhook, and its failure policy decides. Other webhooks go on.
 */
export async function calledForm(known: KnownWebhook, request: ReviewedRequest): Promise<AdmissionForm | undefined> {
  try {
    return await matchedForm(known, request);
  } catch (error) {
    if (error instanceof StatusError || error instanceof MovedWork) throw error;
    const { name, failurePolicy } = known.webhook;
    request.context.server.failed(`webhook ${name}`, error);
    if (failurePolicy === "Ignore") return undefined;
    throw internalError(`failed calling webhook ${goQuote(name)}: ${unexpected}`);
  }
}
const unexpected = "the call met an unexpected condition, see the log of the server";

async function matchedForm({ webhook, conditions }: KnownWebhook, request: ReviewedRequest): Promise<AdmissionForm | undefined> {
  const { rules = [], matchPolicy, namespaceSelector, objectSelector } = webhook, { subject, context } = request;
  if (rules.length === 0) return undefined;
  const attributes = attributesOf(subject, context);
  const match = {
    resourceRules: rules,
    ...(matchPolicy === undefined ? {} : { matchPolicy }),
    ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
    ...(objectSelector === undefined ? {} : { objectSelector }),
  };
  const form = await coveredForm(match, attributes) as AdmissionForm | undefined; // it is one of the forms of `attributes`
  if (form !== undefined) await prepareForm(form, subject);
  const compiled = form === undefined ? undefined : conditions();
  if (form === undefined || compiled === undefined) return form;
  const { access, caller } = context, { subresource, namespace, name, operation } = attributes;
  const authorizer = new AuthorizerValue(caller, request.decisions);
  const jsonOf = (object: Subject["object"]) => object === undefined ? null : form.json(object);
  const input = {
    object: jsonOf(subject.object),
    oldObject: jsonOf(subject.oldObject),
    request: requestJson(attributes, form, context),
    namespaceObject: null,
    authorizer,
    requestResource: new ResourceCheck(authorizer, { group: form.group, resource: form.resource, subresource, namespace, name }),
  };
  const measured = (await request.decisions.evaluate(
    () => measuredConditions(context.request.expressions, compiled, input),
    async ({ user, attributes: checked }): Promise<AuthorizationDecision> => await access.authorize(user, checked),
  ))!; // the webhook has conditions
  const { result } = measured;
  const isExcluded = result.tag === "excluded" || result.tag === "failed" && webhook.failurePolicy === "Ignore";
  const series: ConditionSeries = { kind: "webhook", name: webhook.name, type: request.type, operation };
  recordConditions(context, series, measured);
  if (isExcluded) {
    recordExclusion(context, series);
    return undefined;
  }
  if (result.tag === "failed") throw forbiddenError({ group: context.resource.group, name: context.resource.plural }, name, result.message);
  return form;
}

/** Thrown if the call has failed; the failure policy of the webhook then decides. `code` is that of the error, for metrics. */
export class CallError extends Error {
  readonly code: number;
  readonly isRequestOver: boolean;
  constructor(message: string, code: number, isRequestOver = false) {
    super(message);
    this.code = code;
    this.isRequestOver = isRequestOver;
  }
}

/**
 * Sends the request to the webhook and returns its verdict, which may be a rejection.
 *
 * @throws {CallError} if the webhook cannot be called or its answer cannot be used
 * @throws {StatusError} for a dry run that the webhook does not support, and if too many calls wait for the webhook
 */
export async function verdictOf({ webhook, address }: KnownWebhook, form: AdmissionForm, request: ReviewedRequest): Promise<Verdict> {
  const { name, sideEffects, admissionReviewVersions, timeoutSeconds = defaultTimeoutSeconds } = webhook;
  const { context, subject, type } = request, { names, server } = context;
  if (context.isDryRun && !(harmlessSideEffects as readonly unknown[]).includes(sideEffects)) {
    if (sideEffects === undefined || sideEffects === null) throw new CallError("Webhook SideEffects is nil", 400);
    throw badRequestError(`admission webhook ${goQuote(name)} does not support dry run`);
  }
  const version = admissionReviewVersions.find((each) => reviewVersions.includes(each));
  if (version === undefined) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new CallError(`could not create admission objects: ${why}`, 400);
  }
  const uid = crypto.randomUUID(), textOf = (object: Subject["object"]) => object === undefined ? "null" : form.text(object);
  const about = requestJson(attributesOf(subject, context), form, context);
  const review = writeReview(names, version, uid, about, { object: textOf(subject.object), oldObject: textOf(subject.oldObject) });
  const outcome = await server.callWebhook({ webhook: address(), json: review, timeoutMs: timeoutSeconds * 1000, step: stepNames[type] });
  if (outcome.tag === "busy") {
    const details = { retryAfterSeconds: 1 };
    throw new StatusError("TooManyRequests", `too many requests wait for the admission webhook ${goQuote(name)}`, { details });
  }
  if (outcome.tag === "failed") {
    throw new CallError(`failed to call webhook: ${outcome.message}`, outcome.code, outcome.isRequestOver);
  }
  try {
    const verdict = readAnswer(names, outcome.body, { version, uid, mayPatch: type === "admit" });
    publish(name, verdict, context);
    return verdict;
  } catch (error) {
    if (error instanceof AnswerError) throw new CallError(error.message, 503);
    throw error;
  }
}
/** The names of the admission steps, by type of webhook. */
export const stepNames: Readonly<Record<CallType, string>> = Object.freeze({
  admit: "MutatingAdmissionWebhook",
  validating: "ValidatingAdmissionWebhook",
});
/** Seconds. Only configurations of older releases have no timeout. */
const defaultTimeoutSeconds = 30;

/** Adds the audit annotations and warnings of the webhook. An annotation with an invalid key is left out. */
function publish(webhook: string, { auditAnnotations, warnings }: Verdict, { annotate, warn }: RequestHookContext): void {
  for (const [key, value] of Object.entries(auditAnnotations)) {
    if (!key.includes("/") && qualifiedName(`${webhook}/${key}`).length === 0) annotate(`${webhook}/${key}`, value);
  }
  for (const text of warnings) warn(text);
}

/** The outcome of a call of a webhook. */
export type CallEnd =
  | { readonly tag: "admitted" }
  | { readonly tag: "ignored" }
  /** The request has ended, so nothing continues. */
  | { readonly tag: "over" }
  | { readonly tag: "rejected"; readonly error: Error };

/**
 * Runs a call and records its metrics. The failure policy decides whether a failed call is ignored or rejects the request.
 *
 * @param failedOpen the key of the audit annotation that records an ignored failure
 */
export async function endOfCall(
  { webhook: { name, failurePolicy } }: KnownWebhook,
  { context, type, subject: { operation } }: ReviewedRequest,
  failedOpen: string,
  run: () => Promise<StatusError | undefined>,
): Promise<CallEnd> {
  const series: WebhookSeries = { name, type, operation }, begun = performance.now();
  const record = (code: number, isRejected: boolean) => recordCall(context, series, (performance.now() - begun) / 1000, code, isRejected);
  try {
    const rejected = await run();
    if (rejected === undefined) {
      record(200, false);
      return { tag: "admitted" };
    }
    recordRejection(context, series, "no_error", rejected.code);
    record(rejected.code, true);
    return { tag: "rejected", error: rejected };
  } catch (thrown) {
    if (thrown instanceof MovedWork) throw thrown;
    const isKnown = thrown instanceof CallError || thrown instanceof StatusError;
    if (!isKnown) context.server.failed(`webhook ${name}`, thrown);
    const error = isKnown ? thrown : new CallError(unexpected, 500);
    if (!(error instanceof CallError)) {
      recordRejection(context, series, "apiserver_internal_error", 0);
      record(0, true);
      return { tag: "rejected", error };
    }
    const ignores = failurePolicy === "Ignore";
    if (!ignores && !error.isRequestOver) recordRejection(context, series, "calling_webhook_error", error.code);
    record(error.code, !ignores);
    if (!ignores) return { tag: "rejected", error: internalError(`failed calling webhook ${goQuote(name)}: ${error.message}`) };
    if (error.isRequestOver) return { tag: "over" };
    recordFailOpen(context, series);
    context.annotate(failedOpen, name);
    return { tag: "ignored" };
  }
}

/** Returns the rejection of a verdict; undefined if it admits the request. */
export function rejectionOf({ webhook: { name } }: KnownWebhook, { allowed, result }: Verdict): StatusError | undefined {
  return allowed ? undefined : rejection(name, result);
}

/** Returns the error of a request whose time is over. As in upstream, it is a 504. */
export function requestOver(): StatusError {
  return new StatusError("Timeout", "Timeout: request did not complete within requested timeout", { details: {} });
}
