/** ImageReview of `imagepolicy.{domain}/v1alpha1`: the question to the webhook, and its answer. */
import { goQuote, type Json, type Names, spell } from "../../../../toolbox.ts";
import { bound } from "../../../../core/bound.ts";
import { isObject, type JsonObject } from "../../../../core/json.ts";
import { goJson } from "../../../../core/tree/json-text.ts";
import { jsonType } from "../../../shared/go-type.ts";
import { reviewDocument } from "../../../shared/review-document.ts";
import type { Pod } from "../../pod-schema.ts";

/** UTF-16 units of an answer: it is read in one turn of the event loop, and little of it is kept. */
export const imageReviewLengthMax = bound(524_288);
/** UTF-16 units of the reason of an answer; the rest is cut off. */
export const imageReasonLengthMax = bound(4_096);
/** Audit annotations of one answer; others are left out. */
export const imageAnnotationsMax = bound(100);
/** UTF-16 units of the audit annotations of one answer, keys included; those beyond it are left out. */
export const imageAnnotationsLengthMax = bound(65_536);

const group = "imagepolicy.{domain}", version = "v1alpha1", kind = "ImageReview";

/** The spec of a review as JSON. `subresource` is "" or `ephemeralcontainers`, for which the images of those containers are sent alone. */
export function reviewSpec({ metadata: { annotations = {} }, spec }: Pod, subresource: string, namespace: string, names: Names): string {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const images = (subresource === "" ? [...containers, ...initContainers] : ephemeralContainers).map(({ image = "" }): JsonObject =>
    image === "" ? {} : { image }
  );
  const mark = spell(names, ".image-policy.{domain}/");
  const own = Object.keys(annotations).filter((key) => key.includes(mark)).sort().map((key) => [key, annotations[key]!] as const);
  return goJson({
    ...(images.length === 0 ? {} : { containers: images }),
    ...(own.length === 0 ? {} : { annotations: Object.fromEntries(own) }),
    ...(namespace === "" ? {} : { namespace }),
  });
}

/** The review as JSON. */
export function reviewText(spec: string, names: Names): string {
  return `{"kind":"${kind}","apiVersion":"${spell(names, group)}/${version}","metadata":{},"spec":${spec},"status":{"allowed":false}}`;
}

export interface ImageAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: readonly (readonly [key: string, value: string])[];
  /** UTF-16 units of its texts. */
  readonly length: number;
}

export type ReadAnswer = { readonly ok: true; readonly answer: ImageAnswer } | { readonly ok: false; readonly error: string };

/** Reads an answer. Absent members have Go's zero values; errors have the words of kube-apiserver's decoder. */
export function readAnswer(body: string, names: Names): ReadAnswer {
  if (body.length > imageReviewLengthMax) return { ok: false, error: `the answer is longer than ${imageReviewLengthMax}` };
  const read = reviewDocument(body);
  if (!read.ok) return read;
  const { kind: givenKind = null, apiVersion: givenVersion = null, status = null } = read.document;
  const wrongKind = kindError(givenKind, givenVersion, names);
  if (wrongKind !== undefined) return { ok: false, error: wrongKind };
  if (status !== null && !isObject(status)) return mismatch(status, "ImageReview.status", "v1alpha1.ImageReviewStatus");
  const { allowed = null, reason = null, auditAnnotations = null } = status ?? {};
  if (allowed !== null && typeof allowed !== "boolean") return mismatch(allowed, "ImageReviewStatus.status.allowed", "bool");
  if (reason !== null && typeof reason !== "string") return mismatch(reason, "ImageReviewStatus.status.reason", "string");
  if (auditAnnotations !== null && !isObject(auditAnnotations)) {
    return mismatch(auditAnnotations, "ImageReviewStatus.status.auditAnnotations", "map[string]string");
  }
  const entries = Object.entries(auditAnnotations ?? {});
  const wrong = entries.find(([, value]) => typeof value !== "string" && value !== null);
  if (wrong !== undefined) return mismatch(wrong[1] ?? null, "ImageReviewStatus.status.auditAnnotations", "string");
  const annotations = bounded(entries.map(([key, value]) => [key, typeof value === "string" ? value : ""]));
  const text = (reason ?? "").slice(0, imageReasonLengthMax);
  const length = text.length + annotations.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return { ok: true, answer: { allowed: allowed ?? false, reason: text, auditAnnotations: annotations, length } };
}

function mismatch(value: Json, path: string, type: string): ReadAnswer {
  return { ok: false, error: `json: cannot unmarshal ${jsonType(value)} into Go struct field ${path} of type ${type}` };
}

function bounded(entries: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] {
  const kept: (readonly [string, string])[] = [];
  let length = 0;
  for (const entry of entries.slice(0, imageAnnotationsMax)) {
    length += entry[0].length + entry[1].length;
    if (length <= imageAnnotationsLengthMax) kept.push(entry);
  }
  return kept;
}

/** As upstream, an answer may leave out its kind and version. */
function kindError(given: Json, apiVersion: Json, names: Names): string | undefined {
  const expected = `${spell(names, group)}/${version}`;
  const found = typeof given === "string" && given !== "" ? given : kind;
  const foundIn = typeof apiVersion === "string" && apiVersion !== "" ? apiVersion : expected;
  if (found === kind && foundIn === expected) return undefined;
  return `no kind ${goQuote(found.slice(0, nameLengthMax))} is registered for version ${
    goQuote(foundIn.slice(0, nameLengthMax))
  } in scheme ${goQuote(scheme)}`;
}
/** UTF-16 units of a kind or version in an error. */
const nameLengthMax = 253;
const scheme = "pkg/api/legacyscheme/scheme.go:30";
