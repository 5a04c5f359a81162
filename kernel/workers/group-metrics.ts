/** The metrics of a server with several workers: those of the workers, of the supervisor, and the counts of workers that have ended. */
import { combineParts, createRegistry, cumulativeParts, type MetricPart, type PartsOf, sampleSum } from "../../metrics/mod.ts";
import { processMetrics, processReader } from "../observe/process-metrics.ts";
import { workerMetrics } from "../observe/worker-metrics.ts";

export interface GroupMetrics {
  /**
   * The combined text. `ask` returns the metrics of a worker; if it rejects, the worker counts with those of its last answer, so that
   * counters do not fall.
   */
  text(which: "slis" | undefined, workers: readonly number[], ask: (worker: number) => Promise<readonly MetricPart[]>): Promise<string>;
  /** A worker has ended unexpectedly: its counts stay. */
  ended(worker: number): void;
  /** The numbers of workers. */
  states(configured: number, ready: number): void;
}

/** `disabled`: names of metrics that are left out. */
export function groupMetrics(disabled: readonly string[]): GroupMetrics {
  const registry = createRegistry({ ...workerMetrics, ...processMetrics }, { disabled }), { record } = registry;
  registry.beforeScrape(processReader(record));
  record.workerRestarts.with({}).add(0);
  /** The metrics of each worker at its last answer. */
  const last = new Map<number, readonly MetricPart[]>();
  /** What has been counted of each worker's requests and CPU time. */
  const counted = new Map<number, { requests: number; cpu: number }>();
  let departed: readonly MetricPart[] = [];

  /** Adds what has come since the last scrape of a worker: the series go on when it is started again. */
  function count(worker: number, parts: readonly MetricPart[]): void {
    const now = { requests: sampleSum(parts, "apiserver_request_total"), cpu: sampleSum(parts, "process_cpu_seconds_total") };
    const before = counted.get(worker) ?? { requests: 0, cpu: 0 }, labels = { worker: String(worker) };
    counted.set(worker, now);
    record.workerRequests.with(labels).add(Math.max(0, now.requests - before.requests));
    record.workerCpuSeconds.with(labels).add(Math.max(0, now.cpu - before.cpu));
    record.workerResidentBytes.with(labels).set(sampleSum(parts, "process_resident_memory_bytes"));
  }

  return {
    async text(which, workers, ask) {
      const answers = await Promise.all(workers.map(async (worker) => ({ worker, parts: await ask(worker).catch(() => undefined) })));
      const sources = answers.flatMap(({ worker, parts }): readonly PartsOf[] => {
        if (parts === undefined) return []; // Below it counts with its last answer.
        if (which === undefined) {
          last.set(worker, parts);
          count(worker, parts);
        }
        return [{ worker: String(worker), parts }];
      });
      const names = new Set(sources.flatMap(({ parts }) => parts.map(({ name }) => name)));
      const known = (parts: readonly MetricPart[]) => which === undefined ? parts : parts.filter(({ name }) => names.has(name));
      const silent = [...last].filter(([worker]) => !sources.some((source) => source.worker === String(worker))).map(([worker, parts]) => ({
        worker: String(worker),
        parts: known(parts),
      }));
      const own = { worker: "supervisor", parts: await registry.parts(which) };
      return combineParts([...sources, ...silent, { worker: "", parts: known(departed) }, own]).map(({ text }) => text).join("");
    },
    ended(worker) {
      record.workerRestarts.with({}).add();
      const parts = cumulativeParts(last.get(worker) ?? []);
      last.delete(worker);
      counted.delete(worker);
      departed = combineParts([{ worker: "", parts: departed }, { worker: "", parts }]);
    },
    states(configured, ready) {
      record.workers.with({ state: "configured" }).set(configured);
      record.workers.with({ state: "ready" }).set(ready);
    },
  };
}
