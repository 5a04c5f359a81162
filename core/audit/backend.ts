/** Backends of audit events. */
import type { AuditEvent } from "./event.ts";

/** An event and its JSON, which is encoded once for all backends. */
export interface WrittenEvent {
  readonly event: AuditEvent;
  /** The members of the event; see `eventMembers`. */
  readonly members: string;
  /** Bytes of its JSON line, with kind, apiVersion and line end. */
  readonly bytes: number;
}

export interface AuditBackend {
  /** False, or a promise of it, if an event was lost and its request must fail. Never rejects. */
  process(events: readonly WrittenEvent[]): boolean | Promise<boolean>;
  /** Sends buffered events until the signal aborts. Accepts no further events. */
  close(signal: AbortSignal): Promise<void>;
}

/** Reports events that a backend could not deliver: counted by backend, and logged without the events. */
export type LostEvents = (backend: string, reason: string, count: number) => void;
