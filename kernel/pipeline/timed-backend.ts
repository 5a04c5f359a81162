/** Times what a request waits for, for the annotations of its audit event. */
import type { CallWebhook } from "../../core/access.ts";
import type { AuditLayer, AuditNotes } from "../../core/audit/notes.ts";
import type { Backend } from "../request-context.ts";
import type { Reads, Timed } from "../reads/reads.ts";
import type { Store } from "../store/store.ts";

/** The backend of one request. Reads of the store and writes count as `etcd`; as upstream, what memory answers takes no time of the store. */
export function timedBackend(backend: Backend, notes: Pick<AuditNotes, "took">): Backend {
  const { meter: { now }, callWebhook } = backend;
  const timed: Timed = (run) => {
    const begun = now();
    return run().finally(() => notes.took("etcd", now() - begun));
  };
  return {
    ...backend,
    store: timedStore(backend.store, timed),
    reads: timedReads(backend.reads, timed),
    ...(callWebhook === undefined ? {} : { callWebhook: timedCalls(callWebhook, now, notes) }),
  };
}

function timedStore(store: Store, timed: Timed): Store {
  return {
    get: (...args) => timed(() => store.get(...args)),
    list: (...args) => timed(() => store.list(...args)),
    newest: () => store.newest(),
    commit: (change) => timed(() => store.commit(change)),
    watch: (...args) => store.watch(...args),
    claim: (...args) => store.claim(...args),
    compact: (revision) => store.compact(revision),
    size: () => store.size(),
    close: () => store.close(),
  };
}

function timedReads(reads: Reads, timed: Timed): Reads {
  return {
    get: (kind, key, resourceVersion, waiter) => reads.get(kind, key, resourceVersion, waiter, timed),
    live: (kind, key, waiter) => reads.live(kind, key, waiter, timed),
    list: (collection, options, names, signal) => reads.list(collection, options, names, signal, timed),
    inMemory: (collection) => reads.inMemory(collection),
    changeMark: (collection) => reads.changeMark(collection),
    watch: (watching) => reads.watch(watching),
  };
}

/** The layers of calls, by admission step. As upstream, those of other steps count in the total only. */
const webhookLayers: Readonly<Record<string, AuditLayer>> = Object.freeze({
  MutatingAdmissionWebhook: "mutating-webhook",
  ValidatingAdmissionWebhook: "validating-webhook",
});

function timedCalls(callWebhook: CallWebhook, now: () => number, notes: Pick<AuditNotes, "took">): CallWebhook {
  return async (call, signal) => {
    const begun = now();
    const outcome = await callWebhook(call, signal);
    const layer = webhookLayers[call.step];
    if (layer !== undefined) notes.took(layer, now() - begun);
    return outcome;
  };
}
