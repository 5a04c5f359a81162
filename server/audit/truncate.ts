/** Bounds the size of events and batches (`--audit-log-truncate-*`, `--audit-webhook-truncate-*`). */
import type { AuditEvent } from "../../core/audit/event.ts";
import type { AuditBackend, LostEvents, WrittenEvent } from "../../core/audit/backend.ts";

export interface TruncateOptions {
  /** Bytes of JSON of one event, and of the events that are delivered together. */
  readonly maxEventSize: number;
  readonly maxBatchSize: number;
  /** `audit.k8s.io/truncated`. */
  readonly annotation: string;
  readonly write: (event: AuditEvent) => WrittenEvent;
  readonly lost: LostEvents;
}

/**
 * Removes request and response objects from events that are too large. Events that are still too large are lost; as in kube-apiserver,
 * their requests do not fail. Batches are split.
 */
export function truncating(backend: AuditBackend, { maxEventSize, maxBatchSize, annotation, write, lost }: TruncateOptions): AuditBackend {
  const bounded = (written: WrittenEvent): WrittenEvent | undefined => {
    if (written.bytes <= maxEventSize) return written;
    if (written.event.level === "Metadata") return undefined;
    const annotations = new Map(written.event.annotations).set(annotation, "true");
    const smaller = write({ ...written.event, requestObject: undefined, responseObject: undefined, annotations });
    return smaller.bytes <= maxEventSize ? smaller : undefined;
  };
  return {
    async process(events) {
      const outcomes: (boolean | Promise<boolean>)[] = [];
      let batch: WrittenEvent[] = [], size = 0, tooLarge = 0;
      const deliver = () => {
        if (batch.length > 0) outcomes.push(backend.process(batch));
        batch = [];
        size = 0;
      };
      for (const event of events.map(bounded)) {
        if (event === undefined) {
          tooLarge++;
          continue;
        }
        if (size + event.bytes > maxBatchSize) deliver();
        batch.push(event);
        size += event.bytes;
      }
      deliver();
      if (tooLarge > 0) lost("truncate", "event is too large even after truncating", tooLarge);
      return (await Promise.all(outcomes)).every(Boolean);
    },
    close: (signal) => backend.close(signal),
  };
}
