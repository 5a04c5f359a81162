/** ConversionReview: the request to a conversion webhook and its response. The versions v1 and v1beta1 have the same members. */
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import { goJson } from "../../../core/tree/json-text.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { type Names, spell } from "../../../toolbox.ts";
import { jsonType } from "../../shared/go-type.ts";
import { kindMistake, reviewDocument } from "../../shared/review-document.ts";

/** Supported versions of ConversionReview. */
export const reviewVersions: readonly string[] = ["v1", "v1beta1"];

/**
 * Thrown for an answer that is no ConversionReview, or that the webhook has marked as a failure. `cause` is the value of the label
 * `failure_type`.
 */
export class ReviewError extends Error {
  readonly cause: "call" | "malformed";
  constructor(cause: "call" | "malformed", message: string) {
    super(message);
    this.cause = cause;
  }
}

const group = "apiextensions.{domain}";

/** Writes a review as JSON. */
export function writeReview(names: Names, version: string, uid: string, objects: readonly JsonObject[], desiredAPIVersion: string): string {
  return goJson({
    kind: "ConversionReview",
    apiVersion: `${spell(names, group)}/${version}`,
    request: { uid, desiredAPIVersion, objects },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  });
}

/** Returns the converted objects of an answer. `uid` is that of the request; as upstream, it is compared in v1 only. */
export function readReview(names: Names, version: string, uid: string, body: string): readonly Json[] {
  const review = documentOf(body);
  const mistake = kindMistake(review, { kind: "ConversionReview", group: spell(names, group), version }, reviewVersions);
  if (mistake !== undefined) throw new ReviewError("call", mistake.message);
  const { response } = review;
  if (response === undefined || response === null) throw new ReviewError("malformed", "no response provided");
  const { uid: answered, result, convertedObjects } = typedResponse(response);
  if (version === "v1" && answered !== uid) {
    throw new ReviewError("malformed", `expected response.uid=${goQuote(uid)}, got ${goQuote(answered)}`);
  }
  if (result.status !== "Success") {
    throw new ReviewError(
      "malformed",
      result.message !== "" ? result.message : `response.result.status was '${result.status}', not 'Success'`,
    );
  }
  return convertedObjects;
}

function documentOf(body: string): JsonObject {
  const read = reviewDocument(body);
  if (!read.ok) throw new ReviewError("call", read.error);
  return read.document;
}

interface Response {
  readonly uid: string;
  readonly result: { readonly status: string; readonly message: string };
  readonly convertedObjects: readonly Json[];
}

/** Reads the members of a response. An absent one has Go's zero value. */
function typedResponse(response: Json): Response {
  const wrong = (value: Json, path: string, type: string): ReviewError =>
    new ReviewError("call", `json: cannot unmarshal ${jsonType(value)} into Go struct field ${path} of type ${type}`);
  if (!isObject(response)) throw wrong(response, "ConversionReview.response", "v1.ConversionResponse");
  const { uid = "", result = {}, convertedObjects = [] } = response;
  if (typeof uid !== "string" && uid !== null) throw wrong(uid, "ConversionResponse.response.uid", "types.UID");
  if (!isObject(result) && result !== null) throw wrong(result, "ConversionResponse.response.result", "v1.Status");
  if (!Array.isArray(convertedObjects) && convertedObjects !== null) {
    throw wrong(convertedObjects, "ConversionResponse.response.convertedObjects", "[]runtime.RawExtension");
  }
  const { status = "", message = "" } = result ?? {};
  if (typeof status !== "string" && status !== null) throw wrong(status, "Status.response.result.status", "string");
  if (typeof message !== "string" && message !== null) throw wrong(message, "Status.response.result.message", "string");
  return {
    uid: uid ?? "",
    result: { status: status ?? "", message: message ?? "" },
    convertedObjects: (convertedObjects ?? []) as readonly Json[],
  };
}

/** Writes group, version and kind in Go's format. */
export function gvk(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
