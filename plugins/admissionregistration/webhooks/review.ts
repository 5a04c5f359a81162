/** AdmissionReview: the request to an admission webhook and its answer. The versions v1 and v1beta1 have the same members. */
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";

import { goJson } from "../../../core/tree/json-text.ts";
import { parseBase64 } from "../../../core/scalars/base64.ts";
import { Unreadable } from "../../../core/scalars/unreadable.ts";
import { bytesOf, goQuote, type Names, spell } from "../../../toolbox.ts";
import { jsonType } from "../../shared/go-type.ts";
import { kindMistake, reviewDocument } from "../../shared/review-document.ts";
import { reviewVersions } from "../validate/webhook.ts";

const group = "admission.{domain}";

/**
 * Writes a review as JSON. `request` has its members as expressions see them; `object` and `oldObject` are JSON texts, `null` if there is
 * none.
 */
export function writeReview(
  names: Names,
  version: string,
  uid: string,
  { object: _object, oldObject: _oldObject, dryRun, options, ...request }: JsonObject,
  { object, oldObject }: { readonly object: string; readonly oldObject: string },
): string {
  const head = goJson({ ...request, uid }).slice(0, -1), tail = goJson({ dryRun: dryRun!, options: options! }).slice(1);
  const about = `"kind":"AdmissionReview","apiVersion":"${spell(names, group)}/${version}"`;
  return `{${about},"request":${head},"object":${object},"oldObject":${oldObject},${tail}}`;
}

/** The Status of a rejection, as the webhook has sent it. */
export interface SentStatus {
  readonly code: number;
  readonly message: string;
  readonly reason: string;
  readonly details: JsonObject | undefined;
}

export interface Verdict {
  readonly allowed: boolean;
  /** The JSON patch; undefined if there is none. */
  readonly patch: Uint8Array | undefined;
  readonly patchType: string;
  readonly result: SentStatus | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** Thrown if an answer cannot be used. `message` is the reason in upstream's words. */
export class AnswerError extends Error {}

/** Throws an AnswerError unless the body is the answer to the review with this uid. */
export function readAnswer(
  names: Names,
  body: string,
  { version, uid, mayPatch }: { readonly version: string; readonly uid: string; readonly mayPatch: boolean },
): Verdict {
  const read = reviewDocument(body);
  if (!read.ok) throw unreadable(read.error);
  const mistake = kindMistake(read.document, { kind: "AdmissionReview", group: spell(names, group), version }, reviewVersions);
  if (mistake?.tag === "unreadable") throw unreadable(mistake.message);
  const { response = null } = read.document;
  const answer = response === null ? undefined : typedResponse(response);
  if (answer === undefined) throw wrong("webhook response was absent");
  if (version === "v1") {
    if (answer.uid !== uid) throw wrong(`expected response.uid=${goQuote(uid)}, got ${goQuote(answer.uid)}`);
    if (mistake !== undefined) throw wrong(mistake.message);
    checkPatch(answer, mayPatch);
  }
  const { allowed, result, warnings, auditAnnotations, patch } = answer;
  // As in upstream, patches of v1beta1 have one type, whatever the answer says.
  const patchType = version === "v1" ? answer.patchType ?? "" : "JSONPatch";
  return { allowed, result, warnings, auditAnnotations, patch: mayPatch ? patch : undefined, patchType };
}

function unreadable(why: string): AnswerError {
  return new AnswerError(`failed to call webhook: ${why}`);
}
function wrong(why: string): AnswerError {
  return new AnswerError(`received invalid webhook response: ${why}`);
}

/** Checks that patch and type come together, and only from mutating webhooks. */
function checkPatch({ patch, patchType }: Answer, mayPatch: boolean): void {
  if (!mayPatch) {
    if (patch !== undefined) throw wrong("validating webhook may not return response.patch");
    if (patchType !== undefined) throw wrong("validating webhook may not return response.patchType");
    return;
  }
  if (patch !== undefined && patchType === undefined) throw wrong("webhook returned response.patch but not response.patchType");
  if (patch === undefined && patchType !== undefined) throw wrong("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw wrong('webhook returned invalid response.patchType of ""');
}

interface Answer {
  readonly uid: string;
  readonly allowed: boolean;
  readonly result: SentStatus | undefined;
  readonly patch: Uint8Array | undefined;
  readonly patchType: string | undefined;
  readonly auditAnnotations: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** Returns the error of Go's decoder for a value of the wrong type. */
function mismatch(value: Json, path: string, type: string): AnswerError {
  return unreadable(`json: cannot unmarshal ${jsonType(value)} into Go struct field ${path} of type ${type}`);
}

/** Reads the members of an answer. An absent one has Go's zero value. */
function typedResponse(response: Json): Answer {
  if (!isObject(response)) throw mismatch(response, "AdmissionReview.response", "v1.AdmissionResponse");
  const at = (name: string) => `AdmissionResponse.response.${name}`;
  const { uid = null, allowed = null, status = null, patch = null, patchType = null, auditAnnotations = null, warnings = null } = response;
  if (allowed !== null && typeof allowed !== "boolean") throw mismatch(allowed, at("allowed"), "bool");
  return {
    uid: text(uid, at("uid"), "types.UID"),
    allowed: allowed ?? false,
    result: status === null ? undefined : sentStatus(status),
    patch: patchOf(patch, at("patch")),
    patchType: patchType === null ? undefined : text(patchType, at("patchType"), "v1.PatchType"),
    auditAnnotations: textsByKey(auditAnnotations, at("auditAnnotations")),
    warnings: texts(warnings, at("warnings")),
  };
}

function text(value: Json, path: string, type: string): string {
  if (value === null) return "";
  if (typeof value !== "string") throw mismatch(value, path, type);
  return value;
}

function texts(value: Json, path: string): readonly string[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw mismatch(value, path, "[]string");
  return (value as readonly Json[]).map((each) => text(each, path, "string"));
}

function textsByKey(value: Json, path: string): Readonly<Record<string, string>> {
  if (value === null) return {};
  if (!isObject(value)) throw mismatch(value, path, "map[string]string");
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, text(each ?? null, path, "string")]));
}

function patchOf(value: Json, path: string): Uint8Array | undefined {
  const base64 = parseBase64(text(value, path, "[]uint8"));
  if (base64 instanceof Unreadable) throw unreadable(base64.error);
  return base64 === "" ? undefined : bytesOf(base64);
}

function sentStatus(value: Json): SentStatus {
  if (!isObject(value)) throw mismatch(value, "AdmissionResponse.response.status", "v1.Status");
  const at = (name: string) => `Status.response.status.${name}`;
  const { code = null, message = null, reason = null, details = null } = value;
  if (code !== null && (typeof code !== "number" || !Number.isInteger(code))) throw mismatch(code, at("code"), "int32");
  if (details !== null && !isObject(details)) throw mismatch(details, at("details"), "v1.StatusDetails");
  return {
    code: code ?? 0,
    message: text(message, at("message"), "string"),
    reason: text(reason, at("reason"), "v1.StatusReason"),
    details: details ?? undefined,
  };
}
