/** Gates of connections with containers. */
import type { Plugin } from "../../../plugin.ts";

/** Whether a log can be limited to one output of the container. */
export const splitStreamsGate = "PodLogsQuerySplitStreams";
/** Whether a websocket, which begins with a GET, needs the right to create as well. */
export const createPermissionGate = "AuthorizePodWebsocketUpgradeCreatePermission";

export const connectionGates: NonNullable<Plugin["featureGates"]> = {
  [splitStreamsGate]: [{ since: "1.32", stage: "Alpha", default: false }],
  [createPermissionGate]: [{ since: "1.35", stage: "Beta", default: true }],
};
