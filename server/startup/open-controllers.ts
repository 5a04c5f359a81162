/** Starts the background work of a server: bootstrap objects, controllers with their leader election, compaction. */
import { readFile } from "node:fs/promises";
import type { Api } from "../../core/api.ts";
import type { StartUp } from "../../health/mod.ts";
import type { Controller, ControllerContext } from "../../core/controller.ts";
import { systemGroups } from "../../core/user-info.ts";
import { type Background, controllerHook, runBackground } from "../background/background.ts";
import type { ControllerBoard } from "../background/controller-board.ts";
import { localApi, type LocalOptions } from "../background/local-api.ts";
import type { BeginProgress } from "../../core/progress.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { KernelRegistry } from "../../kernel/observe/metrics.ts";
import { workMeters } from "../../kernel/observe/work-metrics.ts";
import type { Server } from "../../kernel/server.ts";
import type { Store } from "../../kernel/store/store.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds after its start for which a controller waits for its rights. */
const localAuthorizationMs = bound(10_000);

const masters = [systemGroups.masters];
/** The user of the server's own requests. */
const serverUser = { name: "system:apiserver", groups: masters };
/** The user of leader election, and of controllers without a service account. */
const controllerUser = { name: "system:kube-controller-manager", groups: masters };
/** The API of a controller. */
function controllerApi(server: Server, controller: Controller, hasRoles: boolean, options: LocalOptions): Api {
  const { serviceAccount, fieldManager: manager = controller.name } = controller;
  if (serviceAccount === undefined || !hasRoles) return localApi(server, controllerUser, { ...options, manager });
  const account = {
    name: `system:serviceaccount:kube-system:${serviceAccount}`,
    groups: [systemGroups.serviceAccounts, `${systemGroups.serviceAccounts}:kube-system`, systemGroups.authenticated],
  };
  // Reads are those of the server, as upstream's informers in a kube-apiserver: readiness must not depend on an authorizer that denies, or does not answer.
  return localApi(server, account, { ...options, manager, reader: controllerUser, patientMs: localAuthorizationMs });
}

/** The API in process of the server itself, with upstream's user and field manager. */
export function serverApi(server: Server): Api {
  return localApi(server, serverUser, { manager: "kube-apiserver" });
}

/** `store` is the measured store. */
export async function openControllers(
  inForce: ConfigInForce,
  server: Server,
  { store, start, registry, log, findings, board, progress, rootCertificates, issueLegacyToken, runsUnelected, hasRoles, signal }: {
    readonly store: Store;
    readonly start: StartUp;
    readonly registry: KernelRegistry;
    readonly log: Log;
    readonly board: ControllerBoard;
    readonly progress: BeginProgress;
    readonly findings: Pick<Log, "info">;
    /** PEM of the CAs that controllers publish. */
    readonly rootCertificates: string | undefined;
    readonly issueLegacyToken: ControllerContext["issueLegacyToken"];
    /** Whether controllers run in this process if there is no election. */
    readonly runsUnelected: boolean;
    /** Whether roles can grant rights to the service accounts of controllers. Otherwise controllers act as members of system:masters. */
    readonly hasRoles: () => boolean;
    readonly signal: AbortSignal;
  },
): Promise<Background> {
  const { record } = registry, host = await hostName();
  const queues = workMeters(record, () => performance.now());
  registry.beforeScrape(queues.update);
  const background = runBackground(inForce.current(), {
    store,
    // Bootstrap objects and the lease have the field managers of upstream's programs.
    api: serverApi(server),
    apiOf: (controller, patientWhile) =>
      controllerApi(server, controller, hasRoles(), { patientWhile, follows: (kind) => followed(start, controller.name, kind) }),
    hookApiOf: ({ name, fieldManager: manager = name }) => localApi(server, serverUser, { manager }),
    election: {
      api: localApi(server, controllerUser, { manager: "kube-controller-manager" }),
      identity: `${host}_${crypto.randomUUID()}`,
      isLeader: record.isLeader,
      runsUnelected,
    },
    host,
    start,
    log,
    board,
    progress,
    findings,
    queue: queues.of,
    metric: registry.metric,
    rootCertificates,
    issueLegacyToken,
    signal,
  });
  inForce.onSwap((next) => background.follow(next));
  return background;
}

/** The start hook of a controller finishes when each of its watches has delivered the initial state. */
function followed(start: StartUp, controller: string, kind: string): () => void {
  const seen = start.addInformer(controller, kind);
  return () => {
    seen();
    if (start.isSynced(controller)) start.finished(controllerHook(controller));
  };
}

/** Reads the file: the runtime's function needs a Deno permission that nothing else needs. */
async function hostName(): Promise<string> {
  return (await readFile("/etc/hostname", "utf8").catch(() => "")).trim() || "thole";
}
