/** Records the bodies of requests in audit events. */
import { encoder } from "../../../core/derive/encode.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { DeleteOptions } from "../../../core/meta/options.ts";
import type { Infer, Json } from "../../../core/schema.ts";
import { compactJson } from "../../../core/tree/compact-json.ts";
import { goJson, goString } from "../../../core/tree/json-text.ts";
import { readJson } from "../../../core/tree/json.ts";
import type { Endpoint } from "../../catalog/catalog.ts";
import type { RequestContext } from "../../request-context.ts";
import { logTextLengthMax } from "../../../core/bounds.ts";

/** Records the object that a request sent, in the version of `endpoint`. */
export function noteObject({ audit }: Pick<RequestContext, "audit">, endpoint: Endpoint, object: ApiObject): void {
  if (audit === undefined) return;
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = object.metadata;
  const named = { namespace, name, uid, resourceVersion };
  if (audit.level === "Metadata") return audit.requestObject(named, undefined);
  audit.requestObject(named, endpoint.encode(audit.omitsManagedFields ? withoutOwners(object) : object));
}

function withoutOwners(object: ApiObject): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Records a patch as it was sent. A text that is not JSON is recorded as a string. */
export function notePatch({ audit }: Pick<RequestContext, "audit">, body: Uint8Array): void {
  if (audit === undefined || audit.level === "Metadata") return;
  audit.requestObject(undefined, writtenJson(body) ?? goString(new TextDecoder().decode(body).slice(0, logTextLengthMax)));
}

function writtenJson(body: Uint8Array): string | undefined {
  return readJson(body).ok ? compactJson(new TextDecoder().decode(body)) : undefined;
}

/** Records the document of an apply as it was sent. A document in YAML or CBOR is recorded as JSON. */
export function noteApplied(
  { audit }: Pick<RequestContext, "audit">,
  body: Uint8Array,
  document: { readonly [key: string]: Json },
): void {
  if (audit === undefined || audit.level === "Metadata") return;
  audit.requestObject(undefined, writtenJson(body) ?? goJson(document));
}

const encodeOptions = encoder(DeleteOptions);
/** Records delete options that come from a body, in the internal version, as upstream. Options in the query are part of the event's URI. */
export function noteDeleteOptions(
  { audit, catalog }: Pick<RequestContext, "audit" | "catalog">,
  options: Infer<typeof DeleteOptions>,
): void {
  if (audit === undefined || audit.level === "Metadata") return;
  const type = { kind: "DeleteOptions", apiVersion: `meta.${catalog.names.domain}/__internal` };
  audit.requestObject(undefined, encodeOptions({ ...options, ...type }));
}
