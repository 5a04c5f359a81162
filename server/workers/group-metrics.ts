/** The metrics of a server with several workers: those of the workers, of the supervisor, and the counts of workers that have ended. */
import { combineParts, createRegistry, cumulativeParts, type MetricPart, sampleSum } from "../../metrics/mod.ts";
import { processMetrics, processReader } from "../metrics/process-metrics.ts";
import { workerMetrics } from "../metrics/worker-metrics.ts";

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
  /** How often each worker has ended. */
  const ends = new Map<number, number>();
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

  /** Takes an answer when it arrives: its worker may end before others have answered. Service level indicators are a part of all metrics. */
  function take(worker: number, which: "slis" | undefined, parts: readonly MetricPart[]): void {
    if (which === undefined) {
      last.set(worker, parts);
      return count(worker, parts);
    }
    const names = new Set(parts.map(({ name }) => name));
    last.set(worker, [...(last.get(worker) ?? []).filter(({ name }) => !names.has(name)), ...parts]);
  }

  return {
    async text(which, workers, ask) {
      const names = new Set<string>();
      await Promise.all(workers.map(async (worker) => {
        const life = ends.get(worker), parts = await ask(worker).catch(() => undefined);
        if (parts === undefined || ends.get(worker) !== life) return; // Below it counts with its last answer.
        take(worker, which, parts);
        for (const { name } of parts) names.add(name);
      }));
      const supervisor = { worker: "supervisor", parts: await registry.parts(which) };
      // No await from here on: a worker that ends moves from `last` to `departed`.
      const known = (parts: readonly MetricPart[]) => which === undefined ? parts : parts.filter(({ name }) => names.has(name));
      const sources = [...last].toSorted(([one], [other]) => one - other).map(([worker, parts]) => ({
        worker: String(worker),
        parts: known(parts),
      }));
      return combineParts([...sources, { worker: "", parts: known(departed) }, supervisor]).map(({ text }) => text).join("");
    },
    ended(worker) {
      record.workerRestarts.with({}).add();
      const parts = cumulativeParts(last.get(worker) ?? []);
      last.delete(worker);
      counted.delete(worker);
      ends.set(worker, (ends.get(worker) ?? 0) + 1);
      departed = combineParts([{ worker: "", parts: departed }, { worker: "", parts }]);
    },
    states(configured, ready) {
      record.workers.with({ state: "configured" }).set(configured);
      record.workers.with({ state: "ready" }).set(ready);
    },
  };
}
