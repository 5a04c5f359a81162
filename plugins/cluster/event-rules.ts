/**
 * Validation of events. The core API has the legacy rules, mainly on the namespace. The events group has more rules, and most of its
 * fields are immutable. Both validate the stored form. Error paths use the names of that form, except the reporting controller's path,
 * which depends on the API. Source: pkg/apis/core/validation/events.go.
 */
import { isObject } from "../../core/json.ts";
import { type FieldError, type HookContext, invalid, required } from "../../plugin.ts";
import {
  append,
  dns1123Subdomain,
  type MetaRules,
  metaRulesOf,
  qualifiedName,
  utf8Length,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import type { CoreEvent } from "./event-schema.ts";

const wordBytesMax = 128;
const noteBytesMax = 1024;
const seriesCountMin = 2;

export function validateEventCreate(event: CoreEvent, context: HookContext): readonly FieldError[] {
  const errors = validateLegacy(event, context);
  return isCore(context)
    ? errors
    : [...errors, ...validateObjectMeta(event.metadata, metaRules(context)), ...validateSeries(event), ...validateFields(event)];
}

export function validateEventUpdate(next: CoreEvent, prior: CoreEvent, context: HookContext): readonly FieldError[] {
  const errors = validateLegacy(next, context);
  if (isCore(context)) return errors;
  return [
    ...errors,
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRules(context)),
    ...(same(next.series, prior.series) ? [] : validateSeries(next)),
    ...validateImmutable(next, prior),
  ];
}

function metaRules({ names }: HookContext): MetaRules {
  return metaRulesOf({ scope: "Namespaced", strategy: { coreFinalizers: true } }, names);
}
function isCore(context: HookContext): boolean {
  return context.requestVersion === "v1";
}

function validateLegacy(event: CoreEvent, context: HookContext): readonly FieldError[] {
  const { namespace = "" } = event.metadata;
  return [
    ...(isUnset(event.eventTime)
      ? validateNamespace(event, namespace)
      : validateReporter(event, namespace, isCore(context) ? "reportingComponent" : "reportingController")),
    ...dns1123Subdomain(namespace).map((wrong) => invalid("namespace", namespace, wrong)),
  ];
}

/** Checks that the event is in the namespace of its object, or in `default` if the object has none. */
function validateNamespace({ involvedObject }: CoreEvent, namespace: string): readonly FieldError[] {
  const { namespace: about = "" } = involvedObject;
  const right = about === "" ? namespace === "" || namespace === "default" : namespace === about;
  return right ? [] : [namespaceMismatch(about)];
}
function namespaceMismatch(namespace: string): FieldError {
  return invalid("involvedObject.namespace", namespace, "does not match event.namespace");
}

/** Checks the fields that an event with `eventTime` requires: the reporter, the action and the reason. */
function validateReporter(event: CoreEvent, namespace: string, controllerPath: string): readonly FieldError[] {
  const { involvedObject, reportingComponent, reportingInstance, action = "", reason = "", message = "" } = event;
  const errors: FieldError[] = [];
  const { namespace: about = "" } = involvedObject;
  if (about === "" && namespace !== "default" && namespace !== "kube-system") errors.push(namespaceMismatch(about));
  if (reportingComponent === "") errors.push(required(controllerPath, ""));
  append(errors, qualifiedName(reportingComponent).map((wrong) => invalid(controllerPath, reportingComponent, wrong)));
  for (const [path, word] of Object.entries({ reportingInstance, action, reason })) {
    if (word === "") errors.push(required(path, ""));
    if (utf8Length(word) > wordBytesMax) errors.push(invalid(path, "", `can have at most ${wordBytesMax} characters`));
  }
  if (utf8Length(message) > noteBytesMax) errors.push(invalid("message", "", `can have at most ${noteBytesMax} characters`));
  return errors;
}

function validateSeries({ series }: CoreEvent): readonly FieldError[] {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < seriesCountMin ? [invalid("series.count", "", `should be at least ${seriesCountMin}`)] : []),
    ...(isUnset(series.lastObservedTime) ? [required("series.lastObservedTime", "")] : []),
  ];
}

function validateFields({ eventTime, type = "", firstTimestamp, lastTimestamp, count = 0, source }: CoreEvent): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isUnset(eventTime)) errors.push(required("eventTime", ""));
  if (type !== "Normal" && type !== "Warning") errors.push(invalid("type", "", `has invalid value: ${type}`));
  const sourceSet = (source.component ?? "") !== "" || (source.host ?? "") !== "";
  const deprecated = {
    firstTimestamp: !isUnset(firstTimestamp),
    lastTimestamp: !isUnset(lastTimestamp),
    count: count !== 0,
    source: sourceSet,
  };
  for (const [path, set] of Object.entries(deprecated)) if (set) errors.push(invalid(path, "", "needs to be unset"));
  return errors;
}

/** The immutable fields, in upstream's order. `reason` is in the list twice, so its error is repeated, as in upstream. */
const immutable = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "reason",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingComponent",
  "reportingInstance",
] as const;

function validateImmutable(next: CoreEvent, prior: CoreEvent): readonly FieldError[] {
  return immutable.flatMap((key) => {
    if (same(next[key], prior[key])) return [];
    const path = key === "reportingComponent" ? "reportingController" : key;
    const zero = key === "count" ? 0 : key === "related" || /time/i.test(key) ? null : "";
    return [invalid(path, next[key] ?? zero, "field is immutable")];
  });
}

/** Compares field by field. Absent and zero values are equal, except an absent and an empty object. */
function same(a: unknown, b: unknown): boolean {
  if (isObject(a) && isObject(b)) return [...Object.keys(a), ...Object.keys(b)].every((key) => same(a[key], b[key]));
  return isObject(a) || isObject(b) ? false : (a || null) === (b || null);
}
function isUnset(time: string | null | undefined): boolean {
  return time === undefined || time === null;
}
