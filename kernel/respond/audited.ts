/** The results of verbs in audit events. */
import { encoder } from "../../core/derive/encode.ts";
import { Status as StatusSchema } from "../../core/meta/status.ts";
import type { Names } from "../../core/names.ts";
import { isObject, type Json, type JsonObject } from "../../core/schema.ts";
import { type Status, type StatusError, statusOf } from "../../core/status-error.ts";
import { compactJson } from "../../core/tree/compact-json.ts";
import { goJson } from "../../core/tree/json-text.ts";
import { jsonFromTree, readJson } from "../../core/tree/json.ts";
import type { AuditNotes } from "../../core/audit/notes.ts";
import type { Exchange, Reply } from "../request/exchange.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { RequestContext } from "../request-context.ts";
import { replyOf } from "./answer.ts";
import type { VerbResult } from "./result.ts";
import { plainText } from "./text.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of JSON of the response that one audit event records. Larger responses are left out, with an annotation. */
const auditResponseBytesMax = bound(16 * 1024 * 1024);

/** Records the result of a verb; at the level RequestResponse with the object or list as JSON, regardless of the client's encoding. */
export async function noteResult(call: RequestContext, audit: AuditNotes, result: VerbResult): Promise<void> {
  if (result.tag === "status") return noteStatus(audit, result.body);
  if (audit.level !== "RequestResponse" || result.tag === "feed") return;
  const text = await plainText(await replyOf(asJson(call), result), auditResponseBytesMax);
  if (text === undefined) return audit.annotate(`audit.${call.catalog.names.domain}/truncated`, "true");
  audit.responseObject(audit.omitsManagedFields && text.includes('"managedFields"') ? withoutOwners(text) : text.trimEnd());
}

/** Records a discovery document if the response is uncompressed JSON. */
export async function noteDiscovery(audit: AuditNotes, { prefix }: Pick<RequestInfo, "prefix">, reply: Reply): Promise<void> {
  if (audit.level !== "RequestResponse" || prefix === "" || reply.status !== 200 || reply.headers["content-encoding"] !== undefined) return;
  if (!String(reply.headers["content-type"]).startsWith("application/json")) return;
  if (typeof reply.body !== "string" && !(reply.body instanceof Uint8Array)) return;
  const text = await plainText(reply, auditResponseBytesMax);
  if (text !== undefined) audit.responseObject(compactJson(text));
}

/** Records an error as the client's Status. */
export function noteFailure(audit: AuditNotes, failure: StatusError): void {
  noteStatus(audit, statusOf(failure));
}

/** Records that the request used a deprecated version. */
export function noteDeprecation(audit: AuditNotes, { domain }: Names, removedRelease: string): void {
  audit.annotate(`${domain}/deprecated`, "true");
  if (removedRelease !== "") audit.annotate(`${domain}/removed-release`, removedRelease);
}

const encodeStatus = encoder(StatusSchema);
function noteStatus(audit: AuditNotes, status: Status): void {
  audit.responseStatus(status);
  if (audit.level === "RequestResponse") audit.responseObject(encodeStatus(status));
}

/** Returns the call with compact, uncompressed JSON as its output. */
function asJson(call: RequestContext): RequestContext {
  const { method, url, remote, protocol } = call.exchange;
  const { "accept-encoding": _, ...headers } = call.exchange.headers;
  const exchange: Exchange = {
    method,
    url,
    headers,
    remote,
    protocol,
    peer: undefined,
    get signal() {
      return call.exchange.signal;
    },
    body: (limit) => call.exchange.body(limit),
  };
  return { ...call, exchange, output: { ...call.output, encoding: "json" }, pretty: false };
}

/** An object, list or table without metadata.managedFields. */
function withoutOwners(text: string): string {
  const read = readJson(text);
  if (!read.ok) throw new Error(`our own JSON cannot be read: ${read.error}`);
  const value = jsonFromTree(read.tree);
  if (!isObject(value)) return goJson(value);
  const { items, rows } = value;
  return goJson({
    ...value,
    ...withoutOwnMetadata(value),
    ...(Array.isArray(items) ? { items: items.map(withoutOwn) } : {}),
    ...(Array.isArray(rows)
      ? { rows: rows.map((row) => isObject(row) ? { ...row, object: withoutOwn(row["object"] ?? null) } : row) }
      : {}),
  });
}
function withoutOwn(value: Json): Json {
  return isObject(value) ? { ...value, ...withoutOwnMetadata(value) } : value;
}
function withoutOwnMetadata({ metadata }: JsonObject): JsonObject {
  if (!isObject(metadata)) return {};
  const { managedFields: _, ...rest } = metadata;
  return { metadata: rest };
}
