/** Feature gates: the kernel's own, their stages by release, and their state by configuration. */
import type { Gates } from "../controller.ts";
import type { GateStage } from "../plugin.ts";
import { compareReleases, type Release, type Releases, serverRelease, serverReleases } from "../releases.ts";
import { nearest } from "../nearest.ts";
import { inertGateDependencies, inertLadders } from "./inert-gates.ts";
import { removedGate } from "./removed.ts";

type Ladders = Readonly<Record<string, readonly GateStage[]>>;

/**
 * The kernel's own gates: those that change the server's behaviour, those that are locked to it, and those without effect yet, with the
 * reason. The stages are upstream's.
 */
export const ownGates: Ladders = Object.freeze({
  AggregatedDiscoveryRemoveBetaType: [
    { since: "1.0", stage: "GA", default: false },
    { since: "1.33", stage: "Deprecated", default: true },
    { since: "1.35", stage: "Deprecated", default: true, locked: true },
  ],
  AllowParsingUserUIDFromCertAuth: [{ since: "1.33", stage: "Beta", default: true }],
  AllowUnsafeMalformedObjectDeletion: [{ since: "1.32", stage: "Alpha", default: false }],
  APIResponseCompression: [
    { since: "1.8", stage: "Alpha", default: false },
    { since: "1.16", stage: "Beta", default: true },
  ],
  CBORServingAndStorage: [{ since: "1.32", stage: "Alpha", default: false }],
  ComponentFlagz: [{ since: "1.32", stage: "Alpha", default: false }],
  ComponentStatusz: [{ since: "1.32", stage: "Alpha", default: false }],
  ConstrainedImpersonation: [{ since: "1.35", stage: "Alpha", default: false }],
  ConsistentListFromCache: [
    { since: "1.28", stage: "Alpha", default: false },
    { since: "1.31", stage: "Beta", default: true },
    { since: "1.34", stage: "GA", default: true, locked: true },
  ],
  // They concern kinds of plugins with `rules: "compared"`; no built-in kind has it.
  DeclarativeValidation: [{ since: "1.33", stage: "Beta", default: true }],
  DeclarativeValidationTakeover: [{ since: "1.33", stage: "Beta", default: false }],
  DetectCacheInconsistency: [{ since: "1.34", stage: "Beta", default: true }],
  ListFromCacheSnapshot: [
    { since: "1.33", stage: "Alpha", default: false },
    { since: "1.34", stage: "Beta", default: true },
  ],
  OpenAPIEnums: [
    { since: "1.23", stage: "Alpha", default: false },
    { since: "1.24", stage: "Beta", default: true },
  ],
  RemoteRequestHeaderUID: [
    { since: "1.32", stage: "Alpha", default: false },
    { since: "1.33", stage: "Beta", default: true },
  ],
  ResilientWatchCacheInitialization: [
    { since: "1.31", stage: "Beta", default: true },
    { since: "1.34", stage: "GA", default: true, locked: true },
  ],
  RetryGenerateName: [
    { since: "1.30", stage: "Alpha", default: false },
    { since: "1.31", stage: "Beta", default: true },
    { since: "1.32", stage: "GA", default: true, locked: true },
  ],
  // Upstream has it from 1.36 on. It can be switched on here already, for clients of that release.
  ShardedListAndWatch: [{ since: "1.35", stage: "Alpha", default: false }],
  StorageVersionHash: [
    { since: "1.14", stage: "Alpha", default: false },
    { since: "1.15", stage: "Beta", default: true },
  ],
  StreamingCollectionEncodingToJSON: [
    { since: "1.33", stage: "Beta", default: true },
    { since: "1.34", stage: "GA", default: true, locked: true },
  ],
  StreamingCollectionEncodingToProtobuf: [
    { since: "1.33", stage: "Beta", default: true },
    { since: "1.34", stage: "GA", default: true, locked: true },
  ],
  UnauthenticatedHTTP2DOSMitigation: [
    { since: "1.25", stage: "Beta", default: false },
    { since: "1.29", stage: "Beta", default: true },
  ],
  WatchFromStorageWithoutResourceVersion: [
    { since: "1.27", stage: "Beta", default: false },
    { since: "1.33", stage: "Deprecated", default: false, locked: true, removed: "1.36" },
  ],
  WatchList: [
    { since: "1.27", stage: "Alpha", default: false },
    { since: "1.32", stage: "Beta", default: true },
    { since: "1.33", stage: "Beta", default: false },
    { since: "1.34", stage: "Beta", default: true },
  ],
});

/** The gates that exist with any plugins: the kernel's own and those that change nothing here. */
export const kernelGates: Ladders = Object.freeze({ ...inertLadders, ...ownGates });

/** Kernel gates that can be enabled only together with others. */
export const kernelGateDependencies: Readonly<Record<string, readonly string[]>> = Object.freeze({
  ...inertGateDependencies,
  DeclarativeValidationTakeover: ["DeclarativeValidation"],
});

/** Returns the stage at a release; undefined if the gate does not exist in it. */
export function stageAt(ladder: readonly GateStage[], release: Release): GateStage | undefined {
  const rung = ladder.findLast(({ since }) => compareReleases(since, release) <= 0);
  return rung?.removed !== undefined && compareReleases(rung.removed, release) <= 0 ? undefined : rung;
}

/** Whether a gate does not exist in the emulated release, but in this program's: it is off and cannot be set. */
function isLater(ladder: readonly GateStage[], emulated: Release): boolean {
  const first = ladder[0]?.since;
  return first !== undefined && compareReleases(first, emulated) > 0 && compareReleases(first, serverRelease) <= 0;
}

export interface GateState {
  readonly name: string;
  readonly stage: GateStage["stage"];
  readonly on: boolean;
}
/** The state of every active gate, and the lookup function of hooks. */
export interface GateTable {
  readonly states: readonly GateState[];
  readonly isOn: Gates;
  /** Warnings for the operator about set gates that are GA, deprecated or without effect. */
  readonly warnings: readonly string[];
}

/** Stages by gate, and dependencies between gates. */
export interface GateRules {
  readonly ladders: Ladders;
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
  /** Gates that change nothing: setting one to another value than its default is a warning. */
  readonly inert?: ReadonlySet<string>;
  /** Default: those of a server that emulates no other release. */
  readonly releases?: Releases;
}

/**
 * Returns the gate table of rules and `--feature-gates` pairs. `AllAlpha` and `AllBeta` set the gates that are not named. Mistakes (an
 * unknown gate, a changed locked gate, an enabled gate without its dependencies) are added to `mistakes`.
 */
export function gateTable(
  { ladders, dependencies = {}, inert = new Set(), releases = serverReleases }: GateRules,
  wanted: ReadonlyMap<string, boolean>,
  mistakes: string[],
): GateTable {
  const { emulated, minCompatibility } = releases;
  const known = Object.keys(ladders).filter((name) => stageAt(ladders[name]!, emulated) !== undefined);
  const later = new Set(Object.keys(ladders).filter((name) => isLater(ladders[name]!, emulated)));
  for (const [name, value] of wanted) {
    if (name === "AllAlpha" || name === "AllBeta" || known.includes(name)) continue;
    if (later.has(name)) {
      // Upstream's message.
      mistakes.push(
        `cannot set feature gate ${name} to ${value}, feature is PreAlpha at emulated version ${emulated}, min compatibility version ${minCompatibility}`,
      );
      continue;
    }
    const removal = removedGate(name);
    const near = nearest(name, [...known, "AllAlpha", "AllBeta"]);
    mistakes.push(removal ?? `unknown feature gate "${name}"${near === undefined ? "" : `: did you mean "${near}"?`}`);
  }
  const states = known.toSorted().map((name) => stateOf(name, stageAt(ladders[name]!, emulated)!, wanted, mistakes));
  const on = new Map(states.map((state) => [state.name, state.on]));
  for (const [name, needed] of Object.entries(dependencies)) {
    // The gates of a plugin that is not active are unknown: they hold up nothing that has no effect.
    const off = needed.filter((each) => on.get(each) !== true && (on.has(each) || !inert.has(name)));
    // Upstream's message.
    if (on.get(name) === true && off.length > 0) {
      mistakes.push(`${name} is enabled, but depends on features that are disabled: [${off.join(" ")}]`);
    }
  }
  return {
    states,
    warnings: states.flatMap((state) => {
      if (!wanted.has(state.name)) return [];
      const isIdle = inert.has(state.name) && state.on !== stageAt(ladders[state.name]!, emulated)!.default;
      return [...warningOf(state), ...(isIdle ? [`feature gate ${state.name}=${state.on} has no effect in this server`] : [])];
    }),
    isOn(gate) {
      const value = on.get(gate) ?? (later.has(gate) ? false : undefined);
      if (value === undefined) throw new Error(`feature gate "${gate}" is queried but no plugin declares it`);
      return value;
    },
  };
}

function stateOf(name: string, rung: GateStage, wanted: ReadonlyMap<string, boolean>, mistakes: string[]): GateState {
  const all = rung.stage === "Alpha" ? wanted.get("AllAlpha") : rung.stage === "Beta" ? wanted.get("AllBeta") : undefined;
  const asked = wanted.get(name) ?? (rung.locked ? undefined : all);
  if (rung.locked && asked !== undefined && asked !== rung.default) {
    // Upstream's message.
    mistakes.push(`cannot set feature gate ${name} to ${asked}, feature is locked to ${rung.default}`);
  }
  return { name, stage: rung.stage, on: asked ?? rung.default };
}

/** Upstream's warnings. */
function warningOf({ name, stage, on }: GateState): readonly string[] {
  if (stage !== "GA" && stage !== "Deprecated") return [];
  const word = stage === "GA" ? "GA" : "deprecated";
  return [`Setting ${word} feature gate ${name}=${on}. It will be removed in a future release.`];
}
