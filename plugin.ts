/**
 * `thole/plugin`: the plugin contract. A plugin is a frozen value, checked by `definePlugin`; importing one has no effect.
 * docs/writing-a-plugin.md explains it with an example.
 */
export { definePlugin, defineResource, DefinitionError } from "./core/define/define.ts";
export { type KeptFields, keptFields } from "./core/define/kept-fields.ts";
export { releasedElements } from "./core/define/released.ts";
export type { ReleasedElements, ReleasedField, ReleasedKind } from "./core/released.ts";
export { type ScalePaths, scaleSubresource } from "./core/define/scale.ts";
export type {
  Controller,
  ControllerContext,
  ControllerNeed,
  EventNews,
  EventRecorder,
  Gates,
  ServedResource,
  ServedTypes,
  StartHook,
} from "./core/controller.ts";
export type {
  Admission,
  AuthorizerContext,
  AuthorizerDefinition,
  GateStage,
  HealthCheck,
  HookContext,
  OpenedAuthorizer,
  Plugin,
  Release,
  RequestHookContext,
  Resource,
  ResourceSource,
  Served,
  SourceContext,
  Stability,
  Strategy,
  Subresource,
  SubresourceAction,
  SubresourceBody,
  SubresourceKind,
  SubresourceView,
} from "./core/plugin.ts";

export type {
  Api,
  ApiApplyOptions,
  ApiCollection,
  ApiCreateOptions,
  ApiList,
  ApiPatch,
  ApiResource,
  ApiWriteOptions,
  Informer,
  InformerHandlers,
  JsonPatchOperation,
  MergePatchOf,
  PartOf,
  TypedApi,
  TypedApplyOptions,
  TypedChange,
  TypedList,
  TypedPatch,
  TypedWriteOptions,
  WatchScope,
  WrittenObject,
} from "./core/api.ts";
export type { AdmissionForm, AdmissionOperation, AdmissionRequest, Reinvocation, ResourceForm } from "./core/admission/request.ts";
export { attributesOf, type Subject, type SubjectAttributes } from "./core/admission/attributes.ts";
export { RuleIndex } from "./core/admission/rule-index.ts";
export { coveredForm, type MatchResources, type MatchRule, type RequestAttributes, ruleDescribes } from "./core/admission/matching.ts";
export type { JsonObject } from "./core/json.ts";
export type { ConversionContext, StoredConversion, WebhookAddress } from "./core/conversion.ts";
export { type GroupVersion, splitGroupVersion } from "./core/versions.ts";

// Users, and what they may do.
export type {
  AuthenticationAnswer,
  AuthenticatorContext,
  AuthenticatorDefinition,
  ClientCertificate,
  OpenedAuthenticator,
  RequestToAuthenticate,
} from "./core/authentication.ts";
export type {
  Access,
  AdmissionServer,
  AuthorizationAttributes,
  AuthorizationDecision,
  Authorizer,
  IssuedToken,
  NonResourceRule,
  Reader,
  ResourceRule,
  TokenToIssue,
  TokenUser,
  UserRules,
  Waiting,
  WebhookCall,
  WebhookOutcome,
} from "./core/access.ts";
export { type Caller, type SystemGroups, systemGroups } from "./core/user-info.ts";

// Tables and objects.
export { Age, age, ageColumn, type Cell, type Column, createdAtColumn, nameColumn } from "./core/meta/columns.ts";
export { type ApiObject, ObjectMeta, OwnerReference } from "./core/meta/object-meta.ts";

// The schema of a resource: nodes, fields and the top-level object.
export { object } from "./core/meta/object.ts";
export { Condition, validateConditions } from "./core/meta/condition.ts";
export { LabelSelector, LabelSelectorRequirement } from "./core/meta/label-selector.ts";
export { LocalObjectReference, ObjectReference } from "./core/meta/references.ts";
export {
  anyJson,
  atomicRecord,
  type Base64,
  boolean,
  bytes,
  double,
  duration,
  either,
  type Field,
  field,
  type FieldOptions,
  type Infer,
  int32,
  type Int64,
  int64,
  intOrString,
  type Json,
  lazy,
  list,
  mapBy,
  type MicroTime,
  microTime,
  named,
  type Node,
  oneOf,
  plainList,
  type Quantity,
  quantity,
  raw,
  record,
  setOf,
  string,
  struct,
  type StructNode,
  type StructOptions,
  structsOf,
  type Time,
  time,
  type Typed,
} from "./core/schema.ts";

// Structural schemas: those of custom resources.
export type { StructuralSchema, ValidationRule, ValueSchema } from "./core/structural-schema.ts";

// Validation: derived checks, and the field errors that hooks return.
export { checker, immutable } from "./core/derive/check.ts";
export { dropDisabled } from "./core/derive/gates.ts";
export { sameValue } from "./core/derive/same-value.ts";
export { valueText } from "./core/value-text.ts";
export {
  coveredByRule,
  duplicate,
  type FieldError,
  fieldErrorText,
  type FieldErrorType,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "./core/field-error.ts";
export {
  configMapKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  label1035Name,
  labelName,
  labelValue,
  type NameRule,
  pathSegmentName,
  portNumber,
  qualifiedName,
  subdomainName,
} from "./core/meta/names.ts";
export { type MetaRules, metaRulesOf, validateObjectMeta, validateObjectMetaUpdate } from "./core/meta/validate-object-meta.ts";
export { hasInvalidLabelValue, selectsLabels, validateLabelSelector } from "./core/meta/label-selector.ts";
export { validateAnnotations, validateLabels } from "./core/meta/labels.ts";
export { foregroundFinalizer, orphanFinalizer, validateFinalizerShape, validateStandardFinalizer } from "./core/meta/finalizers.ts";
export { metaOfStatus } from "./core/meta/status-meta.ts";

// Selectors of requests.
export { type FieldRequirement, parseFieldSelector } from "./core/selectors/field.ts";
export { type LabelRequirement, parseLabelSelector } from "./core/selectors/label.ts";

// Values: quantities, base64, text, and words of Go's messages.
export { sameAmounts, validateNotNegative, validatePositive } from "./core/meta/quantity-rules.ts";
export {
  amountOf,
  compareQuantities,
  integerOf,
  isWhole,
  parseQuantity,
  quantityText,
  roundUp,
  shortened,
  sumOf,
} from "./core/scalars/quantity.ts";
export { base64Of, bytesOf, parseBase64 } from "./core/scalars/base64.ts";
export { utf8Length } from "./core/scalars/utf8.ts";
export { goQuote } from "./core/tree/go-quote.ts";
export { append } from "./core/append.ts";

// Names that depend on --group-domain and --platform-name, and errors that become Status replies.
export { defaultNames, type Names, spell } from "./core/names.ts";
export {
  badRequestError,
  conflictError,
  forbiddenError,
  type GroupName,
  internalError,
  invalidError,
  notFoundError,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from "./core/status-error.ts";

// Controllers: a rate-limited work queue.
export { type Clock, pause, untilAborted } from "./core/async.ts";
export { listed } from "./core/listed.ts";
export type { RetryLimits } from "./core/retry-delays.ts";
export { worked, type WorkMeter } from "./core/work.ts";
export type { BeginProgress, Progress } from "./core/progress.ts";
export { objectKey, splitObjectKey } from "./core/object-key.ts";
export { runWorkQueue, WorkQueue, type WorkQueueContext, type WorkQueueOptions } from "./core/work-queue.ts";

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

// Definitions as resources of plugins.
export { definedResource, type Definition } from "./cel/definition/defined-resource.ts";
export type {
  Names as DefinitionNames,
  PrinterColumn,
  Scale as DefinitionScale,
  Spec as DefinitionSpec,
  Subresources as DefinitionSubresources,
  Version as DefinitionVersion,
} from "./core/definition/definition.ts";
