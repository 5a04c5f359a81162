import type { Admission } from "../../plugin.ts";
import type { Service } from "./service-schema.ts";
import { services } from "./service.ts";

/** Rejects external addresses that a service does not have already. Off by default, as in kube-apiserver. */
export const denyServiceExternalIPs: Admission<Service> = {
  name: "DenyServiceExternalIPs",
  isOptional: true,
  resources: [services],
  refuse(next, prior, { subresource }) {
    if (subresource !== "") return undefined;
    const known = new Set(prior?.spec.externalIPs ?? []);
    const isNew = (next.spec.externalIPs ?? []).some((each) => !known.has(each));
    return isNew ? "Use of external IPs is denied by admission control" : undefined;
  },
};
