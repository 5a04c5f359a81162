/** Options of requests from the query (and, for deletions, the body), with the errors of apimachinery's validation. */
import { append } from "../../core/append.ts";
import { type FieldError, forbidden, invalid, notSupported, required, tooLong } from "../../core/field-error.ts";
import type { Names } from "../../core/names.ts";
import type { FieldRequirement } from "../../core/selectors/field.ts";
import type { LabelRequirement } from "../../core/selectors/label.ts";
import { badRequestError, invalidError } from "../../core/status-error.ts";
import { utf8Length } from "../../core/scalars/utf8.ts";
import { goQuote, isPlainAscii } from "../../core/tree/go-quote.ts";
import { parseShardSelector, type ShardSelector } from "../../cel/shard-selector.ts";
import type { Catalog, Endpoint } from "../catalog/catalog.ts";
import { readInt64 } from "./int64.ts";
import type { Query } from "../../core/net/query.ts";
import { isTrue } from "./request-info.ts";
import { fieldManagerBytesMax } from "../../core/meta/field-manager.ts";

export interface ListOptions {
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** Undefined if the parameter is absent. */
  readonly sendInitialEvents: boolean | undefined;
  /** 0 or less means unlimited. */
  readonly limit: number;
  readonly continue: string;
  readonly timeoutSeconds: number | undefined;
  /** Only the objects of a shard. */
  readonly shard?: ShardSelector | undefined;
  /** Objects without owner references, finalizers and deletion timestamp may be omitted. */
  readonly ownershipOnly?: boolean;
}

/** A decimal 64-bit integer of the query. Throws 400 with the message of Go's strconv if it is malformed or out of range. */
export function parseInt64(text: string): bigint {
  const read = readInt64(text);
  if (typeof read === "bigint") return read;
  throw badRequestError(`strconv.ParseInt: parsing ${goQuote(text)}: ${read}`);
}
function integerOf(query: Query, key: string): number | undefined {
  if (!query.has(key)) return undefined;
  // Clamped to exact doubles, so that callers can calculate with it. Limits and timeouts of this size have no effect.
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(parseInt64(query.first(key)))));
}

function optionsInvalid(kind: string, names: Names, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidError({ group: `meta.${names.domain}`, name: kind }, "", errors);
}

/** Options of list, watch and deletecollection. `watchPrefix`: the path is below `/watch/`, where upstream applies no defaults. */
export function listOptions(
  query: Query,
  endpoint: Endpoint,
  { names, gates }: Pick<Catalog, "names" | "gates">,
  watchPrefix = false,
): ListOptions {
  const watchList = gates.isOn("WatchList");
  // In upstream's order: if both are malformed, the error is about the same one.
  const timeoutSeconds = integerOf(query, "timeoutSeconds");
  const limit = integerOf(query, "limit") ?? 0;
  const watch = isTrue(query, "watch");
  let sendInitialEvents = query.has("sendInitialEvents") ? isTrue(query, "sendInitialEvents") : undefined;
  let resourceVersionMatch = query.first("resourceVersionMatch");
  const resourceVersion = query.first("resourceVersion");
  const plainWatch = watch || watchPrefix;
  if (
    plainWatch && watchList && sendInitialEvents === undefined && resourceVersionMatch === "" &&
    (resourceVersion === "" || resourceVersion === "0") && watch
  ) {
    sendInitialEvents = true;
    resourceVersionMatch = "NotOlderThan";
  }
  const continueToken = query.first("continue");
  const errors = watch
    ? watchErrors(resourceVersionMatch, sendInitialEvents, continueToken, watchList)
    : listErrors(resourceVersion, resourceVersionMatch, sendInitialEvents, continueToken);
  const labels = query.labelSelector;
  if (!labels.ok) throw badRequestError(labels.error);
  const fields = query.fieldSelector;
  if (!fields.ok) throw badRequestError(fields.error);
  optionsInvalid("ListOptions", names, errors);
  checkFieldLabels(fields.requirements, endpoint);
  const shardText = gates.isOn("ShardedListAndWatch") ? query.first("shardSelector") : "";
  const shard = shardText === "" ? undefined : parseShardSelector(shardText);
  if (shard?.ok === false) throw badRequestError(shard.error);
  return {
    labels: labels.requirements,
    fields: fields.requirements,
    watch: plainWatch,
    allowWatchBookmarks: isTrue(query, "allowWatchBookmarks"),
    resourceVersion,
    resourceVersionMatch,
    sendInitialEvents,
    limit,
    continue: continueToken,
    timeoutSeconds,
    shard: shard?.selector,
  };
}

function listErrors(version: string, match: string, send: boolean | undefined, token: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const path = "resourceVersionMatch";
  if (match !== "") {
    if (version === "") errors.push(forbidden(path, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (token !== "") errors.push(forbidden(path, "resourceVersionMatch is forbidden when continue is provided"));
    if (match !== "Exact" && match !== "NotOlderThan") errors.push(notSupported(path, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && version === "0") {
      errors.push(forbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (send !== undefined) errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

function watchErrors(match: string, send: boolean | undefined, token: string, watchList: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  const path = "resourceVersionMatch";
  if (send !== undefined) {
    if (match !== "NotOlderThan") errors.push(forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    if (!watchList) {
      errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"));
    }
  }
  if (match !== "") {
    if (send === undefined) {
      errors.push(forbidden(path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    }
    if (match !== "NotOlderThan") errors.push(notSupported(path, match, ["NotOlderThan"]));
    if (token !== "") errors.push(forbidden(path, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return errors;
}

/** Allows metadata.name, metadata.namespace and the kind's selectable fields. The error differs for built-in kinds without selectable fields. */
function checkFieldLabels(requirements: readonly FieldRequirement[], endpoint: Endpoint): void {
  const declared = endpoint.served.selectableFields;
  for (const { field } of requirements) {
    if (field === "metadata.name") continue;
    if (field === "metadata.namespace" && (declared === undefined || endpoint.namespaced)) continue;
    if (declared !== undefined && Object.hasOwn(declared, field)) continue;
    throw badRequestError(
      declared === undefined && endpoint.resource.custom !== true
        ? `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : endpoint.served.unselectableText?.(field, endpoint.apiVersion) ?? `field label not supported: ${field}`,
    );
  }
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

/** Options of create, update and patch. `apply`: a patch by server-side apply. */
export function writeOptions(
  query: Query,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  names: Names,
  apply = false,
): WriteOptions {
  const errors: FieldError[] = [];
  const fieldManager = query.first("fieldManager").toWellFormed();
  const force = query.has("force");
  if (kind === "PatchOptions") {
    if (apply && fieldManager === "") errors.push(required("fieldManager", "is required for apply patch"));
    if (!apply && force) errors.push(forbidden("force", "may not be specified for non-apply patch"));
  }
  append(errors, managerErrors(fieldManager), dryRunErrors(query.all("dryRun"), query.has("dryRun")));
  const validation = query.first("fieldValidation");
  if (!["", "Ignore", "Warn", "Strict"].includes(validation)) {
    errors.push({ ...notSupported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]), quoted: "go" });
  }
  optionsInvalid(kind, names, errors);
  return {
    dryRun: query.has("dryRun"),
    fieldManager,
    // Other values have been rejected above.
    fieldValidation: validation === "" ? "Warn" : validation as FieldValidation,
    force: isTrue(query, "force"),
  };
}

function managerErrors(manager: string): readonly FieldError[] {
  if (manager.length <= fieldManagerBytesMax && isPlainAscii(manager)) return [];
  const errors: FieldError[] = [];
  if (utf8Length(manager) > fieldManagerBytesMax) {
    errors.push(tooLong("fieldManager", fieldManagerBytesMax));
  }
  let position = 0;
  for (const rune of manager) {
    if (/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(rune)) {
      const code = rune.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
      errors.push(invalid("fieldManager", manager, `invalid character U+${code} (at position ${position})`));
    }
    position += utf8Length(rune);
  }
  return errors;
}

export function dryRunErrors(values: readonly string[], given: boolean): readonly FieldError[] {
  return given && values.some((value) => value !== "All") ? [notSupported("dryRun", values, ["All"])] : [];
}
