/** The pod of a request, and its container. */
import { badRequestError, notFoundError, type RequestHookContext } from "../../../plugin.ts";
import { everyContainer } from "../../shared/pod/containers-of.ts";
import type { Pod } from "../pod-schema.ts";

/** Resolves with the pod. Rejects with 404 if there is none. */
export async function podOf(namespace: string, name: string, { read }: Pick<RequestHookContext, "read">): Promise<Pod> {
  const pod = await read.get("v1", "pods", namespace, name) as Pod | undefined; // the type of the resource
  if (pod === undefined) throw notFoundError({ group: "", name: "pods" }, name);
  return pod;
}

/** Returns the container that the client means. Throws 400 if the pod has none of that name, or several to choose from. */
export function containerOf({ metadata: { name }, spec }: Pod, asked: string): string {
  const all = everyContainer(spec).map((each) => each.name), [only, ...more] = spec.containers ?? [];
  if (asked !== "") {
    if (all.includes(asked)) return asked;
    throw badRequestError(`container ${asked} is not valid for pod ${name}`);
  }
  if (only === undefined) throw badRequestError(`a container name must be specified for pod ${name}`);
  if (more.length > 0) throw badRequestError(`a container name must be specified for pod ${name}, choose one of: [${all.join(" ")}]`);
  return only.name;
}
