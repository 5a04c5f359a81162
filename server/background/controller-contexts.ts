/** The contexts of controllers and start hooks. */
import type { Api } from "../../core/api.ts";
import type { Controller, ControllerContext, EventRecorder, StartHook } from "../../core/controller.ts";
import { spell } from "../../core/names.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import { noWorkMeter, type WorkMeter } from "../../core/work.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import { isDeclared } from "./controllers.ts";
import { eventRecorder, eventsVersion } from "./event-recorder.ts";
import { servedTypes } from "./served-types.ts";

/** The API in process, for each of its users. */
export interface BackgroundApis {
  /** That of the server itself. */
  readonly own: Api;
  /** That of one controller, which reports its watches. Each controller has its own field manager. */
  readonly ofController: (controller: Controller, until: AbortSignal) => Api;
  /** That of one start hook, with its own field manager. */
  readonly ofHook: (hook: StartHook) => Api;
}

/** The members of a context that are the same for all controllers and start hooks of a server. */
export type CommonContext = Pick<
  ControllerContext,
  | "clock"
  | "metric"
  | "peers"
  | "progress"
  | "rootCertificates"
  | "clientTrust"
  | "issueLegacyToken"
  | "signCertificate"
  | "setting"
  | "records"
  | "machine"
>;

/** The parts of a server from which contexts are made. */
export interface ContextParts {
  readonly apis: BackgroundApis;
  readonly common: CommonContext;
  /** The meter of a controller's queue; it starts empty. */
  readonly queue: (controller: string) => WorkMeter;
  /** The machine's name, for the events of controllers and start hooks. */
  readonly host: string;
  readonly log: Log;
}

/** Makes the contexts under one catalog. */
export interface ControllerContexts {
  ofController(controller: Controller, until: AbortSignal): ControllerContext;
  ofHook(hook: StartHook, until: AbortSignal): ControllerContext;
}

/** `current` returns the catalog in force: it may have custom kinds that `catalog` lacks. */
export function controllerContexts(parts: ContextParts, catalog: Catalog, current: () => Catalog): ControllerContexts {
  const { apis, common, queue, host, log } = parts;
  const shared = {
    ...common,
    names: catalog.names,
    gates: catalog.gates.isOn,
    isDeclared: (group: string, plural: string) => isDeclared(catalog, group, plural),
    // Custom kinds that appear restart no controller.
    types: servedTypes(current),
  };
  const contextOf = (what: string, name: string, api: Api, work: WorkMeter, until: AbortSignal): ControllerContext => {
    const logError = (sentence: string, error?: unknown) =>
      log.error(`${what} ${name}: ${sentence}`, error === undefined ? {} : describe(error));
    const options = { api, controller: name, host, clock: common.clock, random: Math.random, signal: until, failed: logError };
    return { ...shared, api, work, logError, events: servesEvents(catalog) ? eventRecorder(options) : noEvents };
  };
  return {
    ofController: (controller, until) =>
      contextOf("controller", controller.name, apis.ofController(controller, until), queue(controller.name), until),
    ofHook: (hook, until) => contextOf("start hook", hook.name, apis.ofHook(hook), noWorkMeter, until),
  };
}

const noEvents: EventRecorder = Object.freeze({ record() {} });

function servesEvents({ names, endpoint }: Catalog): boolean {
  const { group, version } = splitGroupVersion(spell(names, eventsVersion));
  return endpoint(group, version, "events") !== undefined;
}
