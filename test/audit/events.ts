/** Events and backends for tests. */
import { writer } from "../../kernel/access/audit/audit.ts";
import type { AuditBackend, LostEvents, WrittenEvent } from "../../core/audit/backend.ts";
import type { AuditEvent } from "../../core/audit/event.ts";

const write = writer("k8s.io");

/** An event with this id. */
export function eventOf(auditId: string, more: Partial<AuditEvent> = {}): WrittenEvent {
  return write({
    level: "Metadata",
    auditId,
    stage: "ResponseComplete",
    requestUri: "/api/v1/pods",
    verb: "list",
    user: { name: "ann", groups: [] },
    impersonatedUser: undefined,
    sourceIps: [],
    userAgent: "",
    objectRef: undefined,
    responseStatus: undefined,
    requestObject: undefined,
    responseObject: undefined,
    requestReceived: 0,
    stageReached: 0,
    annotations: new Map(),
    ...more,
  });
}
export { write };

/** The ids of events. */
export function idsOf(events: readonly WrittenEvent[]): string {
  return events.map(({ event }) => event.auditId).join(" ");
}

/** A backend that records the ids of its batches, and returns `answer`. */
export function keeping(
  answer: () => boolean | Promise<boolean> = () => true,
): AuditBackend & { readonly batches: string[]; isClosed: boolean } {
  const batches: string[] = [];
  return {
    batches,
    isClosed: false,
    process(events) {
      batches.push(idsOf(events));
      return answer();
    },
    close() {
      this.isClosed = true;
      return Promise.resolve();
    },
  };
}

/** Lost events: `backend: reason (count)`. */
export function losses(): { readonly lost: LostEvents; readonly texts: string[] } {
  const texts: string[] = [];
  return { texts, lost: (backend, reason, count) => void texts.push(`${backend}: ${reason} (${count})`) };
}

/** Runs everything that does not wait for a timer or I/O. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
