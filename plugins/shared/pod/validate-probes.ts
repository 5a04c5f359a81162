/** Validation of probes and lifecycle hooks, with upstream's order and texts. */
import { type FieldError, forbidden, invalid, required } from "../../../plugin.ts";
import { append } from "../../../toolbox.ts";
import { type HTTPGetAction, type Lifecycle, type LifecycleHandler, type Probe, type ProbeHandler, stopSignals } from "./probe.ts";
import { notNegative, validateEnum, validatePort, validateRequiredEnum } from "./rules.ts";

type Handler = ProbeHandler & LifecycleHandler;
/** The termination grace period of the pod in seconds: the upper bound of sleep actions. */
type Grace = number | bigint | undefined;

function validateHandler(handler: Handler, grace: Grace, path: string): readonly FieldError[] {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  const errors: FieldError[] = [];
  let count = 0;
  const one = (key: string, errorsOf: (at: string) => readonly FieldError[]) => {
    const at = `${path}.${key}`;
    if (count++ > 0) errors.push(forbidden(at, "may not specify more than 1 handler type"));
    else append(errors, errorsOf(at));
  };
  if (exec !== undefined) one("exec", (at) => (exec.command ?? []).length === 0 ? [required(`${at}.command`, "")] : []);
  if (httpGet !== undefined) one("httpGet", (at) => validateHttpGet(httpGet, at));
  if (tcpSocket !== undefined) one("tcpSocket", (at) => validatePort(tcpSocket.port, `${at}.port`));
  if (grpc !== undefined) one("grpc", (at) => validatePort(grpc.port, `${at}.port`));
  if (sleep !== undefined) one("sleep", (at) => validateSleep(sleep.seconds, grace, at));
  if (count === 0) errors.push(required(path, "must specify a handler type"));
  return errors;
}

function validateHttpGet({ path: target = "", port, scheme, httpHeaders = [] }: HTTPGetAction, path: string): readonly FieldError[] {
  return [
    ...(target === "" ? [required(`${path}.path`, "")] : []),
    ...validatePort(port, `${path}.port`),
    ...validateRequiredEnum(scheme, ["HTTP", "HTTPS"], `${path}.scheme`),
    ...httpHeaders.filter(({ name }) => !/^[-A-Za-z0-9]+$/.test(name)).map(({ name }) =>
      invalid(
        `${path}.httpHeaders`,
        name,
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      )
    ),
  ];
}

function validateSleep(seconds: number | bigint, grace: Grace, path: string): readonly FieldError[] {
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return [];
  return [invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`)];
}

function validateProbe(probe: Probe, grace: Grace, path: string): readonly FieldError[] {
  const { terminationGracePeriodSeconds: seconds } = probe;
  return [
    ...validateHandler(probe, grace, path),
    ...notNegative(probe.initialDelaySeconds, `${path}.initialDelaySeconds`),
    ...notNegative(probe.timeoutSeconds, `${path}.timeoutSeconds`),
    ...notNegative(probe.periodSeconds, `${path}.periodSeconds`),
    ...notNegative(probe.successThreshold, `${path}.successThreshold`),
    ...notNegative(probe.failureThreshold, `${path}.failureThreshold`),
    ...(seconds !== undefined && seconds <= 0 ? [invalid(`${path}.terminationGracePeriodSeconds`, seconds, "must be greater than 0")] : []),
  ];
}

interface Probed {
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: Lifecycle;
}

/**
 * Validates the lifecycle hooks and the probes of a container. Liveness and startup probes must have a successThreshold of 1. `os` is
 * the pod's operating system.
 */
export function validateLifecycleAndProbes(container: Probed, grace: Grace, os: string | undefined, path: string): readonly FieldError[] {
  const { lifecycle: { postStart, preStop, stopSignal } = {}, readinessProbe } = container;
  const singleSuccess = (key: "livenessProbe" | "startupProbe") => {
    const probe = container[key], at = `${path}.${key}`;
    if (probe === undefined) return [];
    const { successThreshold = 0 } = probe;
    const wrong = successThreshold === 1 ? [] : [invalid(`${at}.successThreshold`, successThreshold, "must be 1")];
    return [...validateProbe(probe, grace, at), ...wrong];
  };
  return [
    ...(postStart === undefined ? [] : validateHandler(postStart, grace, `${path}.lifecycle.postStart`)),
    ...(preStop === undefined ? [] : validateHandler(preStop, grace, `${path}.lifecycle.preStop`)),
    ...(stopSignal === undefined ? [] : validateStopSignal(stopSignal, os, `${path}.lifecycle.stopSignal`)),
    ...singleSuccess("livenessProbe"),
    ...(readinessProbe === undefined ? [] : validateProbe(readinessProbe, grace, `${path}.readinessProbe`)),
    ...(readinessProbe?.terminationGracePeriodSeconds === undefined ? [] : [
      invalid(
        `${path}.readinessProbe.terminationGracePeriodSeconds`,
        readinessProbe.terminationGracePeriodSeconds,
        "must not be set for readinessProbes",
      ),
    ]),
    ...singleSuccess("startupProbe"),
  ];
}

/** Checks a stop signal. The valid signals depend on the operating system, which is therefore required. */
function validateStopSignal(signal: string, os: string | undefined, path: string): readonly FieldError[] {
  if (os === undefined) return [forbidden(path, "may not be set for containers with empty `spec.os.name`")];
  if (os === "windows") return validateEnum(signal, ["SIGKILL", "SIGTERM"], path);
  return os === "linux" ? validateEnum(signal, stopSignals, path) : [];
}

/** Rejects lifecycle hooks and probes of init containers that are no sidecars. */
export function rejectLifecycleAndProbes(container: Probed, path: string): readonly FieldError[] {
  const keys = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;
  return keys.filter((key) => container[key] !== undefined).map((key) =>
    forbidden(`${path}.${key}`, "may not be set for init containers without restartPolicy=Always")
  );
}
