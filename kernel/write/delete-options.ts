/** Reads DeleteOptions from the body if there is one, else from the query. As upstream, the two are never combined. */
import { append } from "../../core/append.ts";
import { readEnvelope } from "../../core/codec/protobuf.ts";
import { cborReader } from "../../core/derive/cbor-read.ts";
import { DecodeError, decoder } from "../../core/derive/decode.ts";
import { protobufReader } from "../../core/derive/protobuf.ts";
import { type FieldError, invalid, notSupported } from "../../core/field-error.ts";
import { DeleteOptions } from "../../core/meta/options.ts";
import type { DeletionOptions } from "../../core/subresource.ts";
import { badRequestError, invalidError, StatusError } from "../../core/status-error.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { readJson } from "../../core/tree/json.ts";
import { TreeObject } from "../../core/tree/tree.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import { heavyHost, heavyRequest, isHeavyBody, receiveBody, type RequestContext } from "../request-context.ts";
import { header } from "../request/exchange.ts";
import { bodyEncoding } from "../../core/codec/negotiate.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { noteDeleteOptions } from "./draft/audited.ts";
import { recognisedCbor } from "./draft/body.ts";
import { orRefuse } from "./draft/patch.ts";
import { typeOf } from "../../core/derive/document-type.ts";
import { ignoreReadErrorsField } from "../request/ignore-read-errors.ts";
import { dryRunErrors, parseInt64 } from "../request/options.ts";
import { isTrue } from "../request/request-info.ts";

export interface DeleteRequest {
  readonly dryRun: boolean;
  /** Undefined if the client did not set it. */
  readonly gracePeriodSeconds: number | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly propagationPolicy: string | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  /** Whether to delete an object that cannot be read (gate AllowUnsafeMalformedObjectDeletion; false while it is off). */
  readonly ignoreReadErrors: boolean;
  /** Whether admission has no part in the deletion, because it has approved the action that deletes. */
  readonly isApproved?: true;
}

/** The source location of upstream's scheme, which is part of error messages. */
const scheme = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";
/** Kinds whose objects are accepted in any version. */
const unversioned = ["Status", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList"];
const inMeta = [
  "CreateOptions",
  "UpdateOptions",
  "PatchOptions",
  "GetOptions",
  "ListOptions",
  "Table",
  "PartialObjectMetadata",
  "PartialObjectMetadataList",
  "WatchEvent",
];

export async function deleteOptions(call: RequestContext): Promise<DeleteRequest> {
  const bytes = await receiveBody(call);
  if (call.heavy !== undefined && isHeavyBody(call, bytes)) {
    // The heavy thread runs this function; its result is plain data.
    return await call.heavy.work.run("deleteOptions", heavyRequest(call, bytes), heavyHost(call), call.deadline.signal) as DeleteRequest;
  }
  return checkedDeletion(call, bytes.length > 0 ? fromBody(call, bytes) : fromQuery(call));
}

/** Throws 422 for options that contradict each other. */
export function checkedDeletion(call: RequestContext, options: Read): DeleteRequest {
  const errors: FieldError[] = [];
  const { propagationPolicy: policy, orphanDependents } = options;
  if (policy !== undefined && orphanDependents !== undefined) {
    errors.push(invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (policy !== undefined && !["Foreground", "Background", "Orphan"].includes(policy)) {
    errors.push(notSupported("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]));
  }
  append(errors, dryRunErrors(options.dryRunValues, options.dryRunValues.length > 0));
  const ignoreReadErrors = options.ignoreReadErrors && call.catalog.gates.isOn("AllowUnsafeMalformedObjectDeletion");
  if (ignoreReadErrors) append(errors, unsafeErrors(options, call.info.verb === "deletecollection"));
  if (errors.length > 0) throw invalidError({ group: `meta.${call.catalog.names.domain}`, name: "DeleteOptions" }, "", errors);
  return { ...options, ignoreReadErrors, dryRun: options.dryRunValues.length > 0 };
}

type Read = Omit<DeleteRequest, "dryRun"> & { readonly dryRunValues: readonly string[]; readonly preconditions: boolean };

/** Returns the errors of an unsafe deletion that has other options too, or that is one of a collection. */
function unsafeErrors(options: Read, collection: boolean): readonly FieldError[] {
  const given: readonly (readonly [name: string, is: boolean])[] = [
    ["dryRun", options.dryRunValues.length > 0],
    ["propagationPolicy", options.propagationPolicy !== undefined],
    ["orphanDependents", options.orphanDependents !== undefined],
    ["gracePeriodSeconds", options.gracePeriodSeconds !== undefined],
    ["preconditions", options.preconditions],
  ];
  const tooMany = given.filter(([, is]) => is).map(([name]) =>
    invalid(ignoreReadErrorsField, true, `cannot be set together with .${name}`)
  );
  if (tooMany.length > 0 || !collection) return tooMany;
  return [invalid(ignoreReadErrorsField, true, "is not allowed with DELETECOLLECTION, try again after removing the option")];
}

function fromQuery(call: RequestContext): Read {
  const { query } = call.info;
  const text = (key: string) => query.has(key) && query.first(key) !== "" ? query.first(key) : undefined;
  return {
    dryRunValues: query.all("dryRun"),
    gracePeriodSeconds: query.has("gracePeriodSeconds") ? Number(parseInt64(query.first("gracePeriodSeconds"))) : undefined,
    orphanDependents: query.has("orphanDependents") ? isTrue(query, "orphanDependents") : undefined,
    propagationPolicy: query.has("propagationPolicy") ? query.first("propagationPolicy") : undefined,
    uid: text("uid"),
    resourceVersion: text("resourceVersion"),
    preconditions: text("uid") !== undefined || text("resourceVersion") !== undefined,
    ignoreReadErrors: isTrue(query, ignoreReadErrorsField),
  };
}

function fromBody(call: RequestContext, bytes: Uint8Array): Read {
  const encoding = bodyEncoding(header(call.exchange, "content-type"), call.catalog.media);
  let options: DeleteOptions;
  if (encoding === "protobuf") {
    try {
      const { kind, apiVersion, raw } = readEnvelope(bytes);
      checkOptionsKind(call, kind, apiVersion);
      options = protobufReader(DeleteOptions)(raw);
    } catch (error) {
      if (error instanceof StatusError) throw error;
      throw badRequestError(reasonOf(error));
    }
  } else if (encoding === "cbor") {
    const { item, kind, apiVersion } = recognisedCbor(bytes, badRequestError);
    checkOptionsKind(call, kind, apiVersion);
    options = orRefuse(() => cborReader(DeleteOptions)(item), badRequestError);
  } else {
    const read = encoding === "json" ? readJson(bytes) : readYaml(bytes);
    if (!read.ok) {
      throw badRequestError(encoding === "json" ? `couldn't get version/kind; json parse error: ${read.error}` : read.error);
    }
    const type = typeOf(read.tree);
    if (!type.ok) throw badRequestError(type.error);
    checkOptionsKind(call, type.kind, type.apiVersion);
    try {
      options = decoder(DeleteOptions)(read.tree ?? new TreeObject(), { reader: encoding, findings: [] });
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw badRequestError(error.message);
    }
  }
  noteDeleteOptions(call, options);
  return deletionOf(options);
}

export function deletionOf(options: DeletionOptions): Read {
  return {
    dryRunValues: options.dryRun ?? [],
    gracePeriodSeconds: options.gracePeriodSeconds === undefined ? undefined : Number(options.gracePeriodSeconds),
    orphanDependents: options.orphanDependents,
    propagationPolicy: options.propagationPolicy,
    uid: options.preconditions?.uid,
    resourceVersion: options.preconditions?.resourceVersion,
    preconditions: options.preconditions !== undefined,
    ignoreReadErrors: options[ignoreReadErrorsField] ?? false,
  };
}

/**
 * Rejects a body of a kind other than DeleteOptions. Every version of DeleteOptions is accepted; a body without a version has that of the
 * meta group.
 */
function checkOptionsKind({ catalog: { names } }: RequestContext, kind: string, apiVersion: string): void {
  if (kind === "" || kind === "DeleteOptions") return;
  const meta = `meta.${names.domain}/v1`;
  const version = apiVersion === "" ? meta : apiVersion;
  if (unversioned.includes(kind) || (version === meta && inMeta.includes(kind))) {
    throw badRequestError(`converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`);
  }
  throw badRequestError(`no kind ${goQuote(kind)} is registered for version ${goQuote(version)} in scheme ${goQuote(scheme)}`);
}
