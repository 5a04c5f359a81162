/** The types of a deployment's parts. */
import type { World } from "../../world/world.ts";

/** A deployment, as it is stored. */
export type Deployment = NonNullable<ReturnType<World["deployments"]["at"]>>;
/** A replica set, as it is stored. */
export type ReplicaSet = NonNullable<ReturnType<World["replicaSets"]["at"]>>;
