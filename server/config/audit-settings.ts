/** Settings of the audit: the policy, the log and the webhook. Names, defaults and messages are kube-apiserver's. */
import { nearest } from "../../core/nearest.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { bool, type Change, duration, fixed, fraction, int, type Kind, type Setting, text } from "./setting.ts";

/** Settings that each backend has, `--audit-<backend>-<name>`. Durations in milliseconds, sizes in bytes. */
interface BackendConfig {
  readonly "mode": string;
  readonly "batch-buffer-size": number;
  readonly "batch-max-size": number;
  readonly "batch-max-wait": number;
  readonly "batch-throttle-enable": boolean;
  readonly "batch-throttle-qps": number;
  readonly "batch-throttle-burst": number;
  readonly "truncate-enabled": boolean;
  readonly "truncate-max-batch-size": number;
  readonly "truncate-max-event-size": number;
  readonly "version": string;
}
type Named<Backend extends AuditBackendName> = {
  readonly [Name in keyof BackendConfig as `audit-${Backend}-${Name}`]: BackendConfig[Name];
};
export type AuditBackendName = "log" | "webhook";

export interface AuditConfig extends Named<"log">, Named<"webhook"> {
  readonly "audit-policy-file": string;
  readonly "audit-log-path": string;
  readonly "audit-log-format": string;
  readonly "audit-log-maxage": number;
  readonly "audit-log-maxbackup": number;
  readonly "audit-log-maxsize": number;
  readonly "audit-log-compress": boolean;
  readonly "audit-webhook-config-file": string;
  readonly "audit-webhook-initial-backoff": number;
}
type Rows<T> = { readonly [Name in keyof T]: Setting<Kind, T[Name]> & Change };

const isOpened = "the audit is opened once, at start";
const version = "audit.k8s.io/v1";
const modes = ["batch", "blocking", "blocking-strict"];
const formats = ["legacy", "json"];

/** The settings of one backend at any value, by their names without `audit-<backend>-`. */
export function backendConfig(config: AuditConfig, backend: AuditBackendName): BackendConfig {
  const names = Object.keys(rowsOf({ ...batchDefaults.log })) as readonly (keyof BackendConfig)[]; // The rows have those names.
  return Object.fromEntries(names.map((name) => [name, config[`audit-${backend}-${name}`]])) as unknown as BackendConfig;
}

const batchDefaults = Object.freeze({
  log: { mode: "blocking", size: 1, waitMs: 0, throttle: false, qps: 0, burst: 0 },
  webhook: { mode: "batch", size: 400, waitMs: 30_000, throttle: true, qps: 10, burst: 15 },
});

function rowsOf({ mode, size, waitMs, throttle, qps, burst }: typeof batchDefaults[AuditBackendName]): Rows<BackendConfig> {
  return {
    "mode": fixed(
      isOpened,
      text(
        mode,
        "Delivery of events: batch (in the background; events are lost when the buffer is full), blocking (before the request " +
          "continues) or blocking-strict (a request whose event cannot be stored fails).",
      ),
    ),
    "batch-buffer-size": fixed(isOpened, int(10_000, "Maximum number of waiting events; further ones are lost. Only in batch mode.")),
    "batch-max-size": fixed(isOpened, int(size, "A batch has at most this number of events. Only in batch mode.")),
    "batch-max-wait": fixed(
      isOpened,
      duration(waitMs, "Time after which an incomplete batch is delivered. Only in batch mode."),
    ),
    "batch-throttle-enable": fixed(isOpened, bool(throttle, "Limit the rate of batches. Only in batch mode.")),
    "batch-throttle-qps": fixed(
      isOpened,
      fraction(qps, "On average, at most this number of batches is sent in a second. Only in batch mode."),
    ),
    "batch-throttle-burst": fixed(
      isOpened,
      int(burst, "Number of batches that may be sent at once after a pause. Only in batch mode."),
    ),
    "truncate-enabled": fixed(isOpened, bool(false, "Limit the size of events and batches.")),
    "truncate-max-batch-size": fixed(
      isOpened,
      int(10 * 1024 * 1024, "Maximum size of a batch in bytes; larger ones are split. Requires truncation to be enabled."),
    ),
    "truncate-max-event-size": fixed(
      isOpened,
      int(
        100 * 1024,
        "Maximum size of an event in bytes. Larger ones lose their request and response objects; events that are still too large are " +
          "lost. Requires truncation to be enabled.",
      ),
    ),
    "version": fixed(isOpened, text(version, `API version of the events; the only one is ${version}.`)),
  };
}

function withNames<Backend extends AuditBackendName>(backend: Backend): Rows<Named<Backend>> {
  const rows = Object.entries(rowsOf(batchDefaults[backend])).map(([name, row]) => [`audit-${backend}-${name}`, row]);
  return Object.fromEntries(rows) as Rows<Named<Backend>>; // The names of `Named`.
}

export const auditSettings: Rows<AuditConfig> = Object.freeze({
  "audit-policy-file": fixed(
    "the file is read once, at start",
    text("", "YAML file with the audit policy: which requests are recorded, and how much of them. Empty: no audit."),
  ),
  "audit-log-path": fixed(
    isOpened,
    text("", "File of the audit log; - means the standard output, empty no log. Requires --audit-policy-file."),
  ),
  "audit-log-format": fixed(isOpened, text("json", "Format of the audit log: json (one object per line) or legacy (one line of text).")),
  "audit-log-maxage": fixed(
    isOpened,
    int(366, "Number of days that rotated audit logs are kept, by the time in their names; 0 keeps them whatever their age."),
  ),
  "audit-log-maxbackup": fixed(isOpened, int(100, "Maximum number of rotated audit logs; 0 keeps all.")),
  "audit-log-maxsize": fixed(isOpened, int(100, "Size of the audit log in megabytes at which it is rotated; 0 disables rotation.")),
  "audit-log-compress": fixed(isOpened, bool(false, "Compress rotated audit logs with gzip.")),
  ...withNames("log"),
  "audit-webhook-config-file": fixed(
    isOpened,
    text("", "Kubeconfig file of the audit webhook; empty: no webhook. Requires --audit-policy-file."),
  ),
  "audit-webhook-initial-backoff": fixed(isOpened, duration(10_000, "Time before the first retry of a failed request to the webhook.")),
  ...withNames("webhook"),
});

/** Mistakes in the audit settings. Settings of an unused backend are not checked. */
export function auditMistakes(config: AuditConfig): readonly string[] {
  const format = config["audit-log-format"];
  return [
    ...(config["audit-log-path"] === "" ? [] : [
      ...backendMistakes(config, "log"),
      ...(formats.includes(format) ? [] : [`invalid audit log format ${format}, allowed formats are ${goQuote(formats.join(","))}`]),
    ]),
    ...(config["audit-webhook-config-file"] === "" ? [] : backendMistakes(config, "webhook")),
  ];
}

function backendMistakes(config: AuditConfig, name: AuditBackendName): readonly string[] {
  const backend = backendConfig(config, name);
  const batch = batchMistake(backend, name);
  const maxEvent = backend["truncate-max-event-size"], maxBatch = backend["truncate-max-batch-size"];
  const truncate = maxEvent <= 0
    ? [`invalid audit truncate ${name} max event size ${maxEvent}, must be a positive number`]
    : maxBatch < maxEvent
    ? [`invalid audit truncate ${name} max batch size ${maxBatch}, must be greater than max event size (${maxEvent})`]
    : [];
  return [
    ...(batch === undefined ? [] : [batch]),
    ...truncate,
    ...(backend.version === version ? [] : [`invalid group version, allowed versions are [{"audit.k8s.io" "v1"}]`]),
  ];
}

/** Only the first mistake, as upstream. */
function batchMistake(backend: BackendConfig, name: AuditBackendName): string | undefined {
  if (!modes.includes(backend.mode)) {
    const near = nearest(backend.mode, modes), meant = near === undefined ? "" : `: did you mean "${near}"?`;
    return `invalid audit ${name} mode ${backend.mode}, allowed modes are ${goQuote(modes.join(","))}${meant}`;
  }
  if (backend.mode !== "batch") return undefined;
  const positive = (what: string, value: number) =>
    value > 0 ? undefined : `invalid audit batch ${name} ${what} ${value}, must be a positive number`;
  return positive("buffer size", backend["batch-buffer-size"]) ?? positive("max batch size", backend["batch-max-size"]) ??
    (backend["batch-throttle-enable"]
      ? positive("throttle QPS", backend["batch-throttle-qps"]) ?? positive("throttle burst", backend["batch-throttle-burst"])
      : undefined);
}
