/** `proxy` of a node: requests to its kubelet, or to another port of the node. */
import { goQuote, joinPath, passOn, PeerError, type SubresourceConnect } from "../../toolbox.ts";
import { badRequestError } from "../../plugin.ts";
import { hostAndPort, kubeletOf } from "../shared/kubelet/kubelet.ts";
import { NodeProxyOptions, proxyMethods, type ProxyOptions } from "../shared/kubelet/proxy-options.ts";
import { isProxiedAddress, proxiedName } from "../shared/proxied.ts";

export const nodeProxy: SubresourceConnect<ProxyOptions> = {
  options: { groupVersion: "v1", schema: NodeProxyOptions },
  methods: proxyMethods,
  hasPath: true,
  async open(request, context) {
    const named = proxiedName(request.name);
    if (named === undefined) throw badRequestError(`invalid node request ${goQuote(request.name)}`);
    const { host, port, access } = await kubeletOf(named.name, context);
    const addresses = await request.peers.addressesOf(host).catch((error: unknown) => {
      throw error instanceof PeerError ? badRequestError(error.message) : error;
    });
    if (!addresses.every(isProxiedAddress)) throw badRequestError("address not allowed");
    const isKubelet = named.port === "" || named.port === String(port);
    return await passOn(request, {
      origin: isKubelet
        ? `https://${hostAndPort(host, port)}`
        : `${named.scheme === "" ? "http" : named.scheme}://${hostAndPort(host, named.port)}`,
      path: joinPath(request.options.path ?? ""),
      access: isKubelet ? access : {},
    });
  },
};
