/** Schemas of probes and lifecycle hooks (core/v1). */
import { field, type Infer, int32, int64, intOrString, list, oneOf, string, structsOf } from "../../../plugin.ts";
import { named } from "../../../toolbox.ts";

const struct = structsOf("core/v1");

export const ExecAction = struct("ExecAction", {
  command: field(1, list(string), "The command and its arguments. It is run without a shell."),
}, { doc: "A command to run in the container." });
export type ExecAction = Infer<typeof ExecAction>;

export const HTTPHeader = struct("HTTPHeader", {
  name: field(1, string, "The name of the header.", { required: true }),
  value: field(2, string, "The value of the header.", { required: true }),
}, { doc: "A header of an HTTP request." });
export type HTTPHeader = Infer<typeof HTTPHeader>;

export const HTTPGetAction = struct("HTTPGetAction", {
  path: field(1, string, 'The path of the request. Default "/".'),
  port: field(2, intOrString, "The number or name of the port.", { required: true }),
  host: field(3, string, "The host to connect to. Default: the pod's IP address."),
  scheme: field(4, named("v1.URIScheme", oneOf("HTTP", "HTTPS")), "HTTP (the default) or HTTPS."),
  httpHeaders: field(5, list(HTTPHeader), "Additional headers of the request."),
}, { doc: "An HTTP GET request to the container.", applyDefaults: httpDefaults });
export type HTTPGetAction = Infer<typeof HTTPGetAction>;

export const SleepAction = struct("SleepAction", {
  seconds: field(1, int64, "The duration in seconds.", { required: true }),
}, { doc: "A delay." });
export type SleepAction = Infer<typeof SleepAction>;

export const TCPSocketAction = struct("TCPSocketAction", {
  port: field(1, intOrString, "The number or name of the port.", { required: true }),
  host: field(2, string, "The host to connect to. Default: the pod's IP address."),
}, { doc: "A TCP connection to the container." });
export type TCPSocketAction = Infer<typeof TCPSocketAction>;

export const GRPCAction = struct("GRPCAction", {
  port: field(1, int32, "The port number.", { required: true }),
  service: field(2, string, "The service name in the health check request.", { pointer: true, written: "always", default: "" }),
}, { doc: "A request of the gRPC health checking protocol." });
export type GRPCAction = Infer<typeof GRPCAction>;

export const LifecycleHandler = struct("LifecycleHandler", {
  exec: field(1, ExecAction, "A command in the container.", { pointer: true }),
  httpGet: field(2, HTTPGetAction, "An HTTP GET request to the container.", { pointer: true }),
  tcpSocket: field(3, TCPSocketAction, "Deprecated: nodes no longer execute it.", { pointer: true }),
  sleep: field(4, SleepAction, "A delay.", { pointer: true }),
}, { doc: "The action of a lifecycle hook. Exactly one field must be set." });
export type LifecycleHandler = Infer<typeof LifecycleHandler>;

/** The valid stop signals, in the order of error messages. */
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
  postStart: field(1, LifecycleHandler, "Runs right after the container starts. If it fails, the container is terminated.", {
    pointer: true,
  }),
  preStop: field(2, LifecycleHandler, "Runs before the container is terminated, within the termination grace period.", { pointer: true }),
  stopSignal: field(
    3,
    named("v1.Signal", oneOf(...stopSignals)),
    "The signal that stops the container. Requires os.name of the pod.",
    { pointer: true, gate: "ContainerStopSignals" },
  ),
}, { doc: "The lifecycle hooks of a container." });
export type Lifecycle = Infer<typeof Lifecycle>;

export const ProbeHandler = struct("ProbeHandler", {
  exec: field(1, ExecAction, "A command in the container.", { pointer: true }),
  httpGet: field(2, HTTPGetAction, "An HTTP GET request to the container.", { pointer: true }),
  tcpSocket: field(3, TCPSocketAction, "A TCP connection to the container.", { pointer: true }),
  grpc: field(4, GRPCAction, "A gRPC health check.", { pointer: true }),
}, { doc: "The action of a probe. Exactly one field must be set." });
export type ProbeHandler = Infer<typeof ProbeHandler>;

export const Probe = struct("Probe", {
  handler: field(1, ProbeHandler, "The action of the probe.", { inline: true }),
  initialDelaySeconds: field(2, int32, "Delay in seconds between the start of the container and the first probe."),
  timeoutSeconds: field(3, int32, "Timeout of a probe in seconds. Default 1."),
  periodSeconds: field(4, int32, "Interval of probes in seconds. Default 10."),
  successThreshold: field(5, int32, "Number of consecutive successes after a failure. Default 1; must be 1 for liveness and startup."),
  failureThreshold: field(6, int32, "Number of consecutive failures. Default 3."),
  terminationGracePeriodSeconds: field(
    7,
    int64,
    "Time in seconds for the container to terminate after a failed probe. Overrides the value of the pod.",
    { pointer: true },
  ),
}, { doc: "A periodic health check of a container by the node.", applyDefaults: probeDefaults });
export type Probe = Infer<typeof Probe>;

function httpDefaults<T extends { readonly path?: string; readonly scheme?: string }>(self: T): T {
  const { path = "", scheme = "" } = self;
  return path !== "" && scheme !== "" ? self : { ...self, path: path || "/", scheme: scheme || "HTTP" };
}

const probeNumbers = Object.entries({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });

/** Applies the defaults. Zero counts as absent. */
function probeDefaults(self: Readonly<Record<string, unknown>>): unknown {
  const missing = probeNumbers.filter(([key]) => (self[key] ?? 0) === 0);
  return missing.length === 0 ? self : { ...self, ...Object.fromEntries(missing) };
}
