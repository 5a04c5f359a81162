/** Nodes without a kubelet that listens. */

/** The beginning of `status.nodeInfo.containerRuntimeVersion` of nodes that `--simulate` keeps. */
export const simulatedRuntime = "simulated://";
