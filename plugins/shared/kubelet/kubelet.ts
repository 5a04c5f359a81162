/** Where the kubelet of a node is, and with which credentials it is reached. */
import { type ApiObject, badRequestError, notFoundError, type RequestHookContext, StatusError } from "../../../plugin.ts";
import { goQuote, type PeerAccess } from "../../../toolbox.ts";
import { isSimulated } from "./simulated.ts";
import { addressTypesSetting, authoritySetting, certificateSetting, keySetting } from "./settings.ts";

/** The port of a kubelet whose node names none. */
const kubeletPort = 10_250;
/** The order of upstream's default. */
const addressTypes: readonly string[] = Object.freeze(["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"]);

/** The members of a node that are read here. */
type FoundNode = ApiObject & {
  readonly status: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port?: number } };
    readonly nodeInfo?: { readonly containerRuntimeVersion?: string };
  };
};

/** A kubelet. */
export interface Kubelet {
  /** The name or address. */
  readonly host: string;
  readonly port: number;
  readonly access: PeerAccess;
}

/** Resolves with the node of this name. Rejects with 404 if there is none. */
export async function nodeOf(name: string, { read }: RequestHookContext): Promise<FoundNode> {
  const node = await read.get("v1", "nodes", "", name) as FoundNode | undefined; // the type of the resource
  if (node === undefined) throw notFoundError({ group: "", name: "nodes" }, name);
  return node;
}

/** Resolves with the kubelet of a node. Rejects with 404 if there is no such node, with 400 if it is simulated, and with 500 if it has no address. */
export async function kubeletOf(name: string, context: RequestHookContext): Promise<Kubelet> {
  return kubeletAt(await nodeOf(name, context), context);
}

/** Returns the kubelet of a node. Throws as `kubeletOf` rejects. */
export function kubeletAt(node: FoundNode, { allocation: { setting } }: RequestHookContext): Kubelet {
  if (isSimulated(node)) throw badRequestError(`the node ${goQuote(node.metadata.name ?? "")} is simulated: it runs no containers`);
  const { addresses = [], daemonEndpoints } = node.status, port = daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  const wished = setting(addressTypesSetting), types = wished.length === 0 ? addressTypes : wished;
  const [host] = types.flatMap((type) => addresses.find((each) => each.type === type)?.address ?? []);
  if (host === undefined) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
    throw new StatusError("Unknown", `no preferred addresses found; known addresses: [${known}]`, { code: 500 });
  }
  const [caFile, certFile, keyFile] = [setting(authoritySetting), setting(certificateSetting), setting(keySetting)];
  return {
    host,
    port: port > 0 ? port : kubeletPort,
    access: {
      ...(caFile === "" ? {} : { caFile }),
      ...(certFile === "" ? {} : { certFile }),
      ...(keyFile === "" ? {} : { keyFile }),
    },
  };
}

const portMax = 65_535;

/**
 * Host and port as in a URL. Both may come from clients and kubelets: other characters would lead the request to another host or path.
 *
 * @throws StatusError 503 for what is no port or no host, as Go's dialer has it
 */
export function hostAndPort(host: string, port: number | string): string {
  const text = String(port);
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) > portMax) throw unreachable(`address ${text}: invalid port`);
  return `${hostInUrl(host)}:${text}`;
}

/** A host as in a URL, IPv6 addresses in brackets. Throws a StatusError 503 for what is none. */
export function hostInUrl(host: string): string {
  if (!/^[A-Za-z0-9._:-]+$/.test(host)) throw unreachable(`lookup ${goQuote(host)}: no such host`);
  return host.includes(":") ? `[${host}]` : host;
}

function unreachable(why: string): StatusError {
  return new StatusError("ServiceUnavailable", `error trying to reach service: dial tcp: ${why}`);
}
