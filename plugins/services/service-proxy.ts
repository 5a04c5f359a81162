/** `proxy` of a service: requests to one of the pods behind it. */
import { goQuote, joinPath, passOn, type SubresourceConnect } from "../../toolbox.ts";
import { type ApiObject, badRequestError, notFoundError, type RequestHookContext, StatusError } from "../../plugin.ts";
import { hostAndPort } from "../shared/kubelet/kubelet.ts";
import { proxyMethods, type ProxyOptions, ServiceProxyOptions } from "../shared/kubelet/proxy-options.ts";
import { isProxiedAddress, proxiedName } from "../shared/proxied.ts";
import type { Endpoints } from "./endpoints-schema.ts";
import type { Service } from "./service-schema.ts";

type Subset = NonNullable<Endpoints["subsets"]>[number];
type EndpointAddress = NonNullable<Subset["addresses"]>[number];
type FoundPod = ApiObject & { readonly status?: { readonly podIPs?: readonly { readonly ip?: string }[] } };

function unavailable(message: string): StatusError {
  return new StatusError("ServiceUnavailable", message);
}

/** The name of the service's port with a number; a name stays itself. */
async function portName(namespace: string, name: string, port: string, { read }: RequestHookContext): Promise<string> {
  if (!/^[+-]?[0-9]+$/.test(port)) return port;
  const service = await read.get("v1", "services", namespace, name) as Service | undefined; // the type of the resource
  if (service === undefined) throw notFoundError({ group: "", name: "services" }, name);
  const found = service.spec.ports?.find((each) => each.port === Number(port));
  if (found === undefined) throw unavailable(`no service port ${Number(port)} found for service ${goQuote(name)}`);
  return found.name ?? "";
}

/** Whether an address is that of the pod that it names: whoever writes endpoints could otherwise reach any server. */
async function isOfPod({ ip, targetRef }: EndpointAddress, namespace: string, { read }: RequestHookContext): Promise<boolean> {
  if (targetRef === undefined || targetRef === null || (targetRef.namespace ?? "") !== namespace) return false;
  const pod = await read.get("v1", "pods", namespace, targetRef.name ?? "") as FoundPod | undefined; // the type of the resource
  return isProxiedAddress(ip) && pod?.status?.podIPs?.some((each) => each.ip === ip) === true;
}

/** The values in their order, beginning at a random one. */
function rotated<T>(values: readonly T[]): readonly T[] {
  const from = Math.floor(Math.random() * values.length);
  return [...values.slice(from), ...values.slice(0, from)];
}

/** Host and port of a pod behind the service; undefined if there is none. */
async function backendOf(
  subsets: readonly Subset[],
  namespace: string,
  port: string,
  context: RequestHookContext,
): Promise<string | undefined> {
  for (const { addresses, ports } of rotated(subsets)) {
    for (const each of ports ?? []) {
      if ((each.name ?? "") !== port) continue;
      for (const address of rotated(addresses ?? [])) {
        if (await isOfPod(address, namespace, context)) return hostAndPort(address.ip, each.port);
      }
    }
  }
  return undefined;
}

export const serviceProxy: SubresourceConnect<ProxyOptions> = {
  options: { groupVersion: "v1", schema: ServiceProxyOptions },
  methods: proxyMethods,
  hasPath: true,
  async open(request, context) {
    const { namespace } = request, named = proxiedName(request.name);
    if (named === undefined) throw badRequestError(`invalid service request ${goQuote(request.name)}`);
    const port = await portName(namespace, named.name, named.port, context);
    const endpoints = await context.read.get("v1", "endpoints", namespace, named.name) as Endpoints | undefined; // the type of the resource
    // The error names the service, as in kube-apiserver.
    if (endpoints === undefined) throw notFoundError({ group: "", name: "services" }, named.name);
    const { subsets } = endpoints;
    if ((subsets ?? []).length === 0) throw unavailable(`no endpoints available for service ${goQuote(named.name)}`);
    const host = await backendOf(subsets ?? [], namespace, port, context);
    if (host === undefined) throw unavailable(`no endpoints available for service ${goQuote(request.name)}`);
    return await passOn(request, {
      origin: `${named.scheme === "" ? "http" : named.scheme}://${host}`,
      path: joinPath(request.options.path ?? ""),
      access: {},
    });
  },
};
