/** The form of the objects in a reply, which the client has negotiated: they are sent whole, as their metadata, or as rows of a table. */
import { fieldErrorText, invalid } from "../../core/field-error.ts";
import { badRequestError, StatusError } from "../../core/status-error.ts";
import { packageOf } from "../catalog/known-kinds.ts";
import { isStoredForm } from "../objects/served.ts";
import type { RequestContext } from "../request-context.ts";

export type Form =
  | { readonly as: "object" }
  /** `version`: that of the meta group. */
  | { readonly as: "metadata"; readonly version: string }
  | { readonly as: "table"; readonly version: string; readonly include: Include };

/** The part of the object that each row of a table includes. */
export type Include = "None" | "Metadata" | "Object";

/** The content of a reply. */
export type Content = "object" | "list" | "watch";

const whole: Form = { as: "object" };

/**
 * The form of the objects in a reply. Undefined for a watch that asks for a list of metadata: upstream cannot write its events.
 *
 * @throws StatusError 406 for metadata of the wrong one of a list and an object; 400 for an unknown `includeObject`
 */
export function formOf(call: RequestContext, content: "object" | "list"): Form;
export function formOf(call: RequestContext, content: Content): Form | undefined;
export function formOf(call: RequestContext, content: Content): Form | undefined {
  const { transform } = call.output;
  switch (transform.as) {
    case "object":
      return whole;
    case "Table":
      return { as: "table", version: transform.version, include: includeOf(call) };
    case "PartialObjectMetadata":
      if (content === "list") throw notAcceptable(call, transform.as, content);
      return { as: "metadata", version: transform.version };
    case "PartialObjectMetadataList":
      if (content === "object") throw notAcceptable(call, transform.as, content);
      return content === "watch" ? undefined : { as: "metadata", version: transform.version };
  }
}

/** Whether the JSON of each object is the stored text as it is. */
export function isStoredText({ endpoint, pretty, output: { encoding } }: RequestContext, form: Form): boolean {
  return form.as === "object" && encoding === "json" && !pretty && isStoredForm(endpoint);
}

function notAcceptable({ endpoint }: RequestContext, asked: string, content: "object" | "list"): StatusError {
  const kind = `*${packageOf(endpoint.stored.group)}.${content === "list" ? endpoint.listKind : endpoint.kind}`;
  const is = content === "list" ? "a list" : "not a list";
  return new StatusError("NotAcceptable", `you requested ${asked}, but the requested object is ${is} (${kind})`);
}

function includeOf(call: RequestContext): Include {
  const asked = call.info.query.first("includeObject");
  if (asked === "") return "Metadata";
  if (asked === "None" || asked === "Metadata" || asked === "Object") return asked;
  const why = fieldErrorText({ ...invalid("includeObject", asked, "must be 'Metadata', 'Object', 'None', or empty"), quoted: "json" });
  throw badRequestError(`Unable to convert to Table as requested: ${why}`);
}
