/**
 * Where the server draws random values of the machine. What it writes into objects is drawn from `core/chance.ts`, of which a test gives the seed
 * (`openTestServer({ seed: 7 })`).
 */
import { sourceFolders } from "./source-folders.ts";

interface Source {
  readonly path: string;
  readonly text: string;
}

/** The module of the chance, and the folders whose programs and tests have that of the machine. */
const own = ["core/chance.ts", "commands/", "testing/"];

const machineChance = /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b|\brandomBytes\b|\brandomInt\b|\brandomFill/;

/** The reasons, and where they hold. A file belongs to one of them. */
export const realChance: readonly { readonly why: string; readonly places: readonly string[] }[] = [
  {
    why: "Secrets, keys and their serial numbers: a seed would make them known.",
    places: [
      "protocols/x509/certificate.ts",
      "server/encryption/",
      "server/startup/keyed-hash.ts",
      "plugins/authentication/service-accounts/issue.ts",
    ],
  },
  {
    why: "Waits and choices between peers, which nothing that is stored shows.",
    places: [
      "core/client/follow.ts",
      "plugins/apiregistration/resolve.ts",
      "plugins/authentication/delegation/cluster.ts",
      "plugins/services/service-proxy.ts",
      "server/background/controller-contexts.ts",
      "server/background/elected.ts",
      "server/heavy/worker.ts",
      "server/startup/assemble.ts",
      "server/startup/authorization.ts",
      "server/startup/delegation.ts",
      "server/startup/open-audit.ts",
      "server/startup/open-server.ts",
      "server/startup/part-context.ts",
      "server/webhooks/",
    ],
  },
  {
    why: "Ids of requests and of errors in logs, audit and traces.",
    places: [
      "kernel/request/audit-id.ts",
      "kernel/respond/failure.ts",
      "plugins/admissionregistration/webhooks/call.ts",
      "plugins/apiextensions/conversion/webhook.ts",
      "server/background/local-call.ts",
      "server/startup/open-tracing.ts",
    ],
  },
  {
    why: "Who holds a lease: processes must differ, whatever their settings.",
    places: ["plugins/coordination/identity.ts", "server/startup/open-controllers.ts"],
  },
  {
    why: "Names that are never stored, or of files of this machine.",
    places: [
      "kernel/store/sqlite/reserve.ts",
      "plugins/quotas/limit-range.ts",
      "server/background/event-recorder.ts",
      "server/startup/permissions.ts",
    ],
  },
];

const isIn = (path: string, places: readonly string[]): boolean =>
  places.some((place) => place.endsWith("/") ? path.startsWith(place) : path === place);

/** Returns the files that draw from the machine without a reason of `realChance`, or with two of them; and the places that have no such file. */
export function chanceMistakes(sources: readonly Source[]): readonly string[] {
  const files = sources.filter(({ path, text }) =>
    sourceFolders.includes(path.slice(0, path.indexOf("/"))) && !isIn(path, own) && machineChance.test(text) &&
    !/_test\.ts$|_bench\.ts$|\/test-[^/]+$|\/testing\//.test(path)
  ).map(({ path }) => path);
  const reasons = (path: string) => realChance.filter(({ places }) => isIn(path, places)).length;
  return [
    ...files.filter((path) => reasons(path) !== 1),
    ...realChance.flatMap(({ places }) => places).filter((place) => !files.some((path) => isIn(path, [place]))),
  ];
}
