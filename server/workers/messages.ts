/** What the processes of one server send each other. */
import type { Endpoint } from "../../health/mod.ts";

/** Questions of the supervisor to a worker; a worker answers about itself. */
export type WorkerQuestion =
  /** Answer: `MetricPart[]`. `restarts`: the metrics start again before. */
  | { readonly what: "metrics"; readonly which?: "slis"; readonly restarts?: true }
  /** Answer: the names of the checks that fail, `string[]`. */
  | { readonly what: "health"; readonly endpoint: Endpoint }
  /** Answer: `PageFacts`. */
  | { readonly what: "page" }
  /** Whether its event loop runs. Answer: the number of steps of its start that are done, which grows while the start goes on. */
  | { readonly what: "ping" }
  /** Reads the configuration and credentials again. Answer: none. */
  | { readonly what: "reload" };

/** Questions of a worker to the supervisor, about all workers. */
export type GroupQuestion =
  /** Answer: the text of /metrics. `restarts`: the metrics of all processes start again before. */
  | { readonly what: "metrics"; readonly which?: "slis"; readonly restarts?: true }
  /** Answer: why the worker fails the endpoint; empty if it does not. */
  | { readonly what: "health"; readonly endpoint: Endpoint; readonly worker: number }
  /** Answer: `PageFacts`. */
  | { readonly what: "page" }
  /** Appends lines to the audit log. Answer: the index of each line that was not written, with an error. */
  | { readonly what: "audit"; readonly lines: readonly string[] };

/** The notice of a worker: it serves requests. */
export interface Ready {
  readonly url: string;
  readonly port: number;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig?: string;
}

/** The notice to a worker: it must end, as a server at SIGTERM. */
export type Close = "close";
