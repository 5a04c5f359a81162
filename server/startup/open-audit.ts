/** The audit of the settings: its policy, and its backends with their wrappers. */
import { once, type ServerClock, systemClock } from "../../core/async.ts";
import { steadyTime } from "../../core/steady-time.ts";
import type { Names } from "../../core/names.ts";
import type { PartContext } from "../../core/part.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { append } from "../../core/append.ts";
import { evaluator } from "../../core/audit/evaluate.ts";
import { omitsFirstStage, type Policy, type ReadPolicy, readPolicy } from "../../core/audit/policy.ts";
import type { AuditBackend, AuditBackendDefinition, LostEvents } from "../../core/audit/backend.ts";
import { type BatchOptions, buffered } from "../audit/buffered.ts";
import { ignoringErrors } from "../audit/ignoring-errors.ts";
import { openPluginBackends } from "../audit/plugin-backends.ts";
import { truncating } from "../audit/truncate.ts";
import { allBackends, type Audit, openAudit, writer } from "../../kernel/access/audit/mod.ts";
import { eventHead, legacyLine } from "../../core/audit/event.ts";
import type { LineSink } from "../../protocols/files/line-sink.ts";
import { logBackend } from "../audit/log-backend.ts";
import { rotatingFile } from "../../protocols/files/rotating-file.ts";
import { standardOutput } from "../../protocols/files/standard-output.ts";
import { webhookBackend } from "../audit/webhook-backend.ts";
import { readAccess } from "../../client/kubeconfig.ts";
import { remoteClient } from "../../protocols/remote/remote-client.ts";
import { type AuditBackendName, backendConfig } from "../config/audit-settings.ts";
import { namesOf } from "../config/plugin-settings.ts";
import { FaultyFile } from "../../core/config/mistake.ts";
import { readText } from "../config/read-files.ts";
import type { Config } from "../config/settings.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { KernelRecord } from "../metrics/metrics.ts";
import type { CheckedSetting } from "./checked-setting.ts";
import { bound } from "../../core/bound.ts";

/** Concurrent batches to the audit webhook; further ones wait in the buffer. */
const auditBatchesMax = bound(16);
/** Milliseconds that a shutdown waits for the delivery of audit events. */
const auditDrainMs = bound(10_000);

/** An audit that can be closed. */
export interface OpenedAudit {
  readonly audit: Audit;
  /** Delivers buffered events, within a bounded time. */
  close(): Promise<void>;
}

/** Each check rejects with the error of `openAuditOf` for its file. Writes nothing. */
export function checkAudit(config: Config): readonly CheckedSetting[] {
  return [
    ["audit-policy-file", policyOf(config)],
    ...(config["audit-webhook-config-file"] === "" ? [] : [["audit-webhook-config-file", webhookAccess(config)] as const]),
  ];
}

export interface AuditNeeds {
  readonly log: Log;
  /** For warnings about the policy. */
  readonly findings: Pick<Log, "info">;
  readonly record: KernelRecord;
  readonly clock: Pick<ServerClock, "now">;
  /** Takes the lines of the log. Undefined: the file of the settings. */
  readonly auditLog: LineSink | undefined;
  /** The backends of the plugins that are served at the start. */
  readonly ofPlugins: readonly AuditBackendDefinition[];
  /** The context of a part by its owner, for the log, until the signal aborts. */
  readonly part: (owner: string, signal: AbortSignal) => PartContext;
}

/** Undefined without a policy or without a backend. Rejects if a file cannot be used. */
export async function openAuditOf(config: Config, needs: AuditNeeds): Promise<OpenedAudit | undefined> {
  const { log, findings, record, clock: { now }, auditLog, ofPlugins, part } = needs;
  const path = config["audit-log-path"], webhook = config["audit-webhook-config-file"];
  const read = await policyOf(config);
  if (read === undefined) {
    if (path !== "" || webhook !== "" || ofPlugins.length > 0) {
      findings.info("Warning: no audit policy file is set, so no audit events are recorded");
    }
    return undefined;
  }
  for (const warning of read.warnings) findings.info(`Warning: the audit policy file has an error that is ignored: ${warning.text}`);
  for (const text of strictWarnings(config, read.policy)) findings.info(`Warning: ${text}`);
  const names = namesOf(config), lost = lostEvents(log, record);
  const backends: AuditBackend[] = [];
  // After the last events: backends of plugins send them.
  const ended = new AbortController();
  if (path !== "") backends.push(wrapBackend(config, "log", logOf(config, names, auditLog ?? await lineSink(config, log), lost), lost));
  if (webhook !== "") {
    await webhookAccess(config);
    backends.push(wrapBackend(config, "webhook", webhookOf(config, names, lost), lost));
  }
  append(backends, await openPluginBackends(ofPlugins, { part: (owner) => part(owner, ended.signal), lost }));
  if (backends.length === 0) return undefined;
  const backend = allBackends(backends);
  const audit = openAudit({ evaluate: evaluator(read.policy), backend, names, meter: meterOf(record), now });
  return { audit, close: once(() => backend.close(AbortSignal.timeout(auditDrainMs)).finally(() => ended.abort())) };
}

/** blocking-strict rejects a request whose first event cannot be written. Without that event it does nothing, as in kube-apiserver. */
export function strictWarnings(config: Config, policy: Policy): readonly string[] {
  if (!omitsFirstStage(policy)) return [];
  const used = [["audit-log-mode", "audit-log-path"], ["audit-webhook-mode", "audit-webhook-config-file"]] as const;
  return used.filter(([mode, path]) => config[path] !== "" && config[mode] === "blocking-strict").map(([mode]) =>
    `--${mode}=blocking-strict rejects no request whose event RequestReceived the audit policy omits: it is processed even if its events cannot be written`
  );
}

/** The policy of the settings. Rejects if it cannot be used. */
export async function policyOf(config: Config): Promise<ReadPolicy | undefined> {
  const path = config["audit-policy-file"];
  if (path === "") return undefined;
  const text = await readText(path, "audit policy file");
  try {
    return readPolicy(text, config["group-domain"]);
  } catch (error) {
    throw new FaultyFile(path, `loading audit policy file: ${reasonOf(error)}: from file ${path}`, error);
  }
}

async function webhookAccess(config: Config): Promise<void> {
  try {
    await readAccess(config["audit-webhook-config-file"]);
  } catch (error) {
    const message = `initializing audit webhook: ${reasonOf(error)}`;
    throw error instanceof FaultyFile ? new FaultyFile(error.file, message, error) : new Error(message);
  }
}

/** The file of the audit log, for the process that writes the lines of all workers. Undefined if the settings have none. Rejects if it cannot be opened. */
export async function openAuditFile(config: Config, log: Log): Promise<LineSink | undefined> {
  return config["audit-log-path"] === "" || config["audit-policy-file"] === "" ? undefined : await lineSink(config, log);
}

async function lineSink(config: Config, log: Log): Promise<LineSink> {
  const path = config["audit-log-path"];
  return path === "-" ? standardOutput() : await rotatingFile(path, {
    maxBytes: config["audit-log-maxsize"] * mebibyte,
    maxAgeMs: config["audit-log-maxage"] * dayMs,
    maxBackups: config["audit-log-maxbackup"],
    compress: config["audit-log-compress"],
    // Old files are removed by their age. Without reports: the server has them.
    now: steadyTime({ wall: systemClock.now, elapsed: systemClock.elapsed, doubtMs: dayMs }),
    report: (message) => log.error(`the audit log: ${message}`),
  }).catch((error: unknown) => {
    throw new Error(`cannot open the audit log: ${reasonOf(error)}`);
  });
}

function logOf(config: Config, { domain }: Names, sink: LineSink, lost: LostEvents): AuditBackend {
  const isLegacy = config["audit-log-format"] === "legacy", head = eventHead(domain, "Event");
  return logBackend(sink, ({ event, members }) => isLegacy ? `${legacyLine(event)}\n` : `${head},${members}}\n`, lost);
}
const mebibyte = 1024 * 1024, dayMs = 86_400_000;

function webhookOf(config: Config, { domain }: Names, lost: LostEvents): AuditBackend {
  const client = remoteClient(() => readAccess(config["audit-webhook-config-file"]));
  const initialBackoffMs = config["audit-webhook-initial-backoff"];
  return webhookBackend({ client, domain, initialBackoffMs, clock: systemClock, random: Math.random, lost });
}

/** A backend with the buffer and the truncation of its settings. */
function wrapBackend(
  config: Config,
  name: AuditBackendName,
  backend: AuditBackend,
  lost: LostEvents,
): AuditBackend {
  const settings = backendConfig(config, name);
  const delivering = settings.mode === "batch"
    ? buffered(backend, batchOptions(settings, name), { clock: systemClock, lost })
    : settings.mode === "blocking"
    ? ignoringErrors(backend)
    : backend;
  if (!settings["truncate-enabled"]) return delivering;
  const { domain } = namesOf(config);
  return truncating(delivering, {
    maxEventSize: settings["truncate-max-event-size"],
    maxBatchSize: settings["truncate-max-batch-size"],
    annotation: `audit.${domain}/truncated`,
    write: writer(domain),
    lost,
  });
}

function batchOptions(settings: ReturnType<typeof backendConfig>, name: AuditBackendName): BatchOptions {
  return {
    bufferSize: settings["batch-buffer-size"],
    maxBatchSize: settings["batch-max-size"],
    maxWaitMs: settings["batch-max-wait"],
    throttle: settings["batch-throttle-enable"]
      ? { perSecond: settings["batch-throttle-qps"], burst: settings["batch-throttle-burst"] }
      : undefined,
    // A log is one file: concurrent writes have no advantage.
    concurrency: name === "log" ? 1 : auditBatchesMax,
  };
}

/** Counts lost events. Logs at most one line per backend in ten seconds. */
function lostEvents(log: Log, record: KernelRecord): LostEvents {
  const silent = new Map<string, { until: number; count: number }>();
  return (plugin, reason, count) => {
    record.auditErrors.with({ plugin }).add(count);
    const state = silent.get(plugin) ?? { until: 0, count: 0 };
    silent.set(plugin, state);
    state.count += count;
    const now = systemClock.now();
    if (now < state.until) return;
    log.error("audit events were lost", { plugin, events: state.count, error: reason });
    state.count = 0;
    state.until = now + lostEveryMs;
  };
}
const lostEveryMs = 10_000;

function meterOf(record: KernelRecord): Parameters<typeof openAudit>[0]["meter"] {
  return {
    level: (level) => record.auditLevels.with({ level }).add(),
    event: () => record.auditEvents.with({}).add(),
    rejected: () => record.auditRejected.with({}).add(),
  };
}
