/** Where the service of an APIService is. */
import { type Api, type ApiObject, StatusError } from "../../plugin.ts";
import { goQuote, type Names, type PeerAccess, type SettingOf, spell } from "../../toolbox.ts";
import { addressesSetting, certificateSetting, keySetting, routingSetting } from "./settings.ts";
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

/** The name in the certificate of its servers. */
function serverName({ namespace, name }: Target): string {
  return `${name}.${namespace}.svc`;
}

/** How the servers of an APIService are reached: its own CAs, and the certificate of this server. */
export function accessOf({ spec }: Pick<APIService, "spec">, target: Target, setting: SettingOf): PeerAccess {
  const certFile = setting(certificateSetting), keyFile = setting(keySetting);
  return {
    keeps: true,
    ...(certFile === "" ? {} : { certFile, keyFile }),
    ...(spec.insecureSkipTLSVerify === true ? {} : {
      verify: {
        ca: spec.caBundle === undefined || spec.caBundle === "" ? "" : atob(spec.caBundle),
        serverName: serverName(target),
      },
    }),
  };
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

/** A service, and the endpoints behind it. */
interface Place {
  readonly service: FoundService | undefined;
  /** None if they are not used. */
  readonly slices: readonly FoundSlice[];
}
async function placeOf(api: Api, names: Names, target: Target, byEndpoint: boolean): Promise<Place> {
  const [service, slices] = await Promise.all([serviceOf(api, target), byEndpoint ? slicesOf(api, names, target) : []]);
  return { service, slices };
}

/** Resolves with scheme, host and port: those that settings name, of an endpoint, or the cluster address. Rejects with an Error if there are none. */
export async function originOf(api: Api, names: Names, target: Target, setting: SettingOf, read = placeOf): Promise<string> {
  const given = setting(addressesSetting).get(`${serverName(target)}:${target.port}`), byEndpoint = setting(routingSetting);
  return given === undefined ? originIn(await read(api, names, target, byEndpoint), target, byEndpoint) : `https://${given}`;
}

function originIn({ service, slices }: Place, { name, port }: Target, byEndpoint: boolean): string {
  if (service === undefined) throw new Error(`service ${goQuote(name)} not found`);
  const { type = "ClusterIP", clusterIP = "", externalName = "" } = service.spec;
  if (type === "ExternalName" && !byEndpoint) return originAt(externalName, port);
  if (!routed.has(type)) throw new Error(`unsupported service type ${goQuote(type)}`);
  if (!byEndpoint && type === "ClusterIP" && clusterIP === "None") throw new Error('cannot route to service with ClusterIP "None"');
  const found = service.spec.ports?.find((each) => each.port === port);
  if (found === undefined) throw new Error(`no service port ${port} found for service ${goQuote(name)}`);
  if (!byEndpoint) return originAt(clusterIP, port);
  const at = endpointIn(inOrder(slices, service.spec.ipFamilies?.[0]), found.name ?? "");
  if (at === undefined) throw new Error(`no endpoints available for service ${goQuote(name)}`);
  return at;
}

/** Milliseconds for which a service and its endpoints are used before they are read again: each read is a request of its own, also for the audit. */
const placeMs = 1_000;
/** Services that are kept. */
const placesMax = 1_024;

/** Returns a reader of places that remembers them for a moment. `now`: milliseconds that never decrease. */
export function rememberedPlaces(now: () => number): typeof placeOf {
  const known = new Map<string, { readonly at: number; readonly place: Promise<Place> }>();
  return (api, names, target, byEndpoint) => {
    const key = `${target.namespace}/${target.name}`, kept = known.get(key);
    if (kept !== undefined && now() - kept.at < placeMs) return kept.place;
    if (known.size >= placesMax) known.clear();
    const place = placeOf(api, names, target, byEndpoint);
    known.set(key, { at: now(), place });
    place.catch(() => known.delete(key));
    return place;
  };
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
