/** Answers of webhooks: JSON documents of the kind of the request. Errors have upstream's words. */
import { isObject } from "../../core/json.ts";
import { jsonFromTree, readJson } from "../../core/tree/json.ts";
import type { JsonObject } from "../../plugin.ts";
import { goQuote, type Json } from "../../toolbox.ts";
import { jsonType } from "./go-type.ts";

export type ReviewDocument = { readonly ok: true; readonly document: JsonObject } | { readonly ok: false; readonly error: string };

/** The JSON object of an answer. */
export function reviewDocument(body: string): ReviewDocument {
  const read = readJson(body);
  if (!read.ok) return { ok: false, error: `couldn't get version/kind; json parse error: ${read.error}` };
  const value = jsonFromTree(read.tree);
  if (value === null) return { ok: true, document: {} };
  if (isObject(value)) return { ok: true, document: value };
  const fields = ["apiVersion", "kind"].map((name) => `${name === "kind" ? "Kind" : "APIVersion"} string "json:\\"${name},omitempty\\""`);
  const why = `json: cannot unmarshal ${jsonType(value)} into Go value of type struct { ${fields.join("; ")} }`;
  return { ok: false, error: `couldn't get version/kind; json parse error: ${why}` };
}

/** The kind that an answer must have. */
export interface ReviewKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

/** Why an answer has another kind: the decoder fails, or finds the kind missing, which v1 checks. */
export interface KindMistake {
  readonly tag: "unreadable" | "missing";
  readonly message: string;
}

/** `versions`: those that the server knows. */
export function kindMistake(document: JsonObject, expected: ReviewKind, versions: readonly string[]): KindMistake | undefined {
  const apiVersion = textOf(document["apiVersion"]), kind = textOf(document["kind"]), { group, version } = expected;
  if (kind === expected.kind && apiVersion === `${group}/${version}`) return undefined;
  if (apiVersion === "" || kind === "") {
    const got = apiVersion === "" ? "/" : apiVersion;
    return { tag: "missing", message: `expected webhook response of ${group}/${version}, Kind=${expected.kind}, got ${got}, Kind=${kind}` };
  }
  if (kind === expected.kind && versions.some((each) => apiVersion === `${group}/${each}`)) {
    const given = apiVersion.slice(group.length + 1);
    return { tag: "unreadable", message: `converting (${given}.${kind}) to (${version}.${kind}): unknown conversion` };
  }
  const about = `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}`;
  return { tag: "unreadable", message: `${about} in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"` };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
