/** The Stages that are in force, by the kind that they are for. */
import { reasonOf } from "../../../toolbox.ts";
import { bound } from "../../../core/bound.ts";
import type { Json } from "../../../core/json.ts";
import type { Stage } from "../stages/stage.ts";
import type { World } from "../world/world.ts";
import { type CompiledStage, compileStage } from "./compiled-stage.ts";

/** The kinds that stages are done for. */
export type StagedKind = "Pod" | "Node";
const kinds: readonly string[] = ["Pod", "Node"];

/** Different faults of the expressions of a Stage that are reported. */
const faultsToldMax = bound(10);

/** The usable Stages. A wrong one has no effect and is reported once. */
export class StageBook {
  readonly #world: World;
  readonly #byName = new Map<string, CompiledStage>();
  readonly #names = new Map<string, string>();
  readonly #listeners: (() => void)[] = [];

  /** Follows the Stages of the world from now on. */
  constructor(world: World) {
    this.#world = world;
    for (const stage of world.stages.all()) this.#take(stage);
    world.stages.listen((next, before) => {
      const { name = "" } = (next ?? before)!.metadata;
      this.#byName.delete(name);
      this.#names.delete(name);
      if (next !== undefined) this.#take(next);
      for (const each of this.#listeners) each();
    });
  }

  /** Calls `listener` after each change of the Stages. */
  listen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The usable stages of a kind. */
  of(kind: StagedKind): readonly CompiledStage[] {
    return [...this.#byName.values()].filter(({ stage }) => stage.spec.resourceRef.kind === kind);
  }

  /** Whether the life that is built in leaves an object alone: a Stage is for it, or one replaces the built-in stage of this name. */
  replaces(kind: StagedKind, builtIn: string, object: object): boolean {
    if (this.#names.get(builtIn) === kind) return true;
    for (const each of this.#byName.values()) if (each.stage.spec.resourceRef.kind === kind && each.matches(object as Json)) return true;
    return false;
  }

  /** Reports a fault of a stage in the log and in an event. */
  report(stage: Stage, what: string): void {
    const note = `the stage ${stage.metadata.name ?? ""} ${what}`;
    this.#world.context.logError(note);
    this.#world.context.events.record(stage, { type: "Warning", reason: "StageFailed", action: "Stage", note });
  }

  #take(stage: Stage): void {
    const { name = "" } = stage.metadata, { kind, apiGroup = "v1" } = stage.spec.resourceRef;
    if (!kinds.includes(kind) || apiGroup !== "v1") {
      return this.report(stage, `has no effect: stages of ${apiGroup} ${kind} are not supported`);
    }
    this.#names.set(name, kind);
    try {
      const { clock, random } = this.#world, told = new Set<string>();
      const failed = (what: string) => {
        // What fails for one object mostly fails for many.
        if (told.has(what) || told.size === faultsToldMax) return;
        told.add(what);
        this.report(stage, what);
      };
      this.#byName.set(name, compileStage(stage, { now: clock.now, random, failed }));
    } catch (error) {
      this.report(stage, `has no effect: ${reasonOf(error)}`);
    }
  }
}
