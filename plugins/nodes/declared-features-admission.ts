/** Updates of running pods that need a feature which their node must declare (KEP-5328). */
import type { Admission, ApiObject, RequestHookContext } from "../../plugin.ts";
import { compareQuantities, sameValue } from "../../toolbox.ts";
import type { Node } from "./node-schema.ts";
import { declaredFeaturesGate } from "./node.ts";

interface Container {
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
}
type Pod = ApiObject & {
  readonly spec: { readonly nodeName?: string; readonly resources?: object; readonly containers?: readonly Container[] };
  readonly status: { readonly qosClass?: string };
};

const cpuOf = (container: Container | undefined): string => container?.resources?.requests?.["cpu"] ?? "0";

/** Whether an update needs a feature, in the order of their names. */
const features: Readonly<Record<string, (next: Pod, prior: Pod) => boolean>> = {
  GuaranteedQoSPodCPUResize: (next, prior) =>
    prior.status.qosClass === "Guaranteed" &&
    (prior.spec.containers ?? []).some((each, i) => compareQuantities(cpuOf(each), cpuOf(next.spec.containers?.[i])) !== 0),
  InPlacePodLevelResourcesVerticalScaling: (next, prior) => !sameValue(next.spec.resources, prior.spec.resources),
};

async function reasonAgainst(next: Pod, prior: Pod, { read }: RequestHookContext): Promise<string | undefined> {
  const { nodeName = "" } = next.spec, isSame = next.metadata.generation === prior.metadata.generation;
  if (nodeName === "" || isSame) return undefined;
  const needed = Object.entries(features).filter(([, needs]) => needs(next, prior)).map(([name]) => name);
  if (needed.length === 0) return undefined;
  const node = await read.get("v1", "nodes", "", nodeName) as Node | undefined; // the type of the resource
  if (node === undefined) return `node "${nodeName}" not found`;
  const declared = node.status.declaredFeatures ?? [], missing = needed.filter((name) => !declared.includes(name));
  if (missing.length === 0) return undefined;
  return `pod update requires features ${missing.join(", ")} which are not available on node "${nodeName}"`;
}

/** Rejects such updates if the node does not declare the feature. The name is that of upstream's admission plugin. */
export const nodeDeclaredFeatureValidator: Admission<Pod> = {
  name: "NodeDeclaredFeatureValidator",
  resources: ["pods"],
  refuse: (next, prior, context) =>
    prior !== undefined && ["", "resize"].includes(context.subresource) && context.gates(declaredFeaturesGate)
      ? reasonAgainst(next, prior, context)
      : undefined,
};
