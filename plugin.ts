/**
 * `thole/plugin`: what the author of a plugin needs. A plugin is a frozen value, checked by `definePlugin`; importing one has no effect.
 * docs/writing-a-plugin.md explains it with an example. Further names of the contract are in `thole/plugin/toolbox`.
 */

// A plugin and its parts.
export { definePlugin, defineResource, DefinitionError } from "./core/define/define.ts";
export { keptFields } from "./core/define/kept-fields.ts";
export { releasedElements } from "./core/define/released.ts";
export { scaleSubresource } from "./core/define/scale.ts";
export { definedResource } from "./cel/definition/defined-resource.ts";
export type { Admission, AuthorizerDefinition, HealthCheck, Plugin, Preset, Resource } from "./core/plugin.ts";
export type { HookContext, RequestHookContext } from "./core/hook-context.ts";
export type { Subresource } from "./core/subresource.ts";
export type { AuditBackendDefinition } from "./core/audit/backend.ts";
export type { AuthenticatorDefinition } from "./core/authentication.ts";
export type { Caller } from "./core/user-info.ts";
export type { GroupVersion } from "./core/versions.ts";

// The schema of a resource: nodes, fields, shared structs and the top-level object.
export {
  anyJson,
  boolean,
  bytes,
  field,
  type Infer,
  int32,
  int64,
  intOrString,
  list,
  mapBy,
  oneOf,
  quantity,
  record,
  setOf,
  string,
  struct,
  structsOf,
  time,
} from "./core/schema.ts";
export { object } from "./core/meta/object.ts";
export type { ApiObject } from "./core/meta/object-meta.ts";
export { Condition } from "./core/meta/condition.ts";
export { LabelSelector } from "./core/meta/label-selector.ts";
export { ObjectReference } from "./core/meta/references.ts";
export type { JsonObject } from "./core/json.ts";

// Tables.
export { ageColumn, type Column, nameColumn, type RowCondition } from "./core/meta/columns.ts";

// Validation: derived checks, and the field errors that hooks return.
export { checker, immutable } from "./core/derive/check.ts";
export { duplicate, type FieldError, forbidden, invalid, notSupported, required, tooLong } from "./core/field-error.ts";

// Errors that become Status replies.
export { badRequestError, conflictError, forbiddenError, notFoundError, StatusError } from "./core/status-error.ts";

// Controllers, and metrics.
export type { Controller, ControllerContext, StartHook } from "./core/controller.ts";
export type { Api, Informer, TypedApi } from "./core/api.ts";
export { objectKey, splitObjectKey } from "./core/object-key.ts";
export { runWorkQueue } from "./core/work-queue.ts";
export { defineMetric } from "./metrics/mod.ts";
