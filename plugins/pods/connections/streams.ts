/** `exec`, `attach` and `portforward` of a pod: the client and the kubelet change to another protocol, whose bytes are passed on. */
import { type ConnectReply, type ConnectRequest, passOn, type SubresourceConnect } from "../../../toolbox.ts";
import { badRequestError, type RequestHookContext } from "../../../plugin.ts";
import { hostAndPort, kubeletOf } from "../../shared/kubelet/kubelet.ts";
import { containerOf, podOf } from "./container.ts";
import { createPermissionGate } from "./gates.ts";
import { PodAttachOptions, PodExecOptions, PodPortForwardOptions } from "./options.ts";

const methods = Object.freeze(["GET", "POST"]);

/** The names of the kubelet for the streams of a process. */
function streamsOf({ stdin, stdout, stderr, tty }: PodAttachOptions): readonly (readonly [string, string])[] {
  return Object.entries({ input: stdin, output: stdout, error: stderr, tty }).flatMap(([key, isOn]) =>
    isOn === true ? [[key, "1"]] : []
  ) as [string, string][];
}

/** Passes a request on to `path` at the kubelet of the pod. Keys of the query are in the order of Go's encoder. */
async function toKubelet(
  request: ConnectRequest,
  context: RequestHookContext,
  verb: string,
  asked: string | undefined,
  query: readonly (readonly [string, string])[],
): Promise<ConnectReply> {
  const { namespace, name } = request;
  if (context.gates(createPermissionGate)) await request.authorize("create");
  const pod = await podOf(namespace, name, context), container = asked === undefined ? "" : `/${containerOf(pod, asked)}`;
  const { nodeName = "" } = pod.spec;
  if (nodeName === "") throw badRequestError(`pod ${name} does not have a host assigned`);
  const { host, port, access } = await kubeletOf(nodeName, context);
  const sorted = query.toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0).map((pair) => [...pair]);
  return await passOn(request, {
    origin: `https://${hostAndPort(host, port)}`,
    path: `/${verb}/${namespace}/${name}${container}`,
    query: new URLSearchParams(sorted).toString(),
    access,
    needsUpgrade: true,
  });
}

export const exec: SubresourceConnect<PodExecOptions> = {
  options: { groupVersion: "v1", schema: PodExecOptions },
  methods,
  open(request, context) {
    const { options } = request, commands = (options.command ?? []).map((word): readonly [string, string] => ["command", word]);
    return toKubelet(request, context, "exec", options.container ?? "", [...streamsOf(options), ...commands]);
  },
};

export const attach: SubresourceConnect<PodAttachOptions> = {
  options: { groupVersion: "v1", schema: PodAttachOptions },
  methods,
  open: (request, context) => toKubelet(request, context, "attach", request.options.container ?? "", streamsOf(request.options)),
};

export const portForward: SubresourceConnect<PodPortForwardOptions> = {
  options: { groupVersion: "v1", schema: PodPortForwardOptions },
  methods,
  open(request, context) {
    const { ports = [] } = request.options;
    return toKubelet(request, context, "portForward", undefined, ports.length === 0 ? [] : [["port", ports.join(",")]]);
  },
};
