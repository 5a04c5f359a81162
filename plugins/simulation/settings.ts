/** The settings of the simulated cluster. */
import { bound } from "../../core/bound.ts";
import { defineSetting, type SettingKey } from "../../toolbox.ts";

/** Nodes that the simulation creates by itself, at most. Further ones can be created as objects. */
const ownNodesMax = bound(1_000);

/** How many nodes the simulated cluster has at its start. */
export const nodesSetting = defineSetting({
  name: "simulate-nodes",
  kind: "int",
  default: 1,
  help: "Nodes of the simulated cluster: simulated-0 and so on. Missing ones are created at the start. 0: only nodes that clients create.",
  fixed: "the nodes are created once, at start",
  check: (count) => count <= ownNodesMax ? undefined : `${count} is more than ${ownNodesMax}`,
});

/** The emulated release. The kubelets have its version. */
export const releaseSetting: SettingKey<"list"> = Object.freeze({ name: "emulated-version", kind: "list" });
