/** Admission steps of plugins: they may change an object before its preparation, and reject it after validation. */
import type { Subject } from "../../../core/admission/attributes.ts";
import type { Reinvocation } from "../../../core/admission/request.ts";
import type { Admission, RequestHookContext } from "../../../core/plugin.ts";
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

/** Applies the mutating steps in order, and all of them once more if one of them requests it. */
export async function mutated(call: RequestContext, object: ApiObject, prior: ApiObject | undefined): Promise<ApiObject> {
  const found = stepsFor(call, phases.mutating, written(object, prior)), steps = found instanceof Promise ? await found : found;
  if (steps.length === 0) return object;
  return await inRuns(call, object, (given, context) => passed(call, steps, given, ({ mutate }, next) => mutate?.(next, prior, context)));
}

/** The object after one run of all mutating steps, and after a second one if a step requests it. Not a Promise if no step waits. */
function inRuns(
  call: RequestContext,
  object: ApiObject,
  run: (given: ApiObject, context: RequestHookContext) => ApiObject | Promise<ApiObject>,
): ApiObject | Promise<ApiObject> {
  const runs = new Runs(), context = requestHookContext(call, undefined, runs);
  const again = (next: ApiObject) => {
    if (!runs.isRequested) return next;
    runs.isSecondRun = true;
    return run(next, context);
  };
  const first = run(object, context);
  return first instanceof Promise ? first.then(again) : again(first);
}

/** Throws 403 with the reason of the first step that rejects the write; otherwise runs the side effects of the steps. */
export async function approve(call: RequestContext, next: ApiObject, prior: ApiObject | undefined): Promise<void> {
  const found = stepsFor(call, phases.approving, written(next, prior)), steps = found instanceof Promise ? await found : found;
  if (steps.length === 0) return;
  const context = requestHookContext(call), { name = "" } = next.metadata;
  const checking = rejectForReason(call, steps.filter(refuses), name, ({ refuse }) => refuse?.(next, prior, context));
  if (checking instanceof Promise) await checking;
  const effects = steps.filter(takesEffect);
  if (effects.length > 0) await takeEffect(call, effects, (effect) => effect(next, prior, context));
}
const refuses = ({ refuse }: Admission) => refuse !== undefined;
const takesEffect = ({ effect }: Admission) => effect !== undefined;

/** Throws 403 with the reason of the first step that rejects the deletion of an object. */
export async function approveDeletion(call: RequestContext, prior: ApiObject, options: DeleteRequest): Promise<void> {
  const found = stepsFor(call, phases.deleting, { operation: "DELETE", object: undefined, oldObject: prior }, options);
  const steps = found instanceof Promise ? await found : found;
  if (steps.length === 0) return;
  const context = requestHookContext(call, options);
  await rejectForReason(call, steps, prior.metadata.name ?? "", ({ refuseDelete }) => refuseDelete?.(prior, context));
}

/** As `mutate`, for the request of an action. */
export async function mutatedAction(call: RequestContext, request: ApiObject): Promise<ApiObject> {
  const found = stepsFor(call, phases.mutatingAction, acted(request)), steps = found instanceof Promise ? await found : found;
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
  const found = stepsFor(call, phases.approvingAction, acted(request)), steps = found instanceof Promise ? await found : found;
  if (steps.length === 0) return;
  const context = requestHookContext(call), { name, subresource } = call.info;
  await rejectForReason(call, steps, name, ({ refuseAction }) => refuseAction?.(request, subresource, context));
}

function written(object: ApiObject, oldObject: ApiObject | undefined): Subject {
  return { operation: oldObject === undefined ? "CREATE" : "UPDATE", object, oldObject };
}
function acted(request: ApiObject | undefined): Subject {
  return { operation: "CREATE", object: request, oldObject: undefined };
}

/** The object after all steps. Not a Promise if no step waits. */
function passed(
  call: RequestContext,
  steps: readonly Admission[],
  object: ApiObject,
  change: (step: Admission, next: ApiObject) => Promise<ApiObject | undefined> | ApiObject | undefined,
): ApiObject | Promise<ApiObject> {
  let next = object;
  const take = (changed: ApiObject | undefined): void => {
    next = changed ?? next;
  };
  const running = inOrder(call, steps, "admit", (step) => {
    const changed = change(step, next);
    return changed instanceof Promise ? changed.then(take) : take(changed);
  });
  return running instanceof Promise ? running.then(() => next) : next;
}

/** Throws 403 with the first reason of a step. `name`: of the object. Not a Promise if no step waits. */
function rejectForReason(
  call: RequestContext,
  steps: readonly Admission[],
  name: string,
  reasonOf: (step: Admission) => ReturnType<NonNullable<Admission["refuse"]>>,
): void | Promise<void> {
  if (steps.length === 0) return;
  const accept = (reason: string | undefined): void => {
    if (reason !== undefined) throw forbidden(call, name, reason);
  };
  return inOrder(call, steps, "validate", (step) => {
    const reason = reasonOf(step);
    return reason instanceof Promise ? reason.then(accept) : accept(reason);
  });
}

/** Runs the steps in order, and records the duration of each and of all. Not a Promise if no step waits. */
function inOrder(
  call: RequestContext,
  steps: readonly Admission[],
  type: AdmissionType,
  run: (step: Admission) => void | Promise<void>,
): void | Promise<void> {
  const from = (index: number): void | Promise<void> => {
    // A step begins when the one before has ended: reading the clock takes longer than most steps.
    let begun = call.backend.meter.now();
    for (let at = index; at < steps.length; at++) {
      const step = steps[at]!;
      let running: void | Promise<void>;
      try {
        running = run(step);
      } catch (error) {
        failed(call, step.name, type, begun, error);
        throw error;
      }
      if (running instanceof Promise) return waited(call, step.name, type, running, begun).then(() => from(at + 1));
      begun = ended(call, step.name, type, false, begun);
    }
  };
  return measured(call, undefined, type, () => from(0));
}

function forbidden({ endpoint: { group, plural } }: RequestContext, name: string, reason: string): StatusError {
  return forbiddenError({ group, name: plural }, name, reason);
}

/** The runs of the mutating steps of one write. */
class Runs implements Reinvocation {
  isSecondRun = false;
  isRequested = false;
  readonly #states = new Map<object, unknown>();

  request(): void {
    this.isRequested = true;
  }

  stateOf<S>(key: object, make: () => S): S {
    if (!this.#states.has(key)) this.#states.set(key, make());
    return this.#states.get(key) as S; // made by the same step
  }
}

/**
 * Runs `run` and records its duration as that of the admission step `name`, or of all steps of the type if undefined. Not a Promise unless
 * `run` returns one: most steps have nothing to wait for.
 */
export function measured<T>(
  call: RequestContext,
  name: string | undefined,
  type: AdmissionType,
  run: () => Promise<T> | T,
): Promise<T> | T {
  const begun = call.backend.meter.now();
  try {
    const result = run();
    if (result instanceof Promise) return waited(call, name, type, result, begun);
    ended(call, name, type, false, begun);
    return result;
  } catch (error) {
    failed(call, name, type, begun, error);
    throw error;
  }
}
async function waited<T>(
  call: RequestContext,
  name: string | undefined,
  type: AdmissionType,
  running: Promise<T>,
  begun: number,
): Promise<T> {
  try {
    const result = await running;
    ended(call, name, type, false, begun);
    return result;
  } catch (error) {
    failed(call, name, type, begun, error);
    throw error;
  }
}
/** Records the end of a step, or of all steps, and returns its time. */
function ended(call: RequestContext, name: string | undefined, type: AdmissionType, rejected: boolean, begun: number): number {
  return call.backend.meter.admitted(name, type, operations[call.info.verb] ?? "UPDATE", rejected, begun);
}
/** Records the end of a step that threw an error. A request that goes on in another thread was not rejected: its steps are recorded there. */
function failed(call: RequestContext, name: string | undefined, type: AdmissionType, begun: number, error: unknown): void {
  if (!(error instanceof MovedWork)) ended(call, name, type, true, begun);
}
/** Admission operations by verb; UPDATE for other verbs. */
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

/** Throws 403 if the write authorization of the kind rejects this object. Not a Promise for kinds without one. */
export function authorizeContents(call: RequestContext, next: ApiObject, prior: ApiObject | undefined): void | Promise<void> {
  const { resource } = call.endpoint;
  if (resource.authorizeWrite === undefined) return;
  return Promise.resolve(resource.authorizeWrite(next, prior, requestHookContext(call))).then((reason) => {
    if (reason !== undefined) throw forbidden(call, next.metadata.name ?? "", reason);
  });
}
