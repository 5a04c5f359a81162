/** Admission steps of plugins: they may change an object before its preparation, and reject it after validation. */
import type { Subject } from "../../../core/admission/attributes.ts";
import type { Reinvocation } from "../../../core/admission/request.ts";
import type { Admission } from "../../../core/plugin.ts";
import type { RequestHookContext } from "../../../core/hook-context.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { MovedWork } from "../../../core/budget.ts";
import { badRequestError, forbiddenError, type StatusError } from "../../../core/status-error.ts";
import type { RequestContext } from "../../request-context.ts";
import type { DeleteRequest } from "../delete-options.ts";
import { requestHookContext } from "../request-hook-context.ts";
import { type Phases, stepsFor } from "./covering.ts";
import type { AdmissionType } from "../../observe/meter.ts";

const phases = Object.freeze(
  {
    mutating: ["mutate"],
    approving: ["refuse", "effect"],
    deleting: ["refuseDelete"],
    mutatingAction: ["mutateAction"],
    approvingAction: ["refuseAction"],
  } satisfies Record<string, Phases>,
);

/** Applies the mutating steps in order. If one of them requests it, all of them run once more. */
export async function mutated(call: RequestContext, object: ApiObject, prior: ApiObject | undefined): Promise<ApiObject> {
  const steps = await stepsFor(call, phases.mutating, written(object, prior));
  if (steps.length === 0) return object;
  return await inRuns(call, object, (given, context) => passed(call, steps, given, ({ mutate }, next) => mutate?.(next, prior, context)));
}

/** Runs all mutating steps, and a second time if a step requests it. Returns the object after the runs. */
async function inRuns(
  call: RequestContext,
  object: ApiObject,
  run: (given: ApiObject, context: RequestHookContext) => Promise<ApiObject>,
): Promise<ApiObject> {
  const runs = new Runs(), context = requestHookContext(call, undefined, runs);
  const next = await run(object, context);
  if (!runs.isRequested) return next;
  runs.isSecondRun = true;
  return await run(next, context);
}

/** Throws 403 with the reason of the first step that rejects the write; otherwise runs the side effects of the steps. */
export async function approve(call: RequestContext, next: ApiObject, prior: ApiObject | undefined): Promise<void> {
  const steps = await stepsFor(call, phases.approving, written(next, prior));
  if (steps.length === 0) return;
  const context = requestHookContext(call), { name = "" } = next.metadata;
  await rejectForReason(call, steps.filter(refuses), name, ({ refuse }) => refuse?.(next, prior, context));
  const effects = steps.filter(takesEffect);
  if (effects.length > 0) await takeEffect(call, effects, (effect) => effect(next, prior, context));
}
const refuses = ({ refuse }: Admission) => refuse !== undefined;
const takesEffect = ({ effect }: Admission) => effect !== undefined;

/** Throws 403 with the reason of the first step that rejects the deletion of an object. */
export async function approveDeletion(call: RequestContext, prior: ApiObject, options: DeleteRequest): Promise<void> {
  const steps = await stepsFor(call, phases.deleting, { operation: "DELETE", object: undefined, oldObject: prior }, options);
  if (steps.length === 0) return;
  const context = requestHookContext(call, options);
  await rejectForReason(call, steps, prior.metadata.name ?? "", ({ refuseDelete }) => refuseDelete?.(prior, context));
}

/** Does the same as `mutated`, for the request of an action. */
export async function mutatedAction(call: RequestContext, request: ApiObject): Promise<ApiObject> {
  const steps = await stepsFor(call, phases.mutatingAction, acted(call, request));
  if (steps.length === 0) return request;
  const { subresource } = call.info;
  return await inRuns(
    call,
    request,
    (given, context) => passed(call, steps, given, ({ mutateAction }, next) => mutateAction?.(next, subresource, context)),
  );
}

/** Throws 403 with the reason of the first step that rejects the action. */
export async function approveAction(call: RequestContext, request: ApiObject | undefined): Promise<void> {
  const steps = await stepsFor(call, phases.approvingAction, acted(call, request));
  if (steps.length === 0) return;
  const context = requestHookContext(call), { name, subresource } = call.info;
  await rejectForReason(call, steps, name, ({ refuseAction }) => refuseAction?.(request, subresource, context));
}

function written(object: ApiObject, oldObject: ApiObject | undefined): Subject {
  return { operation: oldObject === undefined ? "CREATE" : "UPDATE", object, oldObject };
}
function acted({ subresource }: RequestContext, request: ApiObject | undefined): Subject {
  return { operation: subresource?.options === undefined ? "CREATE" : "CONNECT", object: request, oldObject: undefined };
}

/** Returns the object after all steps. */
async function passed(
  call: RequestContext,
  steps: readonly Admission[],
  object: ApiObject,
  change: (step: Admission, next: ApiObject) => Promise<ApiObject | undefined> | ApiObject | undefined,
): Promise<ApiObject> {
  let next = object;
  await inOrder(call, steps, "admit", async (step) => {
    next = await change(step, next) ?? next;
  });
  return next;
}

/** Throws 403 with the first reason that a step returns. `name` is the name of the object. */
async function rejectForReason(
  call: RequestContext,
  steps: readonly Admission[],
  name: string,
  reasonOf: (step: Admission) => ReturnType<NonNullable<Admission["refuse"]>>,
): Promise<void> {
  if (steps.length === 0) return;
  await inOrder(call, steps, "validate", async (step) => {
    const reason = await reasonOf(step);
    if (reason !== undefined) throw forbidden(call, name, reason);
  });
}

/** Runs the steps in order, and records the duration of each and of all. */
async function inOrder(
  call: RequestContext,
  steps: readonly Admission[],
  type: AdmissionType,
  run: (step: Admission) => Promise<void>,
): Promise<void> {
  const first = call.backend.meter.now();
  let begun = first;
  let current: Admission | undefined;
  try {
    for (current of steps) {
      await run(current);
      // The next step begins at the time when the one before has ended. Reading the clock again would take longer than most steps.
      begun = ended(call, current.name, type, false, begun);
    }
  } catch (error) {
    failed(call, current?.name, type, begun, error);
    failed(call, undefined, type, first, error);
    throw error;
  }
  ended(call, undefined, type, false, first);
}

function forbidden({ endpoint: { group, plural } }: RequestContext, name: string, reason: string): StatusError {
  return forbiddenError({ group, name: plural }, name, reason);
}

/** The runs of the mutating steps of one write, with the states that steps keep for the second run. */
class Runs implements Reinvocation {
  isSecondRun = false;
  isRequested = false;
  readonly #states = new Map<object, unknown>();

  request(): void {
    this.isRequested = true;
  }

  stateOf<S>(key: object, make: () => S): S {
    if (!this.#states.has(key)) this.#states.set(key, make());
    return this.#states.get(key) as S; // the same step has made it
  }
}

/** Runs `run`, and records how long it took as the duration of the admission step `name`. */
export async function measured<T>(call: RequestContext, name: string, type: AdmissionType, run: () => Promise<T> | T): Promise<T> {
  const begun = call.backend.meter.now();
  try {
    const result = await run();
    ended(call, name, type, false, begun);
    return result;
  } catch (error) {
    failed(call, name, type, begun, error);
    throw error;
  }
}
/** Records the end of a step, or of all steps, and returns its time. */
function ended(call: RequestContext, name: string | undefined, type: AdmissionType, rejected: boolean, begun: number): number {
  const operation = call.subresource?.options === undefined ? operations[call.info.verb] ?? "UPDATE" : "CONNECT";
  return call.backend.meter.admitted(name, type, operation, rejected, begun);
}
/**
 * Records the end of a step that has thrown an error. If the error means that the request goes on in another thread, nothing is recorded:
 * its steps are recorded there.
 */
function failed(call: RequestContext, name: string | undefined, type: AdmissionType, begun: number, error: unknown): void {
  if (!(error instanceof MovedWork)) ended(call, name, type, true, begun);
}
/** The names of operations for admission, by verb. Other verbs are UPDATE. */
const operations: Readonly<Record<string, string>> = { create: "CREATE", delete: "DELETE", deletecollection: "DELETE" };

/** Runs side effects, except in a dry run. Throws 400 for a dry run if a step has side effects and does not declare `supportsDryRun`. */
async function takeEffect(
  call: RequestContext,
  steps: readonly Admission[],
  run: (effect: NonNullable<Admission["effect"]>) => void | Promise<void>,
): Promise<void> {
  if (call.info.query.first("dryRun") === "") {
    call.heavy?.changes("what an admission step changes");
    for (const { effect } of steps) if (effect !== undefined) await run(effect);
    return;
  }
  const unsafe = steps.find(({ effect, supportsDryRun }) => effect !== undefined && supportsDryRun !== true);
  if (unsafe !== undefined) throw badRequestError(`admission step "${unsafe.name}" does not support dry run`);
}

/** Throws 403 if the write authorization of the kind rejects this object. */
export async function authorizeContents(call: RequestContext, next: ApiObject, prior: ApiObject | undefined): Promise<void> {
  const rule = call.subresource === undefined ? call.endpoint.resource : call.subresource.definition;
  if (rule.authorizeWrite === undefined) return;
  const reason = await rule.authorizeWrite(next, prior, requestHookContext(call));
  if (reason !== undefined) throw forbidden(call, next.metadata.name ?? "", reason);
}
