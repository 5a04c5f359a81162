/** What the hooks of a plugin get besides the object. */
import type { MetricOf } from "../metrics/mod.ts";
import type { Access, AdmissionServer, Reader } from "./access.ts";
import type { Allocation } from "./allocation.ts";
import type { AdmissionRequest, Reinvocation } from "./admission/request.ts";
import type { Gates } from "./controller.ts";
import type { Names } from "./names.ts";
import type { Release } from "./releases.ts";
import type { Caller } from "./user-info.ts";
import type { GroupVersion } from "./versions.ts";

/** What a hook gets besides the object. Hooks use no clock and no I/O. */
export interface HookContext {
  /** The names that replace `{domain}` and `{platform}`. */
  readonly names: Names;
  /** Whether a feature gate of any plugin is on. */
  readonly gates: Gates;
  /** The time of the request, as RFC 3339 in UTC with whole seconds. */
  readonly now: string;
  /** The subresource of the request, such as `status` or `finalize`; "" for the object itself. */
  readonly subresource: string;
  /** The group version of the request. */
  readonly requestVersion: GroupVersion;
  /** The oldest release whose servers must be able to use what is written now. */
  readonly minCompatibility: Release;
  /** The user of the request; with impersonation the impersonated user. */
  readonly caller: Caller;
  /**
   * The recorder of a metric that a plugin declares in `metrics`. Throws for any other. A hook may run more than once for a request.
   *
   *     context.metric(widgetsChecked).with({ colour: "red" }).add();
   */
  readonly metric: MetricOf;
}

/** What a hook gets that may read and wait. Its members are made at their first use, so a copy by spreading lacks them. */
export interface RequestHookContext extends HookContext {
  /** The resource of the request: group ("" for the core group) and plural. */
  readonly resource: { readonly group: string; readonly plural: string };
  /** The request as policies and webhooks see it, with the versions of the resource, the namespace and the options. */
  readonly request: AdmissionRequest;
  /** Requests a second run of the mutating steps, and keeps state between both runs. Only for mutating steps. */
  readonly reinvocation: Reinvocation;
  /** Returns the configuration of an admission step with `Admission.configuration`; undefined if the file of the server has none. */
  readonly configuration: (step: string) => unknown;
  /** Whether the request is a dry run, which stores nothing. A step then makes no writes of its own. */
  readonly isDryRun: boolean;
  /** Reads and calls for admission steps that look at more than one request, such as quotas. */
  readonly server: AdmissionServer;
  /** Registers a function that undoes an effect of the step. It is called if the write is not stored, because its name is in use or another write came first. */
  readonly ifNotStored: (takeBack: () => Promise<void>) => void;
  /** The release of Kubernetes that the server emulates. */
  readonly release: Release;
  /** Registers a function that gives back what the stored object no longer uses. It is called after the write. It must not reject. */
  readonly ifStored: (giveBack: () => Promise<void>) => void;
  /** The API in process, records and settings, for `allocate` and `release` of a kind. */
  readonly allocation: Allocation;
  /** The name in the URL; "" for a POST to a collection. */
  readonly requestName: string;
  /** Asks whether users may make requests, and issues tokens. */
  readonly access: Access;
  /** Reads other objects, of any served kind. */
  readonly read: Reader;
  /** Adds the text of a Warning header to the response. */
  readonly warn: (text: string) => void;
  /**
   * Adds an annotation to the audit event of the request, if there is one. The first value of a key is kept. It must not contain secrets.
   * With `level`, the annotation is added only if the event also has the body of the request, which is then no secret.
   */
  readonly annotate: (key: string, value: string, level?: "Request") => void;
}
