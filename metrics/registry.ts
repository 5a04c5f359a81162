/** The metrics of one server: recorders, and the text of a scrape. */
import type { MetricPart } from "./combine.ts";
import type { MetricDefinition } from "./define.ts";
import { type MetricState, stateAt } from "./lifecycle.ts";
import type { MetricOf, Recorder } from "./recorder.ts";
import { notifyOnce, type Recording, recordingOf, type RecordingOptions, unrecorded } from "./recording.ts";
import { headText } from "./text.ts";

export type Definitions = Readonly<Record<string, MetricDefinition>>;

export interface Registry<Table extends Definitions> {
  /** One recorder for each definition, under its key in the table. */
  readonly record: { readonly [Key in keyof Table]: Recorder<Table[Key]> };
  /**
   * Replaces the metrics of plugins. Metrics that stay keep their values. Those that are gone are no longer served, but can still be
   * recorded, because requests and controllers that use them may still run. Names must differ from those in the table.
   */
  adopt(definitions: readonly MetricDefinition[]): void;
  /** The recorder of a metric that was adopted, by its name. Throws an Error for any other. */
  readonly metric: MetricOf;
  /** Registers a function that runs before every scrape, for gauges that are computed on demand. */
  beforeScrape(update: () => void | Promise<void>): void;
  /**
   * The metrics in Prometheus' text format 0.0.4, sorted by name. A metric with labels appears after its first recording. The event
   * loop runs between two metrics, so that a scrape does not delay requests. `which` limits the text to service level indicators.
   */
  text(which?: "slis"): Promise<string>;
  /** The same text, in one part for each metric, for a process that combines it with that of others. */
  parts(which?: "slis"): Promise<readonly MetricPart[]>;
  /** Starts all metrics again, or the service level indicators: see `Recording.restart`. */
  restart(which?: "slis"): void;
  readonly contentType: string;
  /** Every definition in force with its state. Disabled, hidden and gone metrics are neither recorded nor served. */
  readonly standing: readonly { readonly definition: MetricDefinition; readonly state: MetricState | "disabled" }[];
}

export interface RegistryOptions extends RecordingOptions {
  /** The minor release that decides the state of deprecated metrics, as "1.35". Absent: no metric is hidden. */
  readonly release?: string;
  /** Serve metrics that are hidden in this release. */
  readonly showHidden?: boolean;
  /** Names of metrics to leave out. Takes precedence over `showHidden`. */
  readonly disabled?: readonly string[];
  /** Called at the first recording of each deprecated metric. */
  readonly deprecatedUsed?: (definition: MetricDefinition) => void;
}

/**
 * Makes the registry of one server.
 *
 * @param definitions the metrics, by the key of their recorder
 * @throws Error if two definitions have one name
 */
export function createRegistry<const Table extends Definitions>(definitions: Table, options: RegistryOptions = {}): Registry<Table> {
  const entries = Object.entries(definitions).map(([key, definition]) => ({ key, entry: entryOf(definition, options) }));
  const names = new Set<string>();
  for (const { entry: { definition: { name } } } of entries) {
    if (names.has(name)) throw new Error(`A metric with the name ${name} has already been registered.`);
    names.add(name);
  }
  const own = entries.map(({ entry }) => entry);
  const adopted = new Map<string, Entry>();
  let inForce: readonly Entry[] = own, sorted = shownOf(own);
  const updates: (() => void | Promise<void>)[] = [];
  async function parts(which?: "slis"): Promise<readonly MetricPart[]> {
    const written = sorted;
    if (which === undefined) { for (const update of updates) await update(); }
    const found: MetricPart[] = [];
    for (const { name, type, combined, sli, head, samples } of written) {
      if (which === "slis" && !sli) continue;
      const lines = samples();
      if (lines !== "") found.push({ name, type, combined, text: head() + lines });
      await turn();
    }
    return found;
  }
  return Object.freeze({
    // `as`: each recorder was made for the type of its definition; a loop cannot express the mapped type.
    record: Object.freeze(Object.fromEntries(entries.map(({ key, entry }) => [key, entry.recording]))) as unknown as Registry<
      Table
    >["record"],
    adopt(next: readonly MetricDefinition[]) {
      const others = next.map((definition) => {
        const before = adopted.get(definition.name);
        return before !== undefined && isSame(before.definition, definition) ? before : entryOf(definition, options);
      });
      for (const entry of others) adopted.set(entry.definition.name, entry);
      inForce = [...own, ...others];
      sorted = shownOf(inForce);
    },
    metric<Definition extends MetricDefinition>({ name }: Definition): Recorder<Definition> {
      const entry = adopted.get(name);
      if (entry === undefined) throw new Error(`Cannot record the metric "${name}": no plugin in force declares it in \`metrics\``);
      return entry.recording as unknown as Recorder<Definition>; // `as`: it was made for a definition of this name
    },
    beforeScrape: (update: () => void | Promise<void>) => void updates.push(update),
    text: async (which?: "slis") => (await parts(which)).map(({ text }) => text).join(""),
    parts,
    restart(which?: "slis") {
      for (const { definition, recording } of inForce) if (which === undefined || definition.sli === true) recording.restart();
    },
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    get standing() {
      return inForce.map(({ definition, state }) => ({ definition, state }));
    },
  });
}

interface Shown extends Pick<MetricPart, "name" | "type" | "combined"> {
  /** The lines of help and type. */
  readonly head: () => string;
  readonly samples: () => string;
  readonly sli: boolean;
}

/** A metric with its state and its values. `shown` is undefined if it is not served. */
interface Entry {
  readonly definition: MetricDefinition;
  readonly state: MetricState | "disabled";
  readonly recording: Recording;
  readonly shown: Shown | undefined;
}

function entryOf(definition: MetricDefinition, options: RegistryOptions): Entry {
  const { name } = definition, state = standingOf(definition, options);
  if (state === "disabled" || state === "hidden" || state === "gone") return { definition, state, recording: unrecorded, shown: undefined };
  const made = recordingOf(definition, options), isDeprecated = state === "deprecated";
  return {
    definition,
    state,
    recording: isDeprecated ? notifyOnce(made, () => options.deprecatedUsed?.(definition)) : made,
    shown: {
      name,
      type: definition.type,
      combined: definition.combined ?? "sum",
      head: () => headText(name, definition.type, helpOf(definition, isDeprecated)),
      samples: made.text,
      sli: definition.sli === true,
    },
  };
}

/** The metrics that are served, by name. */
function shownOf(entries: readonly Entry[]): readonly Shown[] {
  return entries.flatMap(({ shown }) => shown ?? []).toSorted((a, b) => a.name < b.name ? -1 : 1);
}

/** Whether two definitions are equal, also if they are different objects. */
function isSame(one: MetricDefinition, other: MetricDefinition): boolean {
  return one === other || JSON.stringify(Object.entries(one).toSorted()) === JSON.stringify(Object.entries(other).toSorted());
}

/** The state of a metric. `disabled` takes precedence over `showHidden`, as upstream. */
function standingOf(definition: MetricDefinition, { disabled = [], release, showHidden }: RegistryOptions): MetricState | "disabled" {
  if (disabled.includes(definition.name)) return "disabled";
  if (release === undefined) return definition.deprecatedSince === undefined ? "shown" : "deprecated";
  const state = stateAt(definition, release);
  return state === "hidden" && showHidden === true ? "deprecated" : state;
}

/** Yields to the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function helpOf({ stability, deprecatedSince, help }: MetricDefinition, deprecated: boolean): string {
  return `[${stability}] ${deprecated ? `(Deprecated since ${deprecatedSince}) ` : ""}${help}`;
}
