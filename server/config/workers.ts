/** The number of processes that serve requests. */
import { isInMemory } from "./in-memory.ts";
import { guide } from "../../core/guide.ts";
import type { Config } from "./settings.ts";
import { bound } from "../../core/bound.ts";

/** Workers of one server. */
const workersMax = bound(64);

type WorkerSettings = Pick<Config, "workers" | "etcd-servers" | "data-dir">;

/** The number of workers. `cores`: those that the process may use. For values without mistakes. */
export function workerCount({ workers, "etcd-servers": etcd }: WorkerSettings, cores: number = navigator.hardwareConcurrency): number {
  if (workers !== "auto") return workers;
  // The embedded store has one process.
  return etcd.length === 0 ? 1 : Math.max(1, Math.min(cores, workersMax));
}

/** Mistakes in the setting, and settings that exclude several workers. */
export function workersMistakes({ workers, "etcd-servers": etcd, "data-dir": folder }: WorkerSettings): readonly string[] {
  if (workers === 1) return [];
  if (workers !== "auto" && workers > workersMax) return [`flag "--workers": ${workers} is more than ${workersMax}`];
  // auto is one where several cannot be used.
  if (workers !== "auto" && etcd.length === 0) {
    return [
      'flag "--workers": the embedded store belongs to one process: start an etcd and name it with "--etcd-servers", or use "--workers=1" ' +
      `(${guide("several-cores")})`,
    ];
  }
  return etcd.length > 0 && isInMemory({ "data-dir": folder })
    ? ['flag "--workers": the workers share the certificates and keys in the data folder; more than 1 worker needs "--data-dir" on disk']
    : [];
}
