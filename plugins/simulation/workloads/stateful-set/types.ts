/** The types of a stateful set's parts. */
import type { World } from "../../world/world.ts";

/** A stateful set, as it is stored. */
export type StatefulSet = NonNullable<ReturnType<World["statefulSets"]["at"]>>;
