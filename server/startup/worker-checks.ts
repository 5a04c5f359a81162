/** The health of a server with several workers: whichever answers speaks for all. */
import { type Check, type Checks, type Endpoint, report } from "../../health/mod.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import type { WorkerGroup } from "../workers/group.ts";
import { workerAnswerMs } from "../workers/bounds.ts";

/** Milliseconds for the checks of one worker that another one asks for: less than that one waits. */
const ownMs = workerAnswerMs / 2;

/** The names of the checks that fail. `observe` gets each result. */
export async function failingChecks(
  endpoint: Endpoint,
  checks: Checks,
  observe: (name: string, passed: boolean) => void,
): Promise<readonly string[]> {
  const { failures } = await report(endpoint, checks, { verbose: false, exclude: [], observe }, ownMs);
  return failures.map(({ name }) => name);
}

/** The checks of this worker, and one for each worker of the server: `worker-1`. It fails with the names of that worker's failed checks. */
export function withWorkers(checksOf: (catalog: Catalog) => Checks, group: WorkerGroup): (catalog: Catalog) => Checks {
  const workers = Array.from({ length: group.count }, (_, index) => index + 1);
  const of = (endpoint: Endpoint): readonly Check[] =>
    workers.map((worker) => ({ name: `worker-${worker}`, check: (signal) => group.check(worker, endpoint, signal) }));
  return (catalog) => {
    const { livez, healthz, readyz } = checksOf(catalog);
    return { livez: [...livez, ...of("livez")], healthz: [...healthz, ...of("healthz")], readyz: [...readyz, ...of("readyz")] };
  };
}
