/** Controllers of plugins: which of them run under a catalog, and how they start, fail and end. */
import { spell } from "../../core/names.ts";
import type { Controller, ControllerContext, ControllerNeed } from "../../core/controller.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import { type Catalog } from "../../kernel/catalog/catalog.ts";
import { pause, systemClock } from "../../core/async.ts";

/** A controller under a catalog. `lacks` lists the needed resources that are not served, as --runtime-config writes them. */
export interface ControllerState {
  readonly controller: Controller;
  readonly runs: boolean;
  readonly lacks: readonly string[];
}

/** The controllers of the catalog's plugins. One whose gate is disabled does not run and lacks nothing. */
export function controllerStates(catalog: Catalog): readonly ControllerState[] {
  return catalog.plugins.flatMap(({ controllers = [] }) => controllers).map((controller) => {
    const { gate, needs = [] } = controller;
    if (gate !== undefined && !catalog.gates.isOn(gate)) return { controller, runs: false, lacks: [] };
    const lacks = needs.filter((need) => !isServed(catalog, need)).map((need) => nameOf(catalog, need));
    return { controller, runs: lacks.length === 0, lacks };
  });
}

/** Whether one of the group versions serves the resource. */
export function isServed({ names, endpoint }: Catalog, { resource, groupVersions }: ControllerNeed): boolean {
  return groupVersions.some((each) => {
    const { group, version } = splitGroupVersion(spell(names, each));
    return endpoint(group, version, resource) !== undefined;
  });
}

/** Whether a plugin's kind has this resource, or the place in the store of a custom resource with these names. */
export function isDeclared({ kinds, plugins }: Catalog, group: string, plural: string): boolean {
  const declared = new Set(plugins.flatMap(({ resources = [] }) => resources));
  return kinds.some((kind) =>
    declared.has(kind.resource) && (kind.group === group && kind.plural === plural || kind.under === `${group}/${plural}`)
  );
}

function nameOf({ names }: Catalog, { resource, groupVersions }: ControllerNeed): string {
  return groupVersions.map((each) => `${spell(names, each)}/${resource}`).join(" or ");
}

/** Log lines for controllers that stop or start because of the resources that `next` serves: a line for all that stop or start together. */
export function controllerNews(next: Catalog, before: Catalog | undefined): readonly ControllerNews[] {
  const lacked = new Map((before === undefined ? [] : controllerStates(before)).map(({ controller, lacks }) => [controller.name, lacks]));
  const states = controllerStates(next).map(({ controller: { name }, lacks, runs }) => ({
    name,
    lacks,
    runs,
    was: lacked.get(name) ?? [],
  }));
  const stopped = states.filter(({ lacks, was }) => lacks.length > 0 && lacks.join() !== was.join());
  const resumed = states.filter(({ runs, was }) => runs && was.length > 0);
  const namesOf = (some: typeof states) => some.map(({ name }) => name);
  const missing = [...new Set(stopped.flatMap(({ lacks }) => lacks))];
  return [
    ...(stopped.length === 0
      ? []
      : [{ message: `controllers do not run: not served: ${missing.join(", ")}`, controllers: namesOf(stopped) }]),
    ...(resumed.length === 0 ? [] : [{
      message: "controllers run again: all resources that they need are served",
      controllers: namesOf(resumed),
    }]),
  ];
}

interface ControllerNews {
  readonly message: string;
  readonly controllers: readonly string[];
}

/** Runs the controllers until the signal aborts, each with its own context; resolves when all have ended. */
export async function runControllers(
  controllers: readonly Controller[],
  controllerContextOf: (controller: Controller, signal: AbortSignal) => ControllerContext,
  signal: AbortSignal,
  notify: { started(controller: string): void; failed(controller: string, error: unknown): void },
): Promise<void> {
  await Promise.all(controllers.map(async (controller) => {
    const world = controllerContextOf(controller, signal);
    for (let pauseMs = 100; !signal.aborted; pauseMs = Math.min(pauseMs * 2, 30_000)) {
      const began = systemClock.elapsed();
      try {
        const running = controller.run(world, signal);
        notify.started(controller.name);
        await running;
      } catch (error) {
        if (!signal.aborted) notify.failed(controller.name, error);
      }
      if (systemClock.elapsed() - began > 60_000) pauseMs = 100;
      await pause(pauseMs, signal, systemClock);
    }
  }));
}
