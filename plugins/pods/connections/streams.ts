/** `exec`, `attach` and `portforward` of a pod: the client and the kubelet change to another protocol, whose bytes are passed on. */
import { type ConnectReply, type ConnectRequest, type Destination, passOn, type SubresourceConnect, urlOf } from "../../../toolbox.ts";
import { badRequestError, type RequestHookContext } from "../../../plugin.ts";
import { hostAndPort, kubeletOf } from "../../shared/kubelet/kubelet.ts";
import { containerOf, podOf } from "./container.ts";
import { createPermissionGate, portsGate, translateGate } from "./gates.ts";
import { translated, tunneled } from "./metrics.ts";
import { PodAttachOptions, PodExecOptions, PodPortForwardOptions } from "./options.ts";
import { offersStreams, tunneledProtocols } from "./websocket/offer.ts";
import { processStreams } from "./websocket/streams.ts";
import { tunnel } from "./websocket/tunnel.ts";

const methods = Object.freeze(["GET", "POST"]);

/** The names of the kubelet for the streams of a process. */
function streamsOf({ stdin, stdout, stderr, tty }: PodAttachOptions): readonly (readonly [string, string])[] {
  return Object.entries({ input: stdin, output: stdout, error: stderr, tty }).flatMap(([key, isOn]) =>
    isOn === true ? [[key, "1"]] : []
  ) as [string, string][];
}

/** What a verb asks a kubelet for. */
interface Asked {
  readonly verb: string;
  /** The container in the path, by the name that the client gave; undefined if the path has none. */
  readonly container?: string;
  readonly query: readonly (readonly [string, string])[];
}

/** Where the kubelet of the pod is asked. Keys of the query are in the order of Go's encoder. */
async function atKubelet(request: ConnectRequest, context: RequestHookContext, { verb, container, query }: Asked): Promise<Destination> {
  const { namespace, name } = request;
  if (context.gates(createPermissionGate)) await request.authorize("create");
  const pod = await podOf(namespace, name, context), below = container === undefined ? "" : `/${containerOf(pod, container)}`;
  const { nodeName = "" } = pod.spec;
  if (nodeName === "") throw badRequestError(`pod ${name} does not have a host assigned`);
  const { host, port, access } = await kubeletOf(nodeName, context);
  const sorted = query.toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0).map((pair) => [...pair]);
  return {
    origin: `https://${hostAndPort(host, port)}`,
    path: `/${verb}/${namespace}/${name}${below}`,
    query: new URLSearchParams(sorted).toString(),
    access,
    needsUpgrade: true,
  };
}

/** The streams of a process. */
async function streamed(
  request: ConnectRequest<PodAttachOptions>,
  context: RequestHookContext,
  asked: Pick<Asked, "verb"> & { readonly words?: Asked["query"] },
): Promise<ConnectReply> {
  const { options } = request, query = [...streamsOf(options), ...asked.words ?? []];
  const to = await atKubelet(request, context, { verb: asked.verb, container: options.container ?? "", query });
  if (!context.gates(translateGate) || !offersStreams(request)) return await passOn(request, to);
  const ended = (code: number): void => context.metric(translated).with({ code: String(code) }).add();
  return processStreams(request, { url: urlOf(to), access: to.access }, options, ended);
}

export const exec: SubresourceConnect<PodExecOptions> = {
  options: { groupVersion: "v1", schema: PodExecOptions },
  methods,
  open(request, context) {
    const words = (request.options.command ?? []).map((word): readonly [string, string] => ["command", word]);
    return streamed(request, context, { verb: "exec", words });
  },
};

export const attach: SubresourceConnect<PodAttachOptions> = {
  options: { groupVersion: "v1", schema: PodAttachOptions },
  methods,
  open: (request, context) => streamed(request, context, { verb: "attach" }),
};

export const portForward: SubresourceConnect<PodPortForwardOptions> = {
  options: { groupVersion: "v1", schema: PodPortForwardOptions },
  methods,
  async open(request, context) {
    const { ports = [] } = request.options, query: Asked["query"] = ports.length === 0 ? [] : [["port", ports.join(",")]];
    const to = await atKubelet(request, context, { verb: "portForward", query });
    return context.gates(portsGate) && tunneledProtocols(request).length > 0
      ? await tunnel(request, to, (code) => context.metric(tunneled).with({ code: String(code) }).add())
      : await passOn(request, to);
  },
};
