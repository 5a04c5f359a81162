/** Times what a request waits for, for the annotations of its audit event. */
import type { CallWebhook } from "../../core/access.ts";
import type { AuditLayer, AuditNotes } from "../../core/audit/notes.ts";
import type { Backend } from "../request-context.ts";
import type { Live, Reads } from "../reads/reads.ts";
import type { Store } from "../store/store.ts";

/** The backend of one request. Reads and writes count as `etcd`, also gets and lists that the cache answers. */
export function timedBackend(backend: Backend, notes: Pick<AuditNotes, "took">): Backend {
  const { meter: { now }, callWebhook } = backend;
  const took = (since: number) => notes.took("etcd", now() - since);
  const timed = <T>(run: () => Promise<T>): Promise<T> => {
    const begun = now();
    return run().finally(() => took(begun));
  };
  return {
    ...backend,
    store: timedStore(backend.store, timed),
    reads: { ...timedReads(backend.reads, timed), live: (...args) => timedLive(() => backend.reads.live(...args), timed, took, now) },
    ...(callWebhook === undefined ? {} : { callWebhook: timedCalls(callWebhook, now, notes) }),
  };
}

type Timed = <T>(run: () => Promise<T>) => Promise<T>;

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

function timedReads(reads: Reads, timed: Timed): Omit<Reads, "live"> {
  return {
    get: (...args) => timed(() => reads.get(...args)),
    list: (...args) => timed(() => reads.list(...args)),
    inMemory: (collection) => reads.inMemory(collection),
    changeMark: (collection) => reads.changeMark(collection),
    watch: (watching) => reads.watch(watching),
  };
}

/** As upstream, an object from memory takes no time of the store; its renewal does. */
async function timedLive(read: () => Promise<Live>, timed: Timed, took: (since: number) => void, now: () => number): Promise<Live> {
  const begun = now();
  try {
    const found = await read(), { renew } = found;
    if (renew !== undefined) return { ...found, renew: () => timed(renew) };
    took(begun);
    return found;
  } catch (error) {
    took(begun);
    throw error;
  }
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
