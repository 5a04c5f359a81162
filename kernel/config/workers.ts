/** The number of processes that serve requests. */
import { limits } from "../../core/limits.ts";
import type { Config } from "./settings.ts";

type WorkerSettings = Pick<Config, "workers" | "etcd-servers" | "data-dir">;

/** The number of workers. `cores`: those that the process may use. For values without mistakes. */
export function workerCount(config: WorkerSettings, cores: number = navigator.hardwareConcurrency): number {
  if (config.workers !== "auto") return Number(config.workers);
  // The embedded store has one process.
  return config["etcd-servers"].length === 0 ? 1 : Math.max(1, Math.min(cores, limits.workersMax));
}

/** Mistakes in the setting, and settings that exclude several workers. */
export function workersMistakes(config: WorkerSettings): readonly string[] {
  const { workers } = config, count = Number(workers);
  if (workers !== "auto" && !(/^\d{1,3}$/.test(workers) && count >= 1 && count <= limits.workersMax)) {
    return [`flag "--workers": ${JSON.stringify(workers)} is not auto or a number from 1 to ${limits.workersMax}`];
  }
  // auto is one where the others cannot be used.
  if (workers !== "auto" && count > 1 && config["etcd-servers"].length === 0) {
    return ['flag "--workers": the embedded store belongs to one process; more than 1 worker needs "--etcd-servers"'];
  }
  return workers !== "1" && config["etcd-servers"].length > 0 && config["data-dir"] === ":memory:"
    ? ['flag "--workers": the workers share the certificates and keys in the data folder; more than 1 worker needs "--data-dir" on disk']
    : [];
}
