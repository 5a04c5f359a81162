/**
 * `thole/plugin/toolbox`: what few plugins need: types that members of the contract have, rules and values of built-in kinds, quantities,
 * selectors and the parts of work queues. The built-in plugins are written with it and `thole/plugin`.
 */

// Parts of the contract's types.
export type { DefinedObject, DefinedVersion, DefinedVersions, ServedAs } from "./core/define/define.ts";
export type { KeptFields } from "./core/define/kept-fields.ts";
export type { ReleasedElements, ReleasedField, ReleasedKind } from "./core/released.ts";
export type { ScalePaths } from "./core/define/scale.ts";
export type {
  ControllerNeed,
  EventNews,
  EventRecorder,
  Gates,
  IssueLegacyToken,
  Machine,
  ServedResource,
  ServedTypes,
  ServedVersion,
  SignCertificate,
  StoredResource,
} from "./core/controller.ts";
export type {
  AuthorizerContext,
  GateStage,
  OpenedAuthorizer,
  ResourceSource,
  Served,
  SourceContext,
  Stability,
  StepConfiguration,
  Strategy,
} from "./core/plugin.ts";
export type { Release } from "./core/releases.ts";
export type {
  ActionObject,
  DeletionOptions,
  SubresourceAction,
  SubresourceBody,
  SubresourceKind,
  SubresourceView,
} from "./core/subresource.ts";

export type {
  ApiApplyOptions,
  ApiCollection,
  ApiCreateOptions,
  ApiList,
  ApiPatch,
  ApiResource,
  ApiWriteOptions,
  InformerHandlers,
  JsonPatchOperation,
  MergePatchOf,
  PartOf,
  TypedApplyOptions,
  TypedChange,
  TypedList,
  TypedPatch,
  TypedWriteOptions,
  WatchScope,
  WrittenObject,
} from "./core/api.ts";
export type { AdmissionForm, AdmissionOperation, AdmissionRequest, Reinvocation, ResourceForm } from "./core/admission/request.ts";
export { ExpressionWork } from "./core/admission/expression-work.ts";
export type { VersionedResource } from "./core/admission/request.ts";
export { attributesOf, type AttributeSource, type Subject, type SubjectAttributes } from "./core/admission/attributes.ts";
export { type IndexedAttributes, RuleIndex } from "./core/admission/rule-index.ts";
export {
  coveredForm,
  type MatchResources,
  type MatchRule,
  type ObjectLabels,
  type RequestAttributes,
  ruleDescribes,
} from "./core/admission/matching.ts";
export type { ConversionContext, StoredConversion, WebhookAddress } from "./core/conversion.ts";
export { splitGroupVersion, type Verb } from "./core/versions.ts";

// Audit events, and where they go.
export type { AuditBackend, AuditBackendContext, WrittenEvent } from "./core/audit/backend.ts";
export type { AuditedObject, AuditedStatus, AuditEvent } from "./core/audit/event.ts";
export type { AuditLevel, AuditStage, PolicyLevel } from "./core/audit/policy.ts";

// Users, and what they may do.
export type {
  AnonymousRule,
  AuthenticationAnswer,
  AuthenticatorContext,
  ClientCertificate,
  ClientTrust,
  ClientTrustSource,
  FoundObject,
  LookUpObject,
  OpenedAuthenticator,
  PublicDocument,
  PublicDocuments,
  RequestToAuthenticate,
  TokenAnswer,
  TokenCaching,
  TokenIssuer,
  TokenToAuthenticate,
} from "./core/authentication.ts";
// What the server offers to authenticators and other parts: settings, files, other servers, keys.
export {
  type CheckedSetting,
  type FollowedFiles,
  type PartAnswer,
  type PartChecks,
  type PartClient,
  type PartContext,
  type PartCrypto,
  type PartFiles,
  type PartInspection,
  type PartKey,
  type PartRemotes,
  type PartRequest,
  type SettingKey,
  type SettingKind,
  type SettingOf,
  settingsOf,
  type SettingValues,
} from "./core/part.ts";
export { defineSetting } from "./core/define/define.ts";
export type { PluginSetting } from "./core/setting.ts";
export type { Allocation, FoundRecord, Records, Shared } from "./core/allocation.ts";
export type { UserInfo } from "./core/user-info.ts";
export type { FlowControl, FlowControlContext, FlowControlDefinition, FlowRequest, Place } from "./core/flow-control.ts";
export type { Fault, PlacedMistake } from "./core/config/mistake.ts";
export type {
  Access,
  AdmissionServer,
  AuthorizationAttributes,
  AuthorizationDecision,
  Authorizer,
  IssuedToken,
  NamedCollection,
  NonResourceRule,
  Reader,
  ResourceRule,
  TokenToIssue,
  TokenUser,
  UserRules,
  Waiting,
  WebhookCall,
  WebhookKubeconfig,
  WebhookOutcome,
} from "./core/access.ts";
export { type SystemGroups, systemGroups } from "./core/user-info.ts";

// Tables and objects.
export { Age, age, type Cell, createdAtColumn } from "./core/meta/columns.ts";
export { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "./core/meta/object-meta.ts";

// The schema of a resource: nodes, fields and the top-level object.
export { validateConditions } from "./core/meta/condition.ts";
export { LabelSelectorRequirement } from "./core/meta/label-selector.ts";
export { LocalObjectReference } from "./core/meta/references.ts";
export {
  atomicRecord,
  type Base64,
  type BooleanNode,
  type BytesNode,
  type DefaultOf,
  double,
  type DoubleNode,
  duration,
  type DurationNode,
  either,
  type EitherNode,
  type Field,
  type FieldOf,
  type FieldOptions,
  type Fields,
  type FieldsV1Node,
  type FieldType,
  type Hoisted,
  type InlineKeys,
  type Int32Node,
  type Int64,
  type Int64Node,
  type Intersection,
  type IntOrStringNode,
  type Json,
  lazy,
  type LazyNode,
  type ListNode,
  type MicroTime,
  microTime,
  type MicroTimeNode,
  named,
  type Node,
  plainList,
  type PresentKeys,
  type PresentOf,
  type Quantity,
  type QuantityNode,
  raw,
  type RawNode,
  type RecordNode,
  type Shape,
  type StringNode,
  type StructNode,
  type StructOptions,
  type StructuralNode,
  type Time,
  type TimeNode,
  type Typed,
  type Union,
} from "./core/schema.ts";

// Structural schemas: those of custom resources.
export type { StructuralSchema, ValidationRule, ValueSchema } from "./core/structural-schema.ts";

// Validation: derived checks, and the field errors that hooks return.
export { dropDisabled } from "./core/derive/gates.ts";
export { sameValue } from "./core/derive/same-value.ts";
export { valueText } from "./core/value-text.ts";
export { coveredByRule, fieldErrorText, type FieldErrorType, notFound, tooMany } from "./core/field-error.ts";
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
export {
  type MetaRules,
  metaRulesOf,
  type Scoped,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "./core/meta/validate-object-meta.ts";
export { hasInvalidLabelValue, selectsLabels, validateLabelSelector } from "./core/meta/label-selector.ts";
export { validateAnnotations, validateLabels } from "./core/meta/labels.ts";
export { foregroundFinalizer, orphanFinalizer, validateFinalizerShape, validateStandardFinalizer } from "./core/meta/finalizers.ts";
export { randomSuffix } from "./core/meta/generated-name.ts";
export { metaOfStatus } from "./core/meta/status-meta.ts";
export { Status as StatusSchema } from "./core/meta/status.ts";

// Selectors of requests.
export { type FieldRequirement, type ParsedFieldSelector, parseFieldSelector } from "./core/selectors/field.ts";
export { type LabelOperator, type LabelRequirement, type ParsedLabelSelector, parseLabelSelector } from "./core/selectors/label.ts";

// Values: quantities, base64, text, and words of Go's messages.
export { type Amounts, sameAmounts, validateNotNegative, validatePositive } from "./core/meta/quantity-rules.ts";
export {
  type Amount,
  amountOf,
  compareQuantities,
  integerOf,
  isWhole,
  parseQuantity,
  quantityText,
  roundUp,
  shorten as shortened,
  sumOf,
} from "./core/scalars/quantity.ts";
export { Unreadable } from "./core/scalars/unreadable.ts";
export { base64Of, bytesOf, parseBase64 } from "./core/scalars/base64.ts";
export { utf8Length } from "./core/scalars/utf8.ts";
export { secondsOf, timestampOf } from "./core/scalars/time.ts";
export { parseDuration } from "./core/scalars/duration.ts";
export { goQuote } from "./core/tree/go-quote.ts";
export { append } from "./core/append.ts";

// Names that depend on --group-domain and --platform-name, and errors that become Status replies.
export { defaultNames, type Names, spell } from "./core/names.ts";
export {
  type GroupName,
  internalError,
  invalidError,
  type Status,
  type StatusCause,
  statusCodes,
  type StatusDetails,
  type StatusReason,
  tooLargeError,
} from "./core/status-error.ts";

export { reasonOf } from "./core/reason-of.ts";

// Random values that are written into objects.
export { type Chance, chanceOf } from "./core/chance.ts";

// Controllers: a rate-limited work queue.
export { afterCollecting, type Clock, pause, type ServerClock, systemClock, untilAborted } from "./core/async.ts";
export { afterIo } from "./core/turns.ts";
export { listAll as listed } from "./core/listed.ts";
export type { RetryLimits } from "./core/retry-delays.ts";
export { measureWork as worked, noWorkMeter, type WorkMeter } from "./core/work.ts";
export type { BeginProgress, Progress } from "./core/progress.ts";
export { WorkQueue, type WorkQueueContext, type WorkQueueOptions } from "./core/work-queue.ts";

// Metrics.
export type {
  Combination,
  Counter,
  CounterSeries,
  Gauge,
  GaugeSeries,
  Histogram,
  HistogramSeries,
  Labels as MetricLabels,
  MetricDefinition,
  MetricOf,
  MetricStability,
  MetricType,
  Recorder,
} from "./metrics/mod.ts";

// Definitions as resources of plugins.
export type { Definition } from "./cel/definition/defined-resource.ts";
export type {
  Names as DefinitionNames,
  PrinterColumn,
  Scale as DefinitionScale,
  Spec as DefinitionSpec,
  Subresources as DefinitionSubresources,
  Version as DefinitionVersion,
} from "./core/definition/definition.ts";

export {
  type Channel,
  type Coding,
  type ConnectReply,
  type ConnectRequest,
  type Forwarded,
  type HeaderFields,
  type PeerAccess,
  PeerError,
  type PeerRequest,
  type PeerResponse,
  type Peers,
  type SubresourceConnect,
  tokenProtocol,
} from "./core/connect.ts";
export type { Delegate, DelegateContext, DelegateDefinition, DelegatedRequest, RegisteredVersion } from "./core/delegate.ts";
export { type Destination, passOn, unreached, urlOf } from "./core/proxy/pass-on.ts";
export { joinPath } from "./core/proxy/paths.ts";
export { optionsStruct } from "./core/typed-options.ts";
export { type Address, parseAddress } from "./core/net/address.ts";
