/** Backends of audit events, those of plugins among them. */
import type { PartContext } from "../part.ts";
import type { AuditEvent } from "./event.ts";

/** An event and its JSON, which is encoded once for all backends. */
export interface WrittenEvent {
  /** One stage of a request. */
  readonly event: AuditEvent;
  /** The members of the event as JSON, without braces, kind and apiVersion. `AuditBackendContext.json` adds these. */
  readonly members: string;
  /** Size in bytes of the event's JSON line, with kind, apiVersion and line end. */
  readonly bytes: number;
}

/** A running backend of audit events. */
export interface AuditBackend {
  /** Takes events. Returns false, or a promise of it, if an event was lost and its request must fail. */
  process(events: readonly WrittenEvent[]): boolean | Promise<boolean>;
  /** Sends buffered events until the signal aborts. Accepts no further events. */
  close(signal: AbortSignal): Promise<void>;
}

/** Reports events that a backend could not deliver: counted by backend, and logged without the events. */
export type LostEvents = (backend: string, reason: string, count: number) => void;

/** What an audit backend of a plugin gets. It is valid while the server runs. */
export interface AuditBackendContext extends PartContext {
  /** Returns the event as one JSON object of kind Event, without a line end. */
  readonly json: (event: WrittenEvent) => string;
  /** Reports events that are lost: they are counted in `apiserver_audit_error_total`, and the reason is logged. It must contain no secrets. */
  readonly lost: (reason: string, count: number) => void;
}

/**
 * A backend of audit events. It gets the events that the policy of `--audit-policy-file` records, beside the log and the webhook of the flags. It is opened once,
 * at the start, in each process that serves requests. If `process` throws, rejects or has no answer after `pluginBackendMs`, the events are counted as lost and
 * requests go on.
 */
export interface AuditBackendDefinition {
  /** The name: lower-case letters, digits and dashes, such as `kafka`. It is the label of the backend's lost events. */
  readonly name: string;
  /** One sentence for reference pages. */
  readonly summary: string;
  /**
   * Whether requests wait for `process`. It then gets one event each time, and a request fails if it returns false for the request's first
   * event. Default: events come in batches, in the background, and are lost when too many wait.
   */
  readonly blocks?: true;
  /** Opens the backend. If it throws or rejects, the server does not start. */
  open(context: AuditBackendContext): AuditBackend | Promise<AuditBackend>;
}
