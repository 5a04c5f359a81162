/** Follows flow schemas and priority levels. */
import { afterCollecting, type Clock, untilAborted } from "../../toolbox.ts";
import { type FollowingContext, followObjects } from "../shared/follow-objects.ts";
import { isServed } from "../shared/is-served.ts";
import type { FlowSchema } from "./flow-schema-schema.ts";
import type { PriorityLevelConfiguration } from "./priority-level-schema.ts";
import { groupVersion } from "./schema.ts";

/** Milliseconds in which changes are collected. */
const gatherMs = 50;

type Changed = (schemas: readonly FlowSchema[], levels: readonly PriorityLevelConfiguration[]) => void;

/** Calls `changed` with all objects, at first when both kinds are known. Works until the signal aborts; not if the kinds are not served. */
export async function followConfigured(context: FollowingContext & { readonly clock: Clock }, changed: Changed): Promise<void> {
  const { signal } = context, of = (resource: string) => ({ groupVersion, resource });
  if (!isServed(context, of("flowschemas")) || !isServed(context, of("prioritylevelconfigurations"))) return;
  const schemas = new Map<string, FlowSchema>(), levels = new Map<string, PriorityLevelConfiguration>();
  let isKnown = false, gathering: (() => void) | undefined;
  const soon = () => {
    if (!isKnown) return;
    gathering ??= afterCollecting(gatherMs, () => {
      gathering = undefined;
      if (!signal.aborted) changed([...schemas.values()], [...levels.values()]);
    }, context.clock);
  };
  const follow = <T>(resource: string, known: Map<string, T>) =>
    followObjects(context, {
      ...of(resource),
      set(object) {
        known.set(object.metadata.name ?? "", object);
        soon();
      },
      remove({ metadata: { name = "" } }) {
        known.delete(name);
        soon();
      },
    });
  void Promise.all([follow("flowschemas", schemas), follow("prioritylevelconfigurations", levels)]).then(() => {
    isKnown = true;
    soon();
  });
  await untilAborted(signal);
  gathering?.();
}
