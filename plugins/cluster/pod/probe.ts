/** What a node asks containers, and does with them (core/v1). */
import { field, type Infer, int32, int64, intOrString, list, named, oneOf, string, structsOf } from "../../../core/schema.ts";

const struct = structsOf("core/v1");

export const ExecAction = struct("ExecAction", {
  command: field(1, list(string), "The command and its arguments; no shell is around it."),
}, { doc: "A command that is run in the container." });
export type ExecAction = Infer<typeof ExecAction>;

export const HTTPHeader = struct("HTTPHeader", {
  name: field(1, string, "Name of the header.", { required: true }),
  value: field(2, string, "Its value.", { required: true }),
}, { doc: "A header of a request." });
export type HTTPHeader = Infer<typeof HTTPHeader>;

export const HTTPGetAction = struct("HTTPGetAction", {
  path: field(1, string, 'Path that is asked for, "/" unless said otherwise.'),
  port: field(2, intOrString, "Number or name of the port.", { required: true }),
  host: field(3, string, "Where it is sent; the address of the pod if empty."),
  scheme: field(4, named("v1.URIScheme", oneOf("HTTP", "HTTPS")), "HTTP (the default) or HTTPS."),
  httpHeaders: field(5, list(HTTPHeader), "Headers to send along."),
}, { doc: "A request to the container.", fill: httpDefaults });
export type HTTPGetAction = Infer<typeof HTTPGetAction>;

export const SleepAction = struct("SleepAction", {
  seconds: field(1, int64, "How long, in seconds.", { required: true }),
}, { doc: "Waiting." });
export type SleepAction = Infer<typeof SleepAction>;

export const TCPSocketAction = struct("TCPSocketAction", {
  port: field(1, intOrString, "Number or name of the port.", { required: true }),
  host: field(2, string, "Where it goes; the address of the pod if empty."),
}, { doc: "A connection to the container." });
export type TCPSocketAction = Infer<typeof TCPSocketAction>;

export const GRPCAction = struct("GRPCAction", {
  port: field(1, int32, "Number of the port.", { required: true }),
  service: field(2, string, "Name of the service that is asked for.", { pointer: true, written: "always", default: "" }),
}, { doc: "A question to the health service of gRPC." });
export type GRPCAction = Infer<typeof GRPCAction>;

export const LifecycleHandler = struct("LifecycleHandler", {
  exec: field(1, ExecAction, "A command in the container.", { pointer: true }),
  httpGet: field(2, HTTPGetAction, "A request to it.", { pointer: true }),
  tcpSocket: field(3, TCPSocketAction, "A connection to it; no node does that any more.", { pointer: true }),
  sleep: field(4, SleepAction, "Waiting.", { pointer: true }),
}, { doc: "What is done at a turn of a container's life; exactly one member is set." });
export type LifecycleHandler = Infer<typeof LifecycleHandler>;

/** Signals that can end a container, in the order in which they are told. */
export const stopSignals = Object.freeze(
  [
    "SIGABRT",
    "SIGALRM",
    "SIGBUS",
    "SIGCHLD",
    "SIGCLD",
    "SIGCONT",
    "SIGFPE",
    "SIGHUP",
    "SIGILL",
    "SIGINT",
    "SIGIO",
    "SIGIOT",
    "SIGKILL",
    "SIGPIPE",
    "SIGPOLL",
    "SIGPROF",
    "SIGPWR",
    "SIGQUIT",
    "SIGRTMAX",
    "SIGRTMAX-1",
    "SIGRTMAX-10",
    "SIGRTMAX-11",
    "SIGRTMAX-12",
    "SIGRTMAX-13",
    "SIGRTMAX-14",
    "SIGRTMAX-2",
    "SIGRTMAX-3",
    "SIGRTMAX-4",
    "SIGRTMAX-5",
    "SIGRTMAX-6",
    "SIGRTMAX-7",
    "SIGRTMAX-8",
    "SIGRTMAX-9",
    "SIGRTMIN",
    "SIGRTMIN+1",
    "SIGRTMIN+10",
    "SIGRTMIN+11",
    "SIGRTMIN+12",
    "SIGRTMIN+13",
    "SIGRTMIN+14",
    "SIGRTMIN+15",
    "SIGRTMIN+2",
    "SIGRTMIN+3",
    "SIGRTMIN+4",
    "SIGRTMIN+5",
    "SIGRTMIN+6",
    "SIGRTMIN+7",
    "SIGRTMIN+8",
    "SIGRTMIN+9",
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSTOP",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
    "SIGWINCH",
    "SIGXCPU",
    "SIGXFSZ",
  ] as const,
);

export const Lifecycle = struct("Lifecycle", {
  postStart: field(1, LifecycleHandler, "Done right after it starts; if that fails, the container is ended.", { pointer: true }),
  preStop: field(2, LifecycleHandler, "Done before it is ended; the time for ending runs already.", { pointer: true }),
  stopSignal: field(
    3,
    named("v1.Signal", oneOf(...stopSignals)),
    "Signal with which it is ended; needs the os name of the pod.",
    { pointer: true, gate: "ContainerStopSignals" },
  ),
}, { doc: "What is done when a container starts and before it ends." });
export type Lifecycle = Infer<typeof Lifecycle>;

export const ProbeHandler = struct("ProbeHandler", {
  exec: field(1, ExecAction, "A command in the container.", { pointer: true }),
  httpGet: field(2, HTTPGetAction, "A request to it.", { pointer: true }),
  tcpSocket: field(3, TCPSocketAction, "A connection to it.", { pointer: true }),
  grpc: field(4, GRPCAction, "A question by gRPC.", { pointer: true }),
}, { doc: "How a probe asks; exactly one member is set." });
export type ProbeHandler = Infer<typeof ProbeHandler>;

export const Probe = struct("Probe", {
  handler: field(1, ProbeHandler, "How it asks.", { inline: true }),
  initialDelaySeconds: field(2, int32, "Seconds after the start of the container until it is asked first."),
  timeoutSeconds: field(3, int32, "Seconds to wait for an answer, 1 unless said otherwise."),
  periodSeconds: field(4, int32, "Seconds between two questions, 10 unless said otherwise."),
  successThreshold: field(5, int32, "Good answers in a row that make it well again, 1 unless said otherwise; 1 for liveness and startup."),
  failureThreshold: field(6, int32, "Bad answers in a row that make it fail, 3 unless said otherwise."),
  terminationGracePeriodSeconds: field(
    7,
    int64,
    "Seconds that the container gets to end when the probe has failed, in place of those of the pod.",
    { pointer: true },
  ),
}, { doc: "A question that the node asks a container again and again.", fill: probeDefaults });
export type Probe = Infer<typeof Probe>;

function httpDefaults<T extends { readonly path?: string; readonly scheme?: string }>(self: T): T {
  const { path = "", scheme = "" } = self;
  return path !== "" && scheme !== "" ? self : { ...self, path: path || "/", scheme: scheme || "HTTP" };
}

const probeNumbers = Object.freeze({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });

/** Where one of these numbers is zero it was not said. */
function probeDefaults(self: Readonly<Record<string, unknown>>): unknown {
  const lacking = Object.entries(probeNumbers).filter(([key]) => (self[key] ?? 0) === 0);
  return lacking.length === 0 ? self : { ...self, ...Object.fromEntries(lacking) };
}
