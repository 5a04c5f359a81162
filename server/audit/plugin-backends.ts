/** The audit backends of plugins: bounded in time and in the events that wait, and never a reason for an internal error. */
import { type Clock, systemClock, within } from "../../core/async.ts";
import type { AuditBackend, AuditBackendDefinition, LostEvents } from "../../core/audit/backend.ts";
import { eventHead } from "../../core/audit/event.ts";
import { bound } from "../../core/bound.ts";
import type { PartContext } from "../../core/part.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { type BatchOptions, buffered } from "./buffered.ts";

/** Milliseconds in which the audit backend of a plugin must take events. */
export const pluginBackendMs = bound(10_000);
/** Audit events that wait for the backend of a plugin; further ones are lost. */
export const pluginEventsWaitingMax = bound(10_000);

const batches: BatchOptions = Object.freeze({
  bufferSize: pluginEventsWaitingMax,
  maxBatchSize: 400,
  maxWaitMs: 1_000,
  throttle: undefined,
  // Events of a backend stay in their order.
  concurrency: 1,
});

export interface PluginBackendNeeds {
  /** The context of a part by its owner, for the log. */
  readonly part: (owner: string) => PartContext;
  readonly lost: LostEvents;
  readonly clock?: Clock;
}

/** Rejects if a backend cannot be opened; those that are open are closed then. */
export async function openPluginBackends(
  definitions: readonly AuditBackendDefinition[],
  { part, lost, clock = systemClock }: PluginBackendNeeds,
): Promise<readonly AuditBackend[]> {
  const opened: AuditBackend[] = [];
  for (const { name, blocks, ...definition } of definitions) {
    try {
      const context = part(`audit backend ${name}`), head = eventHead(context.names.domain, "Event");
      const backend = await definition.open({
        ...context,
        json: ({ members }) => `${head},${members}}`,
        lost: (reason, count) => lost(name, reason, count),
      });
      const safe = guarded(backend, clock, (reason, count) => lost(name, reason, count));
      opened.push(blocks === true ? safe : buffered(safe, batches, { clock, lost }));
    } catch (error) {
      await Promise.all(opened.map((each) => each.close(AbortSignal.abort())));
      throw new Error(`cannot open the audit backend ${name}: ${reasonOf(error)}`, { cause: error });
    }
  }
  return opened;
}

/** Counts events as lost, and lets their requests go on, if the backend throws, rejects or has no answer in time. */
function guarded(backend: AuditBackend, clock: Clock, lost: (reason: string, count: number) => void): AuditBackend {
  return {
    process(events) {
      const failed = (error: unknown) => {
        lost(reasonOf(error), events.length);
        return true;
      };
      try {
        const outcome = backend.process(events);
        if (!(outcome instanceof Promise)) return outcome;
        return within(outcome, pluginBackendMs, () => new Error(`no answer within ${pluginBackendMs} ms`), clock).catch(failed);
      } catch (error) {
        return failed(error);
      }
    },
    close: async (signal) => {
      try {
        await backend.close(signal);
      } catch (error) {
        lost(`it was not closed: ${reasonOf(error)}`, 0);
      }
    },
  };
}
