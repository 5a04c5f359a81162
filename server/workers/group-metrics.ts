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
  /** Starts the metrics again: those of ended workers and the last answers of the others are forgotten. */
  restart(which: "slis" | undefined): void;
  /** A worker has ended unexpectedly: its counts stay. */
  ended(worker: number): void;
  /** The numbers of workers. */
  states(configured: number, ready: number): void;
}

type GroupRecord = ReturnType<typeof openRegistry>["record"];

function openRegistry(disabled: readonly string[]) {
  return createRegistry({ ...workerMetrics, ...processMetrics }, { disabled });
}

export class CombinedMetrics implements GroupMetrics {
  readonly #registry: ReturnType<typeof openRegistry>;
  readonly #record: GroupRecord;
  /** The metrics of each worker at its last answer. */
  readonly #last = new Map<number, readonly MetricPart[]>();
  /** The counts of each worker that have been added to the series by worker. */
  readonly #counted = new Map<number, { requests: number; cpu: number }>();
  /** How often each worker has ended. */
  readonly #ends = new Map<number, number>();
  /** The counts of workers that have ended. */
  #departed: readonly MetricPart[] = [];

  /** `disabled`: names of metrics that are left out. */
  constructor(disabled: readonly string[]) {
    this.#registry = openRegistry(disabled);
    this.#record = this.#registry.record;
    this.#registry.beforeScrape(processReader(this.#record));
    this.#record.workerRestarts.with({}).add(0);
  }

  async text(
    which: "slis" | undefined,
    workers: readonly number[],
    ask: (worker: number) => Promise<readonly MetricPart[]>,
  ): Promise<string> {
    const names = new Set<string>();
    await Promise.all(workers.map(async (worker) => {
      const life = this.#ends.get(worker), parts = await ask(worker).catch(() => undefined);
      if (parts === undefined || this.#ends.get(worker) !== life) return; // Below it counts with its last answer.
      this.#take(worker, which, parts);
      for (const { name } of parts) names.add(name);
    }));
    const supervisor = { worker: "supervisor", parts: await this.#registry.parts(which) };
    // No await from here on: a worker that ends moves from `#last` to `#departed`.
    const known = (parts: readonly MetricPart[]) => which === undefined ? parts : parts.filter(({ name }) => names.has(name));
    const sources = [...this.#last].toSorted(([one], [other]) => one - other).map(([worker, parts]) => ({
      worker: String(worker),
      parts: known(parts),
    }));
    return combineParts([...sources, { worker: "", parts: known(this.#departed) }, supervisor]).map(({ text }) => text).join("");
  }
  restart(which: "slis" | undefined): void {
    this.#registry.restart(which);
    if (which === "slis") return;
    this.#last.clear();
    this.#departed = [];
  }
  ended(worker: number): void {
    this.#record.workerRestarts.with({}).add();
    const parts = cumulativeParts(this.#last.get(worker) ?? []);
    this.#last.delete(worker);
    this.#counted.delete(worker);
    this.#ends.set(worker, (this.#ends.get(worker) ?? 0) + 1);
    this.#departed = combineParts([{ worker: "", parts: this.#departed }, { worker: "", parts }]);
  }
  states(configured: number, ready: number): void {
    this.#record.workers.with({ state: "configured" }).set(configured);
    this.#record.workers.with({ state: "ready" }).set(ready);
  }

  /** Takes an answer when it arrives: its worker may end before others have answered. Service level indicators are a part of all metrics. */
  #take(worker: number, which: "slis" | undefined, parts: readonly MetricPart[]): void {
    if (which === undefined) {
      this.#last.set(worker, parts);
      return this.#count(worker, parts);
    }
    const names = new Set(parts.map(({ name }) => name));
    this.#last.set(worker, [...(this.#last.get(worker) ?? []).filter(({ name }) => !names.has(name)), ...parts]);
  }
  /** Adds the counts since the last scrape of a worker to its series, which continue when the worker is started again. */
  #count(worker: number, parts: readonly MetricPart[]): void {
    const now = { requests: sampleSum(parts, "apiserver_request_total"), cpu: sampleSum(parts, "process_cpu_seconds_total") };
    const before = this.#counted.get(worker) ?? { requests: 0, cpu: 0 }, labels = { worker: String(worker) };
    this.#counted.set(worker, now);
    this.#record.workerRequests.with(labels).add(Math.max(0, now.requests - before.requests));
    this.#record.workerCpuSeconds.with(labels).add(Math.max(0, now.cpu - before.cpu));
    this.#record.workerResidentBytes.with(labels).set(sampleSum(parts, "process_resident_memory_bytes"));
  }
}
