/** The initial frames of a watch: the current state, or the events after a revision, up to the first event of the ring. */
import { chosenOf, frameOf } from "../../reads/direct-reads.ts";
import { lostHistory, revisionOf, startsWithState, watchFailure, type Watching } from "../../reads/reads.ts";
import type { Revision, Store } from "../../store/store.ts";
import type { Cursor } from "./cursor.ts";
import type { KindCache } from "../kind/kind-cache.ts";
import { type RevisionWaitNeeds, waitForRevision } from "../wait-for-revision.ts";
import { selectionOf } from "../index/selection.ts";
import { stateFrames } from "./state-frames.ts";

export interface InitialFramesNeeds extends RevisionWaitNeeds {
  readonly store: Store;
}

/** The frames that a watch begins with: the present state, or the events before the oldest one in the ring. */
export async function* initialFrames(
  needs: InitialFramesNeeds,
  kind: KindCache,
  watching: Watching,
  cursor: Cursor,
): AsyncGenerator<Uint8Array, void> {
  const { cache } = needs;
  const { options, framing } = watching;
  const { signal } = cursor;
  const from = revisionOf(options.resourceVersion, "watch");
  try {
    if (from !== undefined && cache.isLost(from)) throw lostHistory();
    if (from !== undefined && from > 0 && options.sendInitialEvents !== true) {
      return from >= kind.ring.start ? join(kind, cursor, from) : yield* history(needs, kind, watching, cursor, from);
    }
    if (from === undefined) await waitForRevision(needs, kind.meter, await cache.newest(signal), signal);
    else if (from > 0) await waitForRevision(needs, kind.meter, from, signal);
    if (cursor.isFailing) return;
    const { index } = kind;
    const { revision } = cache;
    cursor.join(kind.ring.end, revision);
    if (startsWithState(options, from)) yield* stateFrames(kind, index, watching, cursor);
    if (options.sendInitialEvents === true && options.allowWatchBookmarks) {
      const frame = framing.bookmark(revision, true, cursor.isFirst);
      cursor.sent(frame.length);
      yield frame;
    }
  } catch (error) {
    if (signal.aborted) return;
    const frame = framing.error(watchFailure(watching.collection.endpoint.stored, error, from ?? 0));
    cursor.sent(frame.length);
    yield frame;
    cursor.end();
  }
}

/** Yields the events from the store's history up to the revision at which the ring begins. */
async function* history(
  needs: InitialFramesNeeds,
  kind: KindCache,
  watching: Watching,
  cursor: Cursor,
  from: Revision,
): AsyncGenerator<Uint8Array, void> {
  const { collection, options } = watching;
  const { prefix, within } = collection;
  const { key } = selectionOf(collection, options);
  const chosen = chosenOf(collection, options, key);
  for await (const { events, revision } of needs.store.watch({ prefix, within }, from, cursor.signal)) {
    kind.meter.began(events.length);
    for (const event of events) {
      const frame = frameOf(watching, event, chosen, cursor.isFirst);
      if (frame === undefined) continue;
      cursor.sent(frame.length);
      yield frame;
    }
    if (revision >= kind.ring.start) return join(kind, cursor, revision);
  }
}

/** Makes the cursor continue after a revision with the events in the ring. */
function join(kind: KindCache, cursor: Cursor, from: Revision): void {
  const position = kind.ring.after(from);
  kind.meter.began(kind.ring.end - position);
  cursor.join(position, from);
}
