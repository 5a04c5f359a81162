import type { Admission } from "../../../plugin.ts";
import { spell } from "../../../toolbox.ts";
import type { Toleration } from "../../shared/pod/affinity.ts";
import type { Pod } from "../pod-schema.ts";
import { pods } from "../pod.ts";

/** Seconds for which a pod stays on a node that is not ready or not reachable. */
const defaultSeconds = 300;

/** Adds tolerations of nodes that are not ready or not reachable, unless the pod says how long it tolerates them. */
export const defaultTolerationSeconds: Admission<Pod> = {
  name: "DefaultTolerationSeconds",
  resources: [pods],
  mutate(next, _prior, { names, subresource }) {
    if (subresource !== "") return next;
    const { tolerations = [] } = next.spec;
    const covers = (taint: string) => ({ key = "", effect }: Toleration) =>
      (key === taint || key === "") && (effect === "NoExecute" || !effect);
    const missing = ["node.{platform}.io/not-ready", "node.{platform}.io/unreachable"].map((key) => spell(names, key))
      .filter((key) => !tolerations.some(covers(key)));
    if (missing.length === 0) return next;
    const added = missing.map((key): Toleration => ({
      key,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: defaultSeconds,
    }));
    return { ...next, spec: { ...next.spec, tolerations: [...tolerations, ...added] } };
  },
};
