/** GET of a pod's `log`: the kubelet of its node has the log of the container. */
import {
  type ConnectReply,
  type ConnectRequest,
  goQuote,
  internalError,
  invalidError,
  PeerError,
  type PeerResponse,
  type StatusReason,
  type SubresourceConnect,
  unreached,
  valueText,
} from "../../../toolbox.ts";
import {
  badRequestError,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  type RequestHookContext,
  StatusError,
} from "../../../plugin.ts";
import { hostAndPort, kubeletAt, nodeOf } from "../../shared/kubelet/kubelet.ts";
import { isSimulated } from "../../shared/kubelet/simulated.ts";
import { simulatedLog } from "./simulated-log.ts";
import { logReply } from "./log-reply.ts";
import { containerOf, podOf } from "./container.ts";
import { logErrorBytesMax } from "./bounds.ts";
import { splitStreamsGate } from "./gates.ts";
import { logBackends, logTrustFailures } from "./metrics.ts";
import { PodLogOptions } from "./options.ts";

const streams = Object.freeze(["All", "Stderr", "Stdout"]);

function mistakesOf({ tailLines, limitBytes, sinceSeconds, sinceTime, stream }: PodLogOptions, hasStreams: boolean): readonly FieldError[] {
  const positive = "must be greater than 0";
  const mistakes: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) mistakes.push(invalid("tailLines", tailLines, "must be greater than or equal to 0"));
  if (limitBytes !== undefined && limitBytes < 1) mistakes.push(invalid("limitBytes", limitBytes, positive));
  if (sinceSeconds !== undefined && (sinceTime ?? undefined) !== undefined) {
    mistakes.push(forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) mistakes.push(invalid("sinceSeconds", sinceSeconds, positive));
  if (stream === undefined) return mistakes;
  if (!hasStreams) return [...mistakes, forbidden("stream", "may not be specified")];
  if (!streams.includes(stream)) mistakes.push(notSupported("stream", stream, streams));
  if (stream !== "All" && tailLines !== undefined) {
    mistakes.push(forbidden("", "`tailLines` and specific `stream` are mutually exclusive for now"));
  }
  return mistakes;
}

/** The query of the kubelet, its keys in the order of Go's encoder. */
function queryOf(options: PodLogOptions, hasStreams: boolean): string {
  const { follow, limitBytes, previous, sinceSeconds, sinceTime, tailLines, timestamps, stream = "All" } = options;
  const query = new URLSearchParams();
  const add = (key: string, value: unknown): void =>
    value === undefined || value === false || value === null ? undefined : query.set(key, String(value));
  for (const [key, value] of Object.entries({ follow, limitBytes, previous, sinceSeconds, sinceTime })) add(key, value);
  if (hasStreams) add("stream", stream);
  for (const [key, value] of Object.entries({ tailLines, timestamps })) add(key, value);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

async function openLog(request: ConnectRequest<PodLogOptions>, context: RequestHookContext): Promise<ConnectReply> {
  const { options, namespace, name } = request, hasStreams = context.gates(splitStreamsGate);
  context.metric(logBackends).with({ usage: options.insecureSkipTLSVerifyBackend === true ? "skip_tls_allowed" : "enforce_tls" }).add();
  const mistakes = mistakesOf(options, hasStreams);
  if (mistakes.length > 0) throw invalidError({ group: "", name: "PodLogOptions" }, name, mistakes);
  const pod = await podOf(namespace, name, context), container = containerOf(pod, options.container ?? ""), { nodeName = "" } = pod.spec;
  if (nodeName === "") return { status: 204, body: "" };
  const node = await nodeOf(nodeName, context);
  if (isSimulated(node)) return logReply(request, simulatedLog(pod, container, options));
  const { host, port, access } = kubeletAt(node, context);
  const path = `/containerLogs/${namespace}/${name}/${container}`;
  const { caFile: _unverified, ...unverified } = access;
  const url = `https://${hostAndPort(host, port)}${path}${queryOf(options, hasStreams)}`;
  let response: PeerResponse;
  try {
    response = await request.peers.ask({
      method: "GET",
      url,
      headers: {},
      access: options.insecureSkipTLSVerifyBackend === true ? unverified : access,
      signal: request.signal,
    });
  } catch (error) {
    if (error instanceof PeerError && error.isTrust) context.metric(logTrustFailures).with({}).add();
    throw error instanceof PeerError ? unreached(`Get "${url}"`, error) : error;
  }
  const { status, headers, body } = response;
  if (status >= 300 && status < 400 && headers["location"] !== undefined) {
    await ended(body);
    throw new StatusError("Unknown", `Get ${valueText(headers["location"])}: redirects forbidden`, { code: 500 });
  }
  if (status < 200 || status > 206) throw errorOf(status, await textOf(body), name);
  return logReply(request, body);
}

/** The error of a kubelet, with the text of its response; its shape is upstream's. */
function errorOf(code: number, text: string, name: string): StatusError {
  if (code === 500) return internalError(text);
  if (code === 400) return badRequestError(text);
  const [reason, known]: readonly [StatusReason, string] = knownErrors[code] ??
    (code > 500
      ? ["InternalError", `an error on the server (${goQuote(text)}) has prevented the request from succeeding`]
      : ["Unknown", `the server responded with the status code ${code} but did not return more information`]);
  return new StatusError(reason, `${known === "" ? text : known} ( pods/log ${name})`, { code, details: { name, kind: "pods/log" } });
}
/** The reason and the message by code; "" stands for the text of the kubelet. */
const knownErrors: Readonly<Record<number, readonly [StatusReason, string]>> = Object.freeze({
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  403: ["Forbidden", ""],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  409: ["Conflict", "the server reported a conflict"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: ["Timeout", "the server was unable to return a response in the time allotted, but may still be processing the request"],
});

/** The text of an error, as far as it may be shown. */
async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "", left = logErrorBytesMax;
  for await (const piece of body) {
    text += decoder.decode(piece.subarray(0, left), { stream: true });
    left -= piece.length;
    if (left <= 0) break;
  }
  return text;
}
async function ended(body: AsyncIterable<Uint8Array>): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

export const log: SubresourceConnect<PodLogOptions> = {
  options: { groupVersion: "v1", schema: PodLogOptions },
  methods: ["GET"],
  isRead: true,
  open: openLog,
};
