/** The Stages that are in force, by the kind that they are for. */
import { reasonOf } from "../../../toolbox.ts";
import { bound } from "../../../core/bound.ts";
import type { Json } from "../../../core/json.ts";
import type { Stage } from "../stages/stage.ts";
import type { World } from "../world/world.ts";
import { type CompiledStage, compileStage } from "./compiled-stage.ts";

/** A kind that stages are for: its group version and its name, such as `v1 Pod`. */
export type StagedKind = string;
/** The kinds that are always followed. */
export const podKind: StagedKind = "v1 Pod";
export const nodeKind: StagedKind = "v1 Node";

const kindOf = ({ spec: { resourceRef: { apiGroup = "v1", kind } } }: Stage): StagedKind => `${apiGroup} ${kind}`;

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
    return [...this.#byName.values()].filter(({ stage }) => kindOf(stage) === kind);
  }

  /** The kinds of the usable stages beside Pods and Nodes. */
  others(): readonly StagedKind[] {
    const all = new Set([...this.#byName.values()].map(({ stage }) => kindOf(stage)));
    return [...all].filter((kind) => kind !== podKind && kind !== nodeKind);
  }

  /** Whether the life that is built in leaves an object alone: a Stage is for it, or one replaces the built-in stage of this name. */
  replaces(kind: "Pod" | "Node", builtIn: string, object: object): boolean {
    const staged = kind === "Pod" ? podKind : nodeKind;
    if (this.#names.get(builtIn) === staged) return true;
    for (const each of this.#byName.values()) if (kindOf(each.stage) === staged && each.matches(object as Json)) return true;
    return false;
  }

  /** Reports a fault of a stage in the log and in an event. */
  report(stage: Stage, what: string): void {
    const note = `the stage ${stage.metadata.name ?? ""} ${what}`;
    this.#world.context.logError(note);
    this.#world.context.events.record(stage, { type: "Warning", reason: "StageFailed", action: "Stage", note });
  }

  #take(stage: Stage): void {
    const { name = "" } = stage.metadata;
    this.#names.set(name, kindOf(stage));
    try {
      const { clock, random } = this.#world, told = new Set<string>();
      const failed = (what: string) => {
        // What fails for one object mostly fails for many.
        if (told.has(what) || told.size === faultsToldMax) return;
        told.add(what);
        this.report(stage, `has a fault: ${what}`);
      };
      this.#byName.set(name, compileStage(stage, { now: clock.now, random: () => random(`values of stage ${name}`), failed }));
    } catch (error) {
      this.report(stage, `has no effect: ${reasonOf(error)}`);
    }
  }
}
