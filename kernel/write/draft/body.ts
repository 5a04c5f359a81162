/** Decodes a body to an object of the request's version, checks it against the URL and applies defaults. */
import type { CborItem } from "../../../core/codec/cbor/item.ts";
import { CborFailure } from "../../../core/codec/cbor/failure.ts";
import { diagnosticOf } from "../../../core/codec/cbor/diagnostic.ts";
import { readCbor } from "../../../core/codec/cbor/read.ts";
import { objectOfCbor } from "../../../core/codec/cbor/untyped.ts";
import { bodyEncoding, type Encoding, unsupportedMediaType } from "../../../core/codec/negotiate.ts";
import { readEnvelope } from "../../../core/codec/protobuf.ts";
import { DecodeError, type DecodeReport } from "../../../core/derive/decode.ts";
import { protobufReader } from "../../../core/derive/protobuf.ts";
import { terminatingReason } from "../../../core/definition/resource.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import { invalid } from "../../../core/field-error.ts";
import { badRequestError, forbiddenError, invalidError, StatusError } from "../../../core/status-error.ts";
import type { Json } from "../../../core/schema.ts";
import { readJson, treeFromJson } from "../../../core/tree/json.ts";
import { type Read, type Tree, TreeObject } from "../../../core/tree/tree.ts";
import { readYaml } from "../../../core/tree/yaml.ts";
import { type RequestContext, runInBudget } from "../../request-context.ts";
import { header } from "../../request/exchange.ts";
import type { Endpoint } from "../../catalog/catalog.ts";
import type { FieldValidation } from "../../request/options.ts";
import { checkType, unhandledError } from "../../catalog/known-kinds.ts";
import { noteObject } from "./audited.ts";
import { orRefuse, reportFindings } from "./patch.ts";
import { typeOf, typeOfCbor } from "../../../core/derive/document-type.ts";

/**
 * Reads the object that a create or update has sent, in the request's version, with defaults.
 *
 * @param shown the same request with the endpoint of the body's kind, where a subresource has its own
 */
export function readBody(call: RequestContext, validation: FieldValidation, shown = call): ApiObject {
  const { endpoint, catalog } = shown;
  const encoding = bodyEncoding(header(call.exchange, "content-type"), catalog.media);
  if (encoding === "protobuf" && endpoint.resource.custom) {
    throw unsupportedMediaType(catalog.media.types.filter((_, index) => catalog.media.encodings[index] !== "protobuf"));
  }
  const object = runInBudget(call, () => endpoint.applyDefaults(decodeBody(call.body, encoding, shown, validation)));
  if (call.audit !== undefined) noteObject(call, endpoint, object);
  return object;
}

/** Reads an object that a caller in the process wants to create, in the request's version, with defaults. Its fields are not reported. */
export function readValue(call: RequestContext, value: Json): ApiObject {
  const { endpoint } = call, { kind = "", apiVersion = "" } = value as Partial<ApiObject>; // the object of a create
  checkType(call.catalog, endpoint, kind, apiVersion);
  return runInBudget(call, () => endpoint.applyDefaults(decodedTree(endpoint, treeFromJson(value), { reader: "json", findings: [] })));
}

function decodeBody(bytes: Uint8Array, encoding: Encoding, shown: RequestContext, validation: FieldValidation): ApiObject {
  if (encoding === "protobuf") return fromProtobuf(bytes, shown);
  return encoding === "cbor" ? fromCbor(bytes, shown, validation) : fromText(bytes, encoding, shown, validation);
}

/** Returns upstream's excerpt of a body that it does not recognise: the beginning, in hexadecimal unless it looks like a JSON object. */
function excerptOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const head = bytes.subarray(0, 30);
  const text = looksLikeObject(bytes) ? new TextDecoder().decode(head) : hexText(head);
  return bytes.length > 30 ? `${text} ...` : text;
}
const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hexText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexOfByte[byte];
  return text;
}
function looksLikeObject(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  return first === 0x7b;
}

function unrecognisedError(endpoint: Endpoint, why: string, bytes: Uint8Array): Error {
  return badRequestError(`the object provided is unrecognized (must be of type ${endpoint.kind}): ${why} (${excerptOf(bytes)})`);
}
function fromProtobuf(bytes: Uint8Array, call: RequestContext): ApiObject {
  const { endpoint, catalog } = call;
  let envelope: ReturnType<typeof readEnvelope>;
  try {
    envelope = readEnvelope(bytes);
  } catch (error) {
    throw unrecognisedError(endpoint, reasonOf(error), bytes);
  }
  checkType(catalog, endpoint, envelope.kind, envelope.apiVersion);
  try {
    const object = protobufReader(endpoint.schema)(envelope.raw) as ApiObject;
    return { ...object, kind: endpoint.kind, apiVersion: endpoint.apiVersion };
  } catch (error) {
    throw unhandledError(endpoint.kind, endpoint.version, endpoint, reasonOf(error));
  }
}

function fromCbor(bytes: Uint8Array, call: RequestContext, validation: FieldValidation): ApiObject {
  const { endpoint, catalog } = call;
  const refuse = (why: string) => unhandledError(endpoint.kind, endpoint.version, endpoint, why);
  const { item, kind, apiVersion } = recognisedCbor(bytes, (why) => unrecognisedError(endpoint, why, bytes));
  if (endpoint.resource.custom) checkCustomCbor(call, item, { kind, apiVersion }, bytes);
  checkType(catalog, endpoint, kind, apiVersion);
  const findings: string[] = [];
  const object = orRefuse(() => endpoint.decodeCbor(item, validation === "Ignore" ? undefined : findings), refuse);
  reportFindings(call, findings, validation, refuse);
  if (endpoint.resource.custom && kind !== endpoint.kind) throw wrongKind(call, kind, object);
  return { ...object, kind: endpoint.kind, apiVersion: endpoint.apiVersion };
}

/** Checks a custom resource in CBOR. It must have a kind and an apiVersion; its values are decoded before these are checked. */
function checkCustomCbor(
  { endpoint }: RequestContext,
  item: CborItem,
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  bytes: Uint8Array,
): void {
  const failure = kind !== "" && apiVersion !== "" ? undefined : objectOfCbor(item);
  const why = failure instanceof CborFailure
    ? failure.text
    : kind === ""
    ? `Object 'Kind' is missing in '${notation(bytes)}'`
    : apiVersion === ""
    ? `Object 'apiVersion' is missing in '${notation(bytes)}'`
    : undefined;
  if (why === undefined) return;
  throw kind === "" ? unrecognisedError(endpoint, why, bytes) : unhandledError(kind, "", endpoint, why);
}
function notation(bytes: Uint8Array): string {
  return diagnosticOf(bytes) ?? hexText(bytes);
}

/** Reads a CBOR document with its kind and apiVersion. Throws if these cannot be decoded. */
export function recognisedCbor(bytes: Uint8Array, refuse: (why: string) => Error): CborDocument {
  return orRefuse(() => {
    const item = readCbor(bytes);
    return { item, ...typeOfCbor(item) };
  }, (why) => refuse(`unable to determine group/version/kind: ${why}`));
}
interface CborDocument {
  readonly item: CborItem;
  readonly kind: string;
  readonly apiVersion: string;
}

function fromText(bytes: Uint8Array, encoding: "json" | "yaml", call: RequestContext, validation: FieldValidation): ApiObject {
  const { endpoint, warnings } = call;
  const read: Read = encoding === "json" ? readJson(bytes) : readYaml(bytes);
  if (!read.ok) {
    throw unrecognisedError(
      endpoint,
      encoding === "json" ? `couldn't get version/kind; json parse error: ${read.error}` : read.error,
      bytes,
    );
  }
  const type = typeOf(read.tree);
  if (!type.ok) throw unrecognisedError(endpoint, type.error, bytes);
  if (endpoint.resource.custom) checkCustomDocument(endpoint, type.kind, read.tree, bytes);
  checkType(call.catalog, endpoint, type.kind, type.apiVersion);
  const report: DecodeReport = { reader: encoding, findings: [] };
  const object = decodedTree(endpoint, read.tree ?? new TreeObject(), report);
  // The items of a list are known, so a list is rejected below, because of its kind.
  const isList = endpoint.resource.custom === true && type.kind.endsWith("List");
  const findings = isList ? report.findings.filter((each) => each !== 'unknown field "items"') : report.findings;
  if (validation === "Strict" && (read.duplicates.length > 0 || findings.length > 0)) {
    const yaml = read.duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n${read.duplicates.map((each) => `  ${each}`).join("\n")}`];
    throw unhandledError(endpoint.kind, endpoint.version, endpoint, `strict decoding error: ${[...yaml, ...findings].join(", ")}`);
  }
  if (validation === "Warn") { for (const problem of [...read.duplicates, ...findings]) warnings.add(problem); }
  if (endpoint.resource.custom && type.kind !== endpoint.kind) throw wrongKind(call, type.kind, object);
  return object;
}

function decodedTree(endpoint: Endpoint, tree: Tree, report: DecodeReport): ApiObject {
  try {
    return { ...endpoint.decode(tree, report), kind: endpoint.kind, apiVersion: endpoint.apiVersion };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw unhandledError(endpoint.kind, endpoint.version, endpoint, error.message);
  }
}

/** Checks that the body of a custom resource has a kind and is no list. */
function checkCustomDocument(endpoint: Endpoint, kind: string, tree: Tree, bytes: Uint8Array): void {
  if (kind === "") throw unrecognisedError(endpoint, `Object 'Kind' is missing in '${new TextDecoder().decode(bytes)}'`, bytes);
  if (kind.endsWith("List") || !(tree instanceof TreeObject) || (tree.get("items") ?? null) === null) return;
  throw new StatusError("Unknown", "*unstructured.Unstructured is not a list: no Items field in this object");
}

/** Returns a 422 for a custom resource whose body has another kind; a 403 if none can be created. */
function wrongKind(call: RequestContext, kind: string, { metadata: { name = "" } }: ApiObject): StatusError {
  const { group, kind: expected, plural, resource } = call.endpoint;
  if (call.info.verb === "create" && resource.isTerminating?.() === true) {
    return forbiddenError({ group, name: plural }, name, terminatingReason);
  }
  return invalidError({ group, name: kind }, name, [invalid("kind", kind, `must be ${expected}`)]);
}
