/** Backends of audit events. They are nested: truncation around buffers around a log or a webhook. */
import type { AuditEvent } from "../../../core/audit/event.ts";

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

/** Sends events to each backend. */
export function allBackends(backends: readonly AuditBackend[]): AuditBackend {
  const [first] = backends;
  if (first !== undefined && backends.length === 1) return first;
  return {
    async process(events) {
      const outcomes = await Promise.all(backends.map((backend) => backend.process(events)));
      return outcomes.every(Boolean);
    },
    close: async (signal) => void await Promise.all(backends.map((backend) => backend.close(signal))),
  };
}

/** Delivers events synchronously, but does not fail requests for lost events (`--audit-log-mode=blocking`). */
export function ignoringErrors(backend: AuditBackend): AuditBackend {
  return {
    async process(events) {
      await backend.process(events);
      return true;
    },
    close: (signal) => backend.close(signal),
  };
}
