/** Gates of connections with containers. */
import type { Plugin } from "../../../plugin.ts";

/** Whether a log can be limited to one output of the container. */
export const splitStreamsGate = "PodLogsQuerySplitStreams";
/** Whether a websocket, which begins with a GET, needs the right to create as well. */
export const createPermissionGate = "AuthorizePodWebsocketUpgradeCreatePermission";

/** Whether websockets with `v5.channel.k8s.io` are translated for kubelets, which do not speak it. */
export const translateGate = "TranslateStreamCloseWebsocketRequests";
/** Whether websockets may carry the connections of ports. */
export const portsGate = "PortForwardWebsockets";

export const connectionGates: NonNullable<Plugin["featureGates"]> = {
  [splitStreamsGate]: [{ since: "1.32", stage: "Alpha", default: false }],
  [portsGate]: [{ since: "1.30", stage: "Alpha", default: false }, { since: "1.31", stage: "Beta", default: true }],
  [translateGate]: [{ since: "1.29", stage: "Alpha", default: false }, { since: "1.30", stage: "Beta", default: true }],
  [createPermissionGate]: [{ since: "1.35", stage: "Beta", default: true }],
};
