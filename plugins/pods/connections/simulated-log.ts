/** The log of a container on a simulated node, which runs nothing. */
import type { Pod } from "../pod-schema.ts";
import { everyContainer } from "../../shared/pod/containers-of.ts";
import type { PodLogOptions } from "./options.ts";

/** One line that says what the container would be. */
export function simulatedLog(pod: Pod, container: string, { limitBytes, tailLines }: PodLogOptions): string {
  const { name, namespace } = pod.metadata, { phase = "Pending" } = pod.status;
  const image = everyContainer(pod.spec).find((each) => each.name === container)?.image ?? "";
  const line = `simulated: container ${container} of pod ${namespace}/${name} would run the image ${image}; the pod is ${phase}\n`;
  return tailLines !== undefined && Number(tailLines) === 0 ? "" : line.slice(0, limitBytes === undefined ? undefined : Number(limitBytes));
}
