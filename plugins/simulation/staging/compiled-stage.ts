/** A Stage that can be used: its expressions and templates are parsed. */
import { bound } from "../../../core/bound.ts";
import type { Json } from "../../../core/json.ts";
import { goQuote, parseDuration, reasonOf, Unreadable } from "../../../toolbox.ts";
import { celInteger, celMilliseconds, compileCel, type Surroundings, truthOf } from "../stages/cel.ts";
import { parseJq, valuesOf } from "../stages/jq.ts";
import type {
  ExpressionFrom,
  JqRequirement,
  MatchExpression,
  Stage,
  StageApply,
  StageFinalizers,
  StagePatch,
  StageStep,
} from "../stages/stage.ts";
import { parseTemplate, type Piece } from "../stages/template.ts";

/** Requirements of the selector of a Stage. */
const stageRequirementsMax = bound(100);
/** Steps of a Stage. */
const stageStepsMax = bound(100);

/** A patch whose template is parsed. */
export type CompiledPatch = Omit<StagePatch, "template"> & { readonly template: readonly Piece[] };
/** An object to write whose template is parsed. */
export type CompiledApply = Omit<StageApply, "template"> & { readonly template: readonly Piece[] };
/** One step. */
export type CompiledStep =
  | { readonly apply: CompiledApply }
  | { readonly patch: CompiledPatch }
  | { readonly event: NonNullable<StageStep["event"]> }
  | { readonly finalizers: StageFinalizers }
  | { readonly delete: true };

/** A stage that can be used. */
export interface CompiledStage {
  readonly stage: Stage;
  readonly name: string;
  /** Whether it is for an object, in JSON. A requirement that fails does not hold. */
  matches(object: Json): boolean;
  /** Its weight; undefined if it cannot be computed. */
  weight(object: Json): number | undefined;
  /** How long it waits, in milliseconds. `random` is from 0 to 1. An expression that fails gives nothing. */
  delayMs(object: Json, now: number, random: number): number;
  readonly steps: readonly CompiledStep[];
}

/** What expressions know beside the object, and to whom their faults are reported. */
export interface StageNeeds extends Surroundings {
  failed(what: string): void;
}

/** Compiles a stage. Throws an Error that says what is wrong. */
export function compileStage(stage: Stage, needs: StageNeeds): CompiledStage {
  const { selector, weight = 0, weightFrom, delay = {} } = stage.spec;
  const written = (selector?.matchExpressions ?? []).length;
  if (written > stageRequirementsMax) throw new Error(`it has more than ${stageRequirementsMax} requirements`);
  const requirements = (selector?.matchExpressions ?? []).map((each) => requirementOf(each, needs));
  const duration = timeOf(delay.durationMilliseconds, delay.durationFrom, needs),
    jitter = timeOf(delay.jitterDurationMilliseconds, delay.jitterDurationFrom, needs);
  return {
    stage,
    name: stage.metadata.name ?? "",
    matches: (object) =>
      selector !== undefined && hasAll(object, "labels", selector.matchLabels) &&
      hasAll(object, "annotations", selector.matchAnnotations) &&
      requirements.every((holds) => holds(object)),
    weight: weightOf(weight, weightFrom, needs),
    delayMs(object, now, random) {
      const least = duration(object, now) ?? 0, most = jitter(object, now);
      if (most === undefined) return Math.max(0, least);
      return Math.max(0, most <= least ? most : least + random * (most - least));
    },
    steps: boundedSteps(stage),
  };
}

function hasAll(object: Json, key: string, wanted: Readonly<Record<string, string>> = {}): boolean {
  const found = (object as { readonly metadata?: Readonly<Record<string, Readonly<Record<string, string>>>> }).metadata?.[key] ?? {};
  return Object.entries(wanted).every(([name, value]) => found[name] === value);
}

function requirementOf({ cel, jq, ...own }: MatchExpression, needs: StageNeeds): (object: Json) => boolean {
  if (jq === undefined && cel !== undefined) return evaluated(cel, needs, truthOf, false);
  const { key = "", operator = "", values = [] }: JqRequirement = jq ?? own, parsed = parseJq(key);
  if (!["In", "NotIn", "Exists", "DoesNotExist"].includes(operator)) {
    throw new Error(`the operator ${goQuote(operator)} is not supported`);
  }
  const isCompared = operator === "In" || operator === "NotIn";
  if (isCompared !== values.length > 0) throw new Error(`the operator ${operator} ${isCompared ? "needs" : "takes no"} values`);
  const wanted = new Set(values), isNegative = operator === "NotIn" || operator === "DoesNotExist";
  return (object) => {
    const found = valuesOf(parsed, object) ?? [];
    const holds = isCompared ? found.some((each) => typeof each !== "object" && wanted.has(String(each))) : found.length > 0;
    return holds !== isNegative;
  };
}

/** Evaluates an expression in CEL. A failure is reported, and gives `otherwise`. */
function evaluated<T>(
  { expression = "" }: { readonly expression?: string },
  needs: StageNeeds,
  read: (value: ReturnType<ReturnType<typeof compileCel>>) => T,
  otherwise: T,
): (object: Json) => T {
  const run = compileCel(expression, needs);
  return (object) => {
    try {
      return read(run(object));
    } catch (error) {
      needs.failed(reasonOf(error));
      return otherwise;
    }
  };
}

/** The first value of an expression in jq; undefined if there is none. */
function jqOf(from: ExpressionFrom | undefined): (object: Json) => Json | undefined {
  const text = from?.jq?.expression ?? from?.expressionFrom;
  if (text === undefined) return () => undefined;
  const parsed = parseJq(text);
  return (object) => valuesOf(parsed, object)?.[0];
}

function weightOf(fixed: number, from: ExpressionFrom | undefined, needs: StageNeeds): (object: Json) => number | undefined {
  if (from?.cel !== undefined) return evaluated<number | undefined>(from.cel, needs, celInteger, undefined);
  const valueOf = jqOf(from);
  return (object) => {
    const value = valueOf(object), read = Number(value);
    if (value === undefined) return fixed;
    return value === "" || !Number.isFinite(read) ? undefined : Math.trunc(read);
  };
}

/** A duration: that of an expression (a time or a duration) before the fixed one. */
function timeOf(
  fixed: number | undefined,
  from: ExpressionFrom | undefined,
  needs: StageNeeds,
): (object: Json, now: number) => number | undefined {
  if (from?.cel !== undefined) return evaluated<number | undefined>(from.cel, needs, celMilliseconds, undefined);
  const valueOf = jqOf(from);
  return (object, now) => {
    const value = valueOf(object);
    if (typeof value !== "string") return fixed;
    if (value === "") return undefined;
    const nanos = parseDuration(value);
    if (!(nanos instanceof Unreadable)) return Number(nanos) / 1e6;
    const time = Date.parse(value);
    return Number.isNaN(time) ? fixed : time - now;
  };
}

const templateOf = ({ template = "" }: StagePatch | StageApply): readonly Piece[] => parseTemplate(template.trim());

function compiledPatch(patch: StagePatch): CompiledPatch {
  return { ...patch, template: templateOf(patch) };
}

function boundedSteps(stage: Stage): readonly CompiledStep[] {
  const { next, steps = [] } = stage.spec;
  if (steps.length + (next?.patches ?? []).length > stageStepsMax) throw new Error(`it has more than ${stageStepsMax} steps`);
  return stepsOf(stage);
}

function stepsOf({ spec: { next, steps = [] } }: Stage): readonly CompiledStep[] {
  const found: CompiledStep[] = [];
  for (const { patch, event, finalizers, delete: isDeleted, apply } of steps) {
    if (event !== undefined) found.push({ event });
    if (finalizers !== undefined) found.push({ finalizers });
    if (patch !== undefined) found.push({ patch: compiledPatch(patch) });
    if (apply !== undefined) found.push({ apply: { ...apply, template: templateOf(apply) } });
    if (isDeleted === true) found.push({ delete: true });
  }
  if (next === undefined) return found;
  const { event, finalizers, patches = [], statusTemplate, statusSubresource = "status" } = next;
  if (event !== undefined) found.push({ event });
  if (finalizers !== undefined) found.push({ finalizers });
  if (next.delete === true) return [...found, { delete: true }];
  if (statusTemplate !== undefined) {
    found.push({ patch: compiledPatch({ root: "status", subresource: statusSubresource, template: statusTemplate }) });
  }
  for (const patch of patches) found.push({ patch: compiledPatch(patch) });
  return found;
}

/** Chooses one of the stages that match, at random by weight. `random` is from 0 to 1. */
export function chooseStage(stages: readonly CompiledStage[], object: Json, random: number): CompiledStage | undefined {
  const matching = stages.filter((each) => each.matches(object));
  const weighed = matching.map((each) => ({ each, weight: each.weight(object) })),
    total = weighed.reduce((sum, { weight = 0 }) => sum + Math.max(0, weight), 0);
  if (total === 0) {
    const known = weighed.filter(({ weight }) => weight !== undefined), among = known.length > 0 ? known : weighed;
    return among[Math.min(among.length - 1, Math.floor(random * among.length))]?.each;
  }
  let left = random * total;
  for (const { each, weight = 0 } of weighed) {
    if (weight <= 0) continue;
    left -= weight;
    if (left < 0) return each;
  }
  return weighed.findLast(({ weight = 0 }) => weight > 0)?.each;
}
