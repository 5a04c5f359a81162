/**
 * `thole/plugin`: the plugin contract. A plugin is a frozen value, checked by `definePlugin`; importing one has no effect.
 * docs/writing-a-plugin.md explains it with an example.
 */
export { definePlugin, defineResource, DefinitionError } from "./core/define/define.ts";
export { type ScalePaths, scaleSubresource } from "./core/define/scale.ts";
export type {
  Admission,
  Api,
  ApiApplyOptions,
  ApiCreateOptions,
  ApiList,
  ApiPatch,
  ApiWriteOptions,
  Controller,
  ControllerContext,
  EventNews,
  EventRecorder,
  Gates,
  GateStage,
  GroupVersion,
  HealthCheck,
  HookContext,
  JsonPatchOperation,
  Plugin,
  Reader,
  Release,
  Resource,
  Served,
  Stability,
  StartHook,
  Strategy,
  Subresource,
  SubresourceAction,
  SubresourceKind,
  SubresourceView,
  WatchScope,
} from "./core/plugin.ts";

// Tables and objects.
export { ageColumn, type Column, createdAtColumn, nameColumn } from "./core/meta/columns.ts";
export type { ApiObject } from "./core/meta/object-meta.ts";

// The schema of a resource: nodes, fields and the top-level object.
export { object } from "./core/meta/object.ts";
export {
  atomicRecord,
  boolean,
  bytes,
  double,
  duration,
  field,
  type FieldOptions,
  type Infer,
  int32,
  int64,
  intOrString,
  type Json,
  lazy,
  list,
  mapBy,
  microTime,
  type Node,
  oneOf,
  plainList,
  quantity,
  raw,
  record,
  setOf,
  string,
  struct,
  structsOf,
  time,
  type Typed,
} from "./core/schema.ts";

// Validation: derived checks, and the field errors that hooks return.
export { checker, immutable } from "./core/derive/check.ts";
export {
  duplicate,
  type FieldError,
  fieldErrorText,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "./core/field-error.ts";
export {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  label1035Name,
  labelName,
  labelValue,
  type NameRule,
  pathSegmentName,
  qualifiedName,
  subdomainName,
} from "./core/meta/names.ts";
export { metaRulesOf, validateObjectMeta, validateObjectMetaUpdate } from "./core/meta/validate-object-meta.ts";

// Names that depend on --group-domain and --platform-name, and errors that become Status replies.
export { type Names, spell } from "./core/names.ts";
export { StatusError, type StatusReason } from "./core/status-error.ts";

// Controllers: a rate-limited work queue.
export type { Clock } from "./core/async.ts";
export type { RetryLimits } from "./core/retry-delays.ts";
export type { WorkMeter } from "./core/work.ts";
export { WorkQueue, type WorkQueueContext, type WorkQueueOptions } from "./core/work-queue.ts";

// Metrics.
export {
  type Counter,
  type CounterSeries,
  defineMetric,
  type Gauge,
  type GaugeSeries,
  type Histogram,
  type HistogramSeries,
  type MetricDefinition,
  type MetricOf,
  type MetricStability,
  type MetricType,
  type Recorder,
} from "./metrics/mod.ts";
