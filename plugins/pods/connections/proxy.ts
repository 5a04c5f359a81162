/** `proxy` of a pod: requests to a port of the pod. */
import { goQuote, joinPath, passOn, type SubresourceConnect } from "../../../toolbox.ts";
import { badRequestError } from "../../../plugin.ts";
import { hostAndPort, hostInUrl } from "../../shared/kubelet/kubelet.ts";
import { PodProxyOptions, proxyMethods, type ProxyOptions } from "../../shared/kubelet/proxy-options.ts";
import { isProxiedAddress, proxiedName } from "../../shared/proxied.ts";
import { podOf } from "./container.ts";

export const podProxy: SubresourceConnect<ProxyOptions> = {
  options: { groupVersion: "v1", schema: PodProxyOptions },
  methods: proxyMethods,
  hasPath: true,
  async open(request, context) {
    const named = proxiedName(request.name);
    if (named === undefined) throw badRequestError(`invalid pod request ${goQuote(request.name)}`);
    const { spec, status } = await podOf(request.namespace, named.name, context);
    const [own] = (spec.containers ?? []).flatMap(({ ports = [] }) => ports.slice(0, 1).map(({ containerPort }) => containerPort));
    const port = named.port === "" ? own : named.port, ip = status.podIPs?.[0]?.ip ?? "";
    if (!isProxiedAddress(ip)) throw badRequestError("address not allowed");
    const host = port === undefined ? hostInUrl(ip) : hostAndPort(ip, port);
    return await passOn(request, {
      origin: `${named.scheme === "" ? "http" : named.scheme}://${host}`,
      path: joinPath(request.options.path ?? ""),
      access: {},
    });
  },
};
