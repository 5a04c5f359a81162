/** The types of a daemon set's parts. */
import type { World } from "../../world/world.ts";

/** A daemon set, as it is stored. */
export type DaemonSet = NonNullable<ReturnType<World["daemonSets"]["at"]>>;
