import type { Admission } from "../../plugin.ts";
import { spell } from "../../toolbox.ts";
import type { Node } from "./node-schema.ts";

/** Gives new nodes the taint that they are not ready, so that no pod is placed on them before the node controller has seen them. */
export const taintNodesByCondition: Admission<Node> = {
  name: "TaintNodesByCondition",
  resources: ["nodes"],
  mutate(next, prior, { subresource, names }) {
    if (prior !== undefined || subresource !== "") return next;
    const key = spell(names, "node.{platform}.io/not-ready"), effect = "NoSchedule", { taints = [] } = next.spec;
    if (taints.some((each) => each.key === key && each.effect === effect)) return next;
    return { ...next, spec: { ...next.spec, taints: [...taints, { key, effect }] } };
  },
};
