/** Where the service of an APIService is. */
import { type Api, type ApiObject, StatusError } from "../../plugin.ts";
import { goQuote, type Names, type PeerAccess, spell } from "../../toolbox.ts";
import type { APIService } from "./schema.ts";

/** The members of a service that are read here. */
export type FoundService = ApiObject & {
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly externalName?: string;
    readonly ipFamilies?: readonly string[] | null;
    readonly ports?: readonly { readonly port: number; readonly name?: string }[] | null;
  };
};
/** The members of an endpoint slice that are read here. */
export type FoundSlice = ApiObject & {
  readonly addressType: string;
  readonly endpoints?:
    | readonly { readonly addresses?: readonly string[] | null; readonly conditions?: { readonly ready?: boolean } }[]
    | null;
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null;
};

/** A service that an APIService names. */
export interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The service; undefined for a group version that this server has. */
export function targetOf({ spec: { service } }: Pick<APIService, "spec">): Target | undefined {
  if (service === undefined || service === null) return undefined;
  const { namespace = "", name = "", port } = service;
  return { namespace, name, port: port ?? 443 };
}

/** How the servers of an APIService are reached: their certificates are verified by its own CAs. */
export function accessOf({ spec }: Pick<APIService, "spec">, { namespace, name }: Target): PeerAccess {
  if (spec.insecureSkipTLSVerify === true) return {};
  const ca = spec.caBundle === undefined || spec.caBundle === "" ? "" : atob(spec.caBundle);
  return { verify: { ca, serverName: `${name}.${namespace}.svc` } };
}

/** Resolves with the service; undefined if there is none. */
export async function serviceOf(api: Api, { namespace, name }: Target): Promise<FoundService | undefined> {
  try {
    return await api.get("v1", "services", namespace, name) as FoundService; // the type of the resource
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return undefined;
    throw error;
  }
}

export async function slicesOf(api: Api, names: Names, { namespace, name }: Target): Promise<readonly FoundSlice[]> {
  const labelSelector = `${spell(names, "{platform}.io/service-name")}=${name}`;
  const { items } = await api.list("discovery.{domain}/v1", "endpointslices", namespace, { labelSelector });
  return items as readonly ApiObject[] as readonly FoundSlice[]; // the type of the resource
}

const routed: ReadonlySet<string> = new Set(["ClusterIP", "LoadBalancer", "NodePort"]);

/** Resolves with scheme, host and port. `byEndpoint`: those of an endpoint in place of the cluster address. Rejects with an Error if there are none. */
export async function originOf(api: Api, names: Names, target: Target, byEndpoint: boolean): Promise<string> {
  const service = await serviceOf(api, target), { name, port } = target;
  if (service === undefined) throw new Error(`service ${goQuote(name)} not found`);
  const { type = "ClusterIP", clusterIP = "", externalName = "" } = service.spec;
  if (type === "ExternalName" && !byEndpoint) return originAt(externalName, port);
  if (!routed.has(type)) throw new Error(`unsupported service type ${goQuote(type)}`);
  if (!byEndpoint && type === "ClusterIP" && clusterIP === "None") throw new Error('cannot route to service with ClusterIP "None"');
  const found = service.spec.ports?.find((each) => each.port === port);
  if (found === undefined) throw new Error(`no service port ${port} found for service ${goQuote(name)}`);
  if (!byEndpoint) return originAt(clusterIP, port);
  const at = endpointIn(inOrder(await slicesOf(api, names, target), service.spec.ipFamilies?.[0]), found.name ?? "");
  if (at === undefined) throw new Error(`no endpoints available for service ${goQuote(name)}`);
  return at;
}

function originAt(host: string, port: number): string {
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Those of the first family of the service come first. */
function inOrder(slices: readonly FoundSlice[], family: string | undefined): readonly FoundSlice[] {
  return [...slices.filter(({ addressType }) => addressType === family), ...slices.filter(({ addressType }) => addressType !== family)];
}

/** A ready endpoint with a port of this name, beginning at a random one. */
function endpointIn(slices: readonly FoundSlice[], portName: string): string | undefined {
  for (const { endpoints, ports } of slices) {
    const port = ports?.find((each) => (each.name ?? "") === portName && each.port !== undefined)?.port;
    const ready = (endpoints ?? []).filter(isReady);
    const chosen = ready[Math.floor(Math.random() * ready.length)]?.addresses?.[0];
    if (port !== undefined && chosen !== undefined) return originAt(chosen, port);
  }
  return undefined;
}

export function isReady({ conditions }: { readonly conditions?: { readonly ready?: boolean } }): boolean {
  return conditions?.ready !== false;
}
