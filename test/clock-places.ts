/**
 * Where the server uses the time of the machine. Everything else follows the clock of the server, which a test can advance
 * (`openTestServer({ clock: "manual" })`): what is written into objects, what expires, what is done again and again, and backoffs of controllers.
 */
import { sourceFolders } from "./source-folders.ts";

interface Source {
  readonly path: string;
  readonly text: string;
}

/** A reason to use the time of the machine. */
interface RealTime {
  readonly why: string;
  /** Files, and folders with a slash at the end. */
  readonly places: readonly string[];
}

/** The module of the clock, and the folders whose programs and tests have the time of the machine. */
const own = ["core/async.ts", "commands/", "testing/"];

/** Wall time that comes from no clock. */
const wallTime = /\bDate\.now\b|\bnew Date\(\)/;

/** Timers and elapsed time that come from no clock, and the clocks of the machine. A pause with two arguments has that of the machine. */
const machineTime = new RegExp(
  [
    String.raw`\b(?:systemClock|elapsedClock)\b`,
    String.raw`\bset(?:Timeout|Interval)\(`,
    String.raw`\bAbortSignal\.timeout\(`,
    String.raw`\bperformance\.now\b`,
    String.raw`\bpause\((?:[^(),]|\([^()]*\))+,(?:[^(),]|\([^()]*\))+\)`,
  ].join("|"),
);

/** The reasons, and where they hold. A file belongs to one of them. */
export const realTime: readonly RealTime[] = [
  {
    why: "Connections: sockets, certificates and other servers have the time of the machine. So do the retries that a request waits for.",
    places: [
      "client/",
      "kernel/store/etcd/",
      "plugins/apiregistration/finding.ts",
      "plugins/apiregistration/forward.ts",
      "plugins/authentication/delegation/",
      "plugins/authentication/jwt/definition.ts",
      "plugins/authentication/reviewed-tokens.ts",
      "plugins/nodes/component-status.ts",
      "plugins/pods/connections/",
      "protocols/",
      "server/aggregation/",
      "server/audit/",
      "server/encryption/",
      "server/listen/",
      "server/startup/authentication.ts",
      "server/startup/authorization.ts",
      "server/startup/delegation.ts",
      "server/startup/issuer-fetch.ts",
      "server/startup/open-audit.ts",
      "server/startup/part-context.ts",
      "server/webhooks/",
    ],
  },
  {
    why: "Requests: how long a client waits, for an answer, a place or a revision.",
    places: [
      "health/health.ts",
      "kernel/cache/kind/subscribers.ts",
      "kernel/cache/open-reads.ts",
      "kernel/reads/direct-reads.ts",
      "kernel/request/deadline.ts",
      "kernel/write/",
      "plugins/flowcontrol/",
      "plugins/pods/admission/service-account.ts",
      "plugins/quotas/admission.ts",
      "server/background/local-call.ts",
      "server/heavy/",
      "server/startup/request-limits.ts",
      "server/startup/store-metrics.ts",
    ],
  },
  {
    why: "Turns of the event loop and budgets of CPU: how long work may run before other work has its turn.",
    places: [
      "core/admission/expression-work.ts",
      "core/listed.ts",
      "core/openapi/v2.ts",
      "core/turns.ts",
      "kernel/cache/fill/fill.ts",
      "kernel/cache/index/slabs.ts",
      "kernel/objects/chunks.ts",
      "plugins/admissionregistration/",
      "plugins/apiextensions/serving/source.ts",
      "plugins/pods/security/step.ts",
      "plugins/rbac/escalation.ts",
      "plugins/rbac/rule-index.ts",
    ],
  },
  {
    why: "Measured durations, and the times of lines of the log.",
    places: [
      "kernel/access/authentication/authenticate.ts",
      "kernel/observe/tracing.ts",
      "server/metrics/",
      "server/startup/assemble.ts",
      "server/startup/error-log.ts",
      "server/startup/open-controllers.ts",
      "server/startup/open-server.ts",
      "server/startup/open-storage.ts",
      "server/startup/opentelemetry.ts",
      "server/startup/refusal-log.ts",
    ],
  },
  {
    why: "The process: its memory, its files, its own certificates, its workers, its start and its end.",
    places: [
      "server/background/shared-values.ts",
      "server/process/",
      "server/startup/credentials.ts",
      "server/startup/health-checks.ts",
      "server/startup/serve.ts",
      "server/startup/shutdown.ts",
      "server/startup/steady-clock.ts",
      "server/workers/",
    ],
  },
  {
    why: "Repair: what a server needs and what has failed is tried again, also while its time stands still.",
    places: [
      "core/client/follow.ts",
      "kernel/conversion/converting-store.ts",
      "plugins/apiregistration/autoregister.ts",
      "plugins/apiregistration/availability.ts",
      "plugins/cluster/object-follower.ts",
      "plugins/coordination/identity.ts",
      "plugins/quotas/controller.ts",
      "plugins/services/bootstrap.ts",
      "plugins/shared/follow-objects.ts",
      "server/background/background.ts",
      "server/background/bootstrap-objects.ts",
      "server/background/controllers.ts",
      "server/background/resource-sources.ts",
    ],
  },
  {
    why: "Parts that are also used without a server: the clock is given, and that of the machine is the default.",
    places: ["core/work-queue.ts", "kernel/store/sqlite/sqlite.ts", "plugins/cluster/work-queue.ts", "server/background/compactor.ts"],
  },
];

const isIn = (path: string, places: readonly string[]): boolean =>
  places.some((place) => place.endsWith("/") ? path.startsWith(place) : path === place);

/** The sources of the server, without tests and what they use. */
const serverSources = (sources: readonly Source[]): readonly Source[] =>
  sources.filter(({ path }) =>
    sourceFolders.includes(path.slice(0, path.indexOf("/"))) && !isIn(path, own) &&
    !/_test\.ts$|_bench\.ts$|\/test-[^/]+$|\/testing\//.test(path)
  );

/** Returns the files that read wall time by themselves. */
export function onWallTime(sources: readonly Source[]): readonly string[] {
  return serverSources(sources).filter(({ text }) => wallTime.test(text)).map(({ path }) => path);
}

/** Returns the files that use the time of the machine without a reason of `realTime`, or with two of them; and the places that have no such file. */
export function clockMistakes(sources: readonly Source[]): readonly string[] {
  const files = serverSources(sources).filter(({ text }) => machineTime.test(text)).map(({ path }) => path);
  const reasons = (path: string) => realTime.filter(({ places }) => isIn(path, places)).length;
  return [
    ...files.filter((path) => reasons(path) !== 1),
    ...realTime.flatMap(({ places }) => places).filter((place) => !files.some((path) => isIn(path, [place]))),
  ];
}
