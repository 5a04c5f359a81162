import { type Admission, type ApiObject, forbiddenError, type RequestHookContext } from "../../plugin.ts";
import { sameAmounts } from "../../toolbox.ts";
import type { Toleration } from "../shared/pod/affinity.ts";
import type { RuntimeClass } from "./runtime-class.ts";
import { mergeTolerations } from "../shared/pod/tolerations.ts";

/** The members of a pod that the step reads and sets. */
interface Pod extends ApiObject {
  readonly spec: {
    readonly runtimeClassName?: string;
    readonly overhead?: Readonly<Record<string, string>>;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
  };
}

const otherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/** The class that the pod names, or undefined if the pod names none or the class is missing. */
async function classOf({ spec: { runtimeClassName: name } }: Pod, { read }: RequestHookContext): Promise<RuntimeClass | undefined> {
  if (name === undefined) return undefined;
  return await read.get("node.{domain}/v1", "runtimeclasses", "", name) as RuntimeClass | undefined; // the type of the resource
}

/** A new pod gets the overhead, the node labels and the tolerations of its class. */
async function extend(next: Pod, context: RequestHookContext): Promise<Pod> {
  const { runtimeClassName, overhead, nodeSelector, tolerations = [] } = next.spec;
  const found = await classOf(next, context);
  const refuse = (why: string) => forbiddenError({ group: "", name: "pods" }, next.metadata.name ?? next.metadata.generateName ?? "", why);
  if (found === undefined) {
    if (runtimeClassName === undefined) return next;
    throw refuse(`pod rejected: RuntimeClass "${runtimeClassName}" not found`);
  }
  const fixed = found.overhead?.podFixed;
  if (found.overhead !== undefined && Object.keys(overhead ?? {}).length > 0 && !sameAmounts(fixed, overhead)) throw refuse(otherOverhead);
  const { nodeSelector: ofClass = {}, tolerations: tolerationsOfClass = [] } = found.scheduling ?? {};
  for (const [key, value] of Object.entries(ofClass)) {
    const own = nodeSelector !== undefined && Object.hasOwn(nodeSelector, key) ? nodeSelector[key] : value;
    if (own !== value) {
      throw refuse(`conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`);
    }
  }
  const selector = { ...nodeSelector, ...ofClass };
  const merged = context.request.bounded(() => mergeTolerations([...tolerations, ...tolerationsOfClass]));
  return {
    ...next,
    spec: {
      ...next.spec,
      ...(fixed === undefined ? {} : { overhead: fixed }),
      ...(found.scheduling === undefined || Object.keys(selector).length === 0 ? {} : { nodeSelector: selector }),
      ...(found.scheduling === undefined || merged.length === 0 ? {} : { tolerations: merged }),
    },
  };
}

/** Checks the overhead of a new pod after all steps that change it. */
async function reasonAgainst(next: Pod, context: RequestHookContext): Promise<string | undefined> {
  const found = await classOf(next, context), { overhead } = next.spec;
  if (found?.overhead !== undefined) return sameAmounts(found.overhead.podFixed, overhead) ? undefined : otherOverhead;
  return overhead === undefined ? undefined : "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
}

/** Gives new pods what their runtime class says. The name is that of upstream's admission plugin. */
export const runtimeClassAdmission: Admission<Pod> = {
  name: "RuntimeClass",
  resources: ["pods"],
  mutate: (next, prior, context) => prior === undefined && context.subresource === "" ? extend(next, context) : next,
  refuse: (next, prior, context) => prior === undefined && context.subresource === "" ? reasonAgainst(next, context) : undefined,
};
