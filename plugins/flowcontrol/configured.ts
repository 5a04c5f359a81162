/** The flow schemas and priority levels in use. */
import type { ApiObject } from "../../plugin.ts";
import type { FlowControlContext, FlowRequest, UserInfo } from "../../toolbox.ts";
import { mandatorySchemas, type Wanted, wantedLevels, wantedSchemas } from "./bootstrap-objects.ts";
import { configuredMax } from "./bounds.ts";
import { Classifier } from "./classify.ts";
import type { Ticket } from "./fair-queue.ts";
import type { FlowSchema } from "./flow-schema-schema.ts";
import { Level, Schema } from "./level.ts";
import type { PriorityLevelConfiguration } from "./priority-level-schema.ts";
import type { Seat } from "./seat.ts";
import { seatsOf } from "./seats-of-levels.ts";

interface Objects {
  readonly schemas: readonly FlowSchema[];
  readonly levels: readonly PriorityLevelConfiguration[];
}

export class Configured {
  readonly levels = new Map<string, Level<Seat>>();
  readonly #context: Pick<FlowControlContext, "names" | "metric" | "setting">;
  readonly #granted: (ticket: Ticket<Seat>) => void;
  #objects: Objects = { schemas: [], levels: [] };
  /** The seats of the server; 0 if it has no limit. */
  #total: number;
  #classifier: Classifier<Schema<Seat>>;
  #schemas: readonly Schema<Seat>[] = [];

  constructor(context: Pick<FlowControlContext, "names" | "metric" | "setting">, granted: (ticket: Ticket<Seat>) => void, now: number) {
    this.#context = context;
    this.#granted = granted;
    this.#total = this.#totalSeats();
    this.#classifier = this.#classified(now);
  }

  /** Uses these objects, and the built-in ones in place of mandatory ones that are missing. */
  use(schemas: readonly FlowSchema[], levels: readonly PriorityLevelConfiguration[], now: number): void {
    this.#objects = { schemas: schemas.slice(0, configuredMax), levels: levels.slice(0, configuredMax) };
    this.#classifier = this.#classified(now);
  }

  /** Reads the settings anew. */
  refresh(now: number): void {
    const total = this.#totalSeats();
    if (total === this.#total) return;
    this.#total = total;
    this.#classifier = this.#classified(now);
  }

  schemaOf(user: UserInfo, attributes: FlowRequest["attributes"]): Schema<Seat> {
    return this.#classifier.of(user, attributes)!; // there is a schema for requests that no other one takes
  }

  /** A request of the level has ended. */
  ended(level: Level<Seat>): void {
    if (level.isEnding && level.queue.isIdle && this.levels.get(level.name) === level) this.levels.delete(level.name);
  }

  #totalSeats(): number {
    const { setting } = this.#context;
    return setting({ name: "max-requests-inflight", kind: "int" }) + setting({ name: "max-mutating-requests-inflight", kind: "int" });
  }

  /** Makes the levels and schemas anew. Levels keep their queues. */
  #classified(now: number): Classifier<Schema<Seat>> {
    const { names, metric } = this.#context;
    const objects = withMissing(this.#objects.levels, wantedLevels) as readonly PriorityLevelConfiguration[]; // the rules use what is there
    const specs = new Map(objects.map(({ metadata: { name = "" }, spec }) => [name, spec]));
    const seats = seatsOf(specs, this.#total);
    for (const [name, level] of this.levels) {
      if (specs.has(name)) continue;
      level.isEnding = true;
      if (level.queue.isIdle) this.levels.delete(name);
    }
    for (const object of objects) {
      const { name = "" } = object.metadata, known = this.levels.get(name), own = seats.get(name)!; // each has some
      const level = known ?? new Level<Seat>(object, own, this.#granted);
      this.levels.set(name, level);
      level.configure(object, own, known === undefined, now);
    }
    const wanted = this.#objects.schemas.length === 0 ? wantedSchemas(names) : mandatorySchemas;
    const before = new Map(this.#schemas.map((each) => [each.object.metadata.name, each]));
    const schemas = this.#schemas = (withMissing(this.#objects.schemas, wanted) as readonly FlowSchema[]).flatMap((object) => {
      const level = this.levels.get(object.spec.priorityLevelConfiguration.name);
      return level === undefined || level.isEnding ? [] : [new Schema(object, level, metric, before.get(object.metadata.name))];
    });
    return new Classifier(schemas, schemas.find(({ object }) => object.metadata.name === "catch-all"));
  }
}

/** The objects, and those built-in ones that are wanted and missing: the mandatory ones, and all before the objects are known. */
function withMissing<O extends ApiObject>(objects: readonly O[], wanted: readonly Wanted<unknown>[]): readonly ApiObject[] {
  const known = new Set(objects.map(({ metadata }) => metadata.name));
  const missing = wanted.filter(({ name, isMandatory }) => (isMandatory || objects.length === 0) && !known.has(name));
  return [...objects, ...missing.map(({ name, spec }) => ({ metadata: { name }, spec, status: {} }) as unknown as ApiObject)]; // what the rules use of an object
}
