/** The options of the subresource `proxy` of pods, nodes and services. */
import { optionsStruct } from "../../../toolbox.ts";
import { field, type Infer, string } from "../../../plugin.ts";

function proxyOptions(name: string) {
  return optionsStruct(name, { path: field(1, string, "The path at the proxied server.") }, {
    package: "core/v1",
    doc: "Options of a proxied request.",
  });
}
export const PodProxyOptions = proxyOptions("PodProxyOptions");
export const NodeProxyOptions = proxyOptions("NodeProxyOptions");
export const ServiceProxyOptions = proxyOptions("ServiceProxyOptions");
export type ProxyOptions = Infer<typeof PodProxyOptions>;

/** The methods of a proxy. */
export const proxyMethods: readonly string[] = Object.freeze(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
