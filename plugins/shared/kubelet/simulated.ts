/** Nodes without a kubelet that listens. */

/** The beginning of `status.nodeInfo.containerRuntimeVersion` of nodes that `--simulate` keeps. */
export const simulatedRuntime = "simulated://";

/** Whether a node is simulated. */
export function isSimulated(
  { status }: { readonly status: { readonly nodeInfo?: { readonly containerRuntimeVersion?: string } } },
): boolean {
  return status.nodeInfo?.containerRuntimeVersion?.startsWith(simulatedRuntime) === true;
}
