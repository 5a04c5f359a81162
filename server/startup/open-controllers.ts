/** Starts the background work of a server: bootstrap objects, controllers with their leader election, compaction. */
import { readFile } from "node:fs/promises";
import type { Api } from "../../core/api.ts";
import { once } from "../../core/async.ts";
import { PeerError, type Peers } from "../../core/connect.ts";
import type { StartUp } from "../../health/mod.ts";
import type { Controller } from "../../core/controller.ts";
import { systemGroups } from "../../core/user-info.ts";
import { type Background, type BackgroundReports, controllerHook, runBackground } from "../background/background.ts";
import type { BackgroundApis, CommonContext } from "../background/controller-contexts.ts";
import { localApi, type LocalOptions } from "../background/local-api.ts";
import { recordsOf } from "../background/records.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import { workMeters } from "../metrics/work-metrics.ts";
import type { Server } from "../../kernel/server.ts";
import type { Store } from "../../kernel/store/store.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { settingOf } from "../config/plugin-settings.ts";
import { machineAddresses } from "./machine-addresses.ts";
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
export function serverApi(server: Server, options: LocalOptions = {}): Api {
  return localApi(server, serverUser, { ...options, manager: "kube-apiserver" });
}

/** What the controllers of a server need beside its requests. */
export interface ControllerNeeds {
  /** The measured store. */
  readonly store: Store;
  /** Each measured store, to be compacted. */
  readonly compacted: readonly Store[];
  readonly registry: KernelRegistry;
  readonly reports: BackgroundReports;
  readonly context: Omit<CommonContext, "metric" | "peers" | "setting" | "records" | "machine">;
  /** Whether controllers run in this process if there is no election. */
  readonly runsUnelected: boolean;
  /** Whether roles can grant rights to the service accounts of controllers. Otherwise controllers act as members of system:masters. */
  readonly hasRoles: () => boolean;
  /** Whether the store has the default objects: those of another server with which this one begins. */
  readonly hasBegun: boolean;
  /** When controllers and hooks may start. Absent: at once. */
  readonly mayStart: Promise<void> | undefined;
  readonly signal: AbortSignal;
}

export async function openControllers(
  inForce: ConfigInForce,
  server: Server,
  { store, compacted, registry, reports, context, runsUnelected, hasRoles, hasBegun, mayStart, signal }: ControllerNeeds,
): Promise<Background> {
  const { record, metric } = registry, { start } = reports, host = await hostName();
  const { peers = noPeers } = server.backend;
  const queues = workMeters(record, () => performance.now());
  registry.beforeScrape(queues.update);
  // A clock that tests advance waits for these requests.
  const { hold } = context.clock;
  const apis: BackgroundApis = {
    // Bootstrap objects and the lease have the field managers of upstream's programs.
    own: serverApi(server, { hold }),
    ofController: (controller, patientWhile) =>
      controllerApi(server, controller, hasRoles(), { hold, patientWhile, follows: (kind) => followWatch(start, controller.name, kind) }),
    ofHook: ({ name, fieldManager: manager = name }) => localApi(server, serverUser, { hold, manager }),
  };
  const records = recordsOf(store, inForce.current().config["etcd-prefix"]);
  const background = runBackground(inForce.current(), {
    stores: compacted,
    contexts: {
      apis,
      common: {
        ...context,
        metric,
        peers,
        setting: settingOf(inForce.current),
        records,
        machine: { name: host, addresses: machineAddresses },
      },
      queue: queues.of,
      host,
    },
    reports,
    hasBegun,
    mayStart,
    election: {
      api: localApi(server, controllerUser, { hold, manager: "kube-controller-manager" }),
      identity: `${host}_${crypto.randomUUID()}`,
      isLeader: record.isLeader,
      runsUnelected,
    },
    signal,
  });
  inForce.onSwap((next) => background.follow(next));
  return background;
}

/** Those of a server without connections. */
const noPeers: Peers = Object.freeze({
  ask: () => Promise.reject(new PeerError("this server reaches no others")),
  addressesOf: () => Promise.reject(new PeerError("this server reaches no others")),
  recoded: (body: AsyncIterable<Uint8Array>) => body,
});

/** The start hook of a controller finishes when each of its watches has delivered the initial state. */
function followWatch(start: StartUp, controller: string, kind: string): () => void {
  const seen = start.addInformer(controller, kind);
  return () => {
    seen();
    if (start.isSynced(controller)) start.finished(controllerHook(controller));
  };
}

/** The machine's name, for all servers of the process. The runtime's function needs a Deno permission that nothing else needs. */
const hostName = once(async () => (await readFile("/etc/hostname", "utf8").catch(() => "")).trim() || "thole");
