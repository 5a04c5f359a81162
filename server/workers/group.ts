/** One worker's view of the server: what it asks about the others, and what it answers about itself. */
import type { Endpoint } from "../../health/mod.ts";
import type { MetricPart } from "../../metrics/mod.ts";
import type { LineSink } from "../../protocols/files/line-sink.ts";
import type { PageFacts } from "../status-page/reply.ts";
import { type Log, silentLog } from "../../kernel/observe/log.ts";
import type { Channel } from "./channel.ts";
import type { GroupQuestion, Ready } from "./messages.ts";
import { workerAnswerMs } from "./bounds.ts";

/** The workers of a server, for one of them. */
export interface WorkerGroup {
  /** The number of the worker, from 1. The first worker creates the files that all share. */
  readonly worker: number;
  readonly count: number;
  /** The port that all share; 0 for the first worker of a server on a free port. */
  readonly port: number;
  /** The text of /metrics, combined. */
  metrics(which?: "slis"): Promise<string>;
  /** Starts the metrics of all again. */
  restartMetrics(which?: "slis"): Promise<void>;
  /** Rejects with the reason if a worker fails the endpoint. */
  check(worker: number, endpoint: Endpoint, signal: AbortSignal): Promise<void>;
  /** What the status page shows beside the metrics, of all. */
  pageFacts(): Promise<PageFacts>;
  /** The audit log, which one process writes. */
  readonly auditLog: LineSink;
  /** Sets the answers about this worker. */
  answerBy(own: OwnAnswers): void;
}

/** The answers of a worker to questions about itself. */
export interface OwnAnswers {
  /** `restarts`: the metrics start again before. */
  metrics(which?: "slis", restarts?: true): Promise<readonly MetricPart[]>;
  /** The names of the checks that fail. */
  health(endpoint: Endpoint): Promise<readonly string[]>;
  page(): PageFacts;
}

/** Whether this process does what is done once for the server: true for the first worker, and without workers. */
export function isFirst(group: Pick<WorkerGroup, "worker"> | undefined): boolean {
  return group === undefined || group.worker === 1;
}

/** The log for findings about settings and files, which all workers share: the other workers drop them. */
export function sharedFindings(log: Log, group: Pick<WorkerGroup, "worker"> | undefined): Log {
  return isFirst(group) ? log : silentLog;
}

/** `setAnswers` gets the answers of the worker when it has them. */
export function workerGroup(
  place: Pick<WorkerGroup, "worker" | "count" | "port">,
  channel: Channel<GroupQuestion, Ready>,
  setAnswers: (own: OwnAnswers) => void,
): WorkerGroup {
  const decoder = new TextDecoder();
  const soon = () => AbortSignal.timeout(2 * workerAnswerMs);
  // `as` in each answer: the supervisor runs the same program; messages.ts has the types.
  return {
    ...place,
    metrics: async (which) => await channel.ask(which === undefined ? { what: "metrics" } : { what: "metrics", which }, soon()) as string,
    async restartMetrics(which) {
      await channel.ask({ what: "metrics", restarts: true, ...(which === undefined ? {} : { which }) }, soon());
    },
    async check(worker, endpoint, signal) {
      const reason = await channel.ask({ what: "health", endpoint, worker }, signal) as string;
      if (reason !== "") throw new Error(reason);
    },
    pageFacts: async () => await channel.ask({ what: "page" }, soon()) as PageFacts,
    auditLog: {
      async append(lines) {
        const failed = await channel.ask({ what: "audit", lines: lines.map((line) => decoder.decode(line)) });
        return new Map(failed as readonly (readonly [number, string])[]);
      },
      close: () => Promise.resolve(),
    },
    answerBy: setAnswers,
  };
}
