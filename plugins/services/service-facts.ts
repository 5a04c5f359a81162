/** What the fields of a service mean, for its rules and for the allocation of addresses and ports. */
import type { Service, ServiceSpec } from "./service-schema.ts";

export type Family = NonNullable<ServiceSpec["ipFamilies"]>[number];

/** The value of `clusterIP` of a headless service. */
export const none = "None";

export const addressesOf = ({ spec }: Service): readonly string[] => spec.clusterIPs ?? [];
export const familiesOf = ({ spec }: Service): readonly Family[] => spec.ipFamilies ?? [];
export const isName = ({ spec }: Service): boolean => spec.type === "ExternalName";
export const isBalancer = ({ spec }: Service): boolean => spec.type === "LoadBalancer";
export const isHeadless = (service: Service): boolean => {
  const [first, ...others] = addressesOf(service);
  return first === none && others.length === 0;
};
/** Whether the type can have ports on nodes. */
export const takesNodePorts = ({ spec }: Service): boolean => spec.type === "NodePort" || spec.type === "LoadBalancer";
/** Whether ports on nodes are allocated for ports without one. */
export const wantsNodePorts = ({ spec }: Service): boolean =>
  spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);
/** Whether traffic from outside is possible, so that its policy can be set. */
export const isOutside = ({ spec }: Service): boolean =>
  spec.type === "LoadBalancer" || spec.type === "NodePort" || (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);
/** Whether the service has a port for health checks. */
export const hasHealthCheck = ({ spec }: Service): boolean => spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";

export const sameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((each, i) => each === b[i]);
export const sameAddresses = (a: Service, b: Service): boolean => sameList(addressesOf(a), addressesOf(b));
export const sameFamilies = (a: Service, b: Service): boolean => sameList(familiesOf(a), familiesOf(b));

/** All ports on nodes that a service uses. */
export function nodePortsOf(service: Service): readonly number[] {
  const ports = (service.spec.ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0);
  const { healthCheckNodePort = 0 } = service.spec;
  return hasHealthCheck(service) && healthCheckNodePort > 0 ? [...ports, healthCheckNodePort] : ports;
}

/** The spec with some values; those that are undefined are removed. */
export function withSpec(service: Service, changes: { readonly [Name in keyof ServiceSpec]?: ServiceSpec[Name] | undefined }): Service {
  const spec: Record<string, unknown> = { ...service.spec, ...changes };
  for (const [name, value] of Object.entries(changes)) if (value === undefined) delete spec[name];
  return { ...service, spec: spec as ServiceSpec }; // only fields of the spec
}
