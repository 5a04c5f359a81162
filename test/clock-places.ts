/** The sources of the server that read the time of the machine. Others get a clock, so that a test can advance it (`openTestServer({ clock: "manual" })`). */
import { sourceFolders } from "./source-folders.ts";

/** What reads the time of the machine: since 1970, without a clock that was given. Durations are measured by `performance.now`, which is not meant. */
const machineTime = /\bDate\.now\b|\bnew Date\(\)|\bsystemClock\b/;

/** Folders whose programs and tests have the time of the machine, and the module that reads it for all others. */
const ownTime = ["commands/", "testing/", "core/async.ts"];

/** Files that are still to get a clock. The list only becomes shorter. */
export const stillOnMachineTime: readonly string[] = [
  "client/remote-api.ts",
  "core/client/follow.ts",
  "core/work-queue.ts",
  "kernel/store/sqlite/sqlite.ts",
  "plugins/apiregistration/autoregister.ts",
  "plugins/apiregistration/availability.ts",
  "plugins/apiregistration/forward.ts",
  "plugins/authentication/delegation/cluster.ts",
  "plugins/authentication/jwt/definition.ts",
  "plugins/cluster/object-follower.ts",
  "plugins/cluster/work-queue.ts",
  "plugins/coordination/identity.ts",
  "plugins/flowcontrol/flow-control.ts",
  "plugins/pods/admission/service-account.ts",
  "plugins/pods/security/step.ts",
  "plugins/quotas/controller.ts",
  "plugins/services/bootstrap.ts",
  "plugins/shared/follow-objects.ts",
  "protocols/files/bounded-files.ts",
  "protocols/tls/trust.ts",
  "server/audit/plugin-backends.ts",
  "server/background/bootstrap-objects.ts",
  "server/background/elected.ts",
  "server/heavy/worker.ts",
  "server/listen/http2/response-head.ts",
  "server/listen/serve-request.ts",
  "server/process/prepare.ts",
  "server/process/supervise.ts",
  "server/process/worker-process.ts",
  "server/startup/assemble.ts",
  "server/startup/authentication.ts",
  "server/startup/authorization.ts",
  "server/startup/credentials.ts",
  "server/startup/delegation.ts",
  "server/startup/error-log.ts",
  "server/startup/open-audit.ts",
  "server/startup/open-server.ts",
  "server/startup/open-storage.ts",
  "server/startup/refusal-log.ts",
  "server/startup/serve.ts",
  "server/startup/steady-clock.ts",
];

/** Returns the files that read the time of the machine, in the order of the sources. */
export function onMachineTime(sources: readonly { readonly path: string; readonly text: string }[]): readonly string[] {
  return sources.filter(({ path, text }) =>
    sourceFolders.includes(path.slice(0, path.indexOf("/"))) && !ownTime.some((place) => path.startsWith(place)) &&
    !/_test\.ts$|_bench\.ts$|\/test-[^/]+$|\/testing\//.test(path) && machineTime.test(text)
  ).map(({ path }) => path);
}
