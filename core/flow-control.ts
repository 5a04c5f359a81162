/** How a plugin decides when a request may run. At most one plugin of a server has a flow control. */
import type { MetricOf } from "../metrics/mod.ts";
import type { AuthorizationAttributes } from "./access.ts";
import type { Api } from "./api.ts";
import type { Shared } from "./allocation.ts";
import type { Names } from "./names.ts";
import type { StatusError } from "./status-error.ts";
import type { UserInfo } from "./user-info.ts";

/** A request from the network that asks for its place, after impersonation and before authorization. */
export interface FlowRequest {
  /** The user that the request acts as. */
  readonly user: UserInfo;
  /** What the request asks for, and its query parameters. */
  readonly attributes: AuthorizationAttributes & { readonly query: { first(name: string): string } };
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** The longest time that the request may take, in milliseconds. */
  readonly allowedMs: number;
}

/** The place of a request among those that run, released by its disposal with the last byte of the reply. */
export interface Place extends Disposable {
  /** Headers that every reply to the request gets. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The error with which the request is answered in place of running. */
  readonly refusal?: StatusError;
  /** Called for a watch when its reply begins: its first state is read. */
  begun?(): void;
}

/** A running flow control. */
export interface FlowControl {
  /** Returns the place of a request, or a promise that resolves with it when the request may run. Must neither throw nor reject. */
  enter(request: FlowRequest): Place | Promise<Place>;
  /** Returns the text at a path below `/debug/`, whose readers are authorized; undefined for a path that it does not serve. */
  debugText?(path: string, query: { first(name: string): string }): string | undefined;
}

/** What a flow control of a plugin gets. It is valid until the signal aborts. */
export interface FlowControlContext {
  /** The names that replace `{domain}` and `{platform}`. */
  readonly names: Names;
  /** The API in process, as a member of system:masters. Its own requests pass no flow control. */
  readonly api: Api;
  /** Reads the settings in force. */
  readonly setting: Shared["setting"];
  /** The recorder of a metric that the plugin declares in `metrics`. Throws for any other. */
  readonly metric: MetricOf;
  /** Resolves with the number of stored objects of a resource; with undefined if it is not served or cannot be counted. */
  readonly countObjects: (group: string, resource: string) => Promise<number | undefined>;
  /** Logs an error: a sentence without secrets, and the error. */
  readonly logError: (sentence: string, error?: unknown) => void;
  /** Aborts when the server stops, or when the plugin is no longer served. */
  readonly signal: AbortSignal;
}

/** The flow control of a plugin. */
export interface FlowControlDefinition {
  /** Starts the flow control. Must not throw. */
  open(context: FlowControlContext): FlowControl;
}
