import type { Admission, ApiObject } from "../../plugin.ts";
import { isDefaultClass } from "./ingress-class.ts";
import { annotatedClass, ingresses } from "./ingress.ts";
import type { Ingress } from "./ingress-schema.ts";

/**
 * Sets the default class on a new ingress that names none. Of several defaults, the newest wins, then the first by name. The name is that of
 * upstream's admission plugin.
 */
export const defaultIngressClass: Admission<Ingress> = {
  name: "DefaultIngressClass",
  resources: [ingresses],
  async mutate(next, prior, { names, read }) {
    if (prior !== undefined || next.spec.ingressClassName !== undefined || annotatedClass(next, names) !== undefined) return next;
    const classes = await read.list("networking.{domain}/v1", "ingressclasses", "");
    const [newest] = classes.filter((each) => isDefaultClass(each, names)).toSorted(newestFirst);
    return newest === undefined ? next : { ...next, spec: { ...next.spec, ingressClassName: newest.metadata.name! } }; // `!`: stored objects have names
  },
};

function newestFirst({ metadata: a }: ApiObject, { metadata: b }: ApiObject): number {
  const [x, y] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  if (x !== y) return x < y ? 1 : -1;
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}
