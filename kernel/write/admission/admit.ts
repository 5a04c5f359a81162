/** Admission steps of plugins: they may change an object before its preparation, and reject it after validation. */
import type { Reinvocation } from "../../../core/admission/request.ts";
import type { Admission } from "../../../core/plugin.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { badRequestError, forbiddenError, type StatusError } from "../../../core/status-error.ts";
import type { RequestContext } from "../../request-context.ts";
import type { DeleteRequest } from "../delete-options.ts";
import { requestHookContext } from "../request-hook-context.ts";
import type { AdmissionType } from "../../observe/meter.ts";

/** Applies the mutating steps in order, and all of them once more if one of them requests it. */
export async function mutated(call: RequestContext, object: ApiObject, prior: ApiObject | undefined): Promise<ApiObject> {
  const steps = stepsOf(call).filter(({ mutate }) => mutate !== undefined);
  if (steps.length === 0) return object;
  const runs = new Runs();
  let next = await mutatedOnce(call, steps, object, prior, runs);
  if (runs.isRequested) {
    runs.isSecondRun = true;
    next = await mutatedOnce(call, steps, next, prior, runs);
  }
  return next;
}

async function mutatedOnce(
  call: RequestContext,
  steps: readonly Admission[],
  object: ApiObject,
  prior: ApiObject | undefined,
  runs: Runs,
): Promise<ApiObject> {
  return await measured(call, undefined, "admit", async () => {
    let next = object;
    for (const { name, mutate } of steps) {
      const context = requestHookContext(call, undefined, runs);
      next = await measured(call, name, "admit", async () => await mutate?.(next, prior, context) ?? next);
    }
    return next;
  });
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

/** Throws 403 with the reason of the first step that rejects the write; otherwise runs the side effects of the steps. */
export async function approve(call: RequestContext, next: ApiObject, prior: ApiObject | undefined): Promise<void> {
  const steps = stepsOf(call), refusing = steps.filter(({ refuse }) => refuse !== undefined);
  if (refusing.length > 0) {
    await measured(call, undefined, "validate", async () => {
      for (const step of refusing) await measured(call, step.name, "validate", () => refuseBy(call, step, next, prior));
    });
  }
  await takeEffect(call, steps, next, prior);
}

async function refuseBy(call: RequestContext, { refuse }: Admission, next: ApiObject, prior: ApiObject | undefined): Promise<void> {
  const reason = await refuse?.(next, prior, requestHookContext(call));
  if (reason !== undefined) throw forbidden(call, next.metadata.name ?? "", reason);
}

function forbidden({ endpoint: { group, plural } }: RequestContext, name: string, reason: string): StatusError {
  return forbiddenError({ group, name: plural }, name, reason);
}

/** Throws 403 with the reason of the first step that rejects the deletion of an object. */
export async function approveDeletion(call: RequestContext, prior: ApiObject, options: DeleteRequest): Promise<void> {
  const steps = stepsOf(call).filter(({ refuseDelete }) => refuseDelete !== undefined);
  if (steps.length === 0) return;
  await measured(call, undefined, "validate", async () => {
    for (const { name, refuseDelete } of steps) {
      await measured(call, name, "validate", async () => {
        const reason = await refuseDelete?.(prior, requestHookContext(call, options));
        if (reason !== undefined) throw forbidden(call, prior.metadata.name ?? "", reason);
      });
    }
  });
}

/** Applies the mutating steps for actions to the request of an action. */
export async function mutatedAction(call: RequestContext, request: ApiObject): Promise<ApiObject> {
  const steps = stepsOf(call).filter(({ mutateAction }) => mutateAction !== undefined);
  if (steps.length === 0) return request;
  return await measured(call, undefined, "admit", async () => {
    let next = request;
    for (const { name, mutateAction } of steps) {
      next = await measured(
        call,
        name,
        "admit",
        async () => await mutateAction?.(next, call.info.subresource, requestHookContext(call)) ?? next,
      );
    }
    return next;
  });
}

/** Throws 403 with the reason of the first step that rejects the action. */
export async function approveAction(call: RequestContext, request: ApiObject | undefined): Promise<void> {
  const steps = stepsOf(call).filter(({ refuseAction }) => refuseAction !== undefined);
  if (steps.length === 0) return;
  await measured(call, undefined, "validate", async () => {
    for (const { name, refuseAction } of steps) {
      await measured(call, name, "validate", async () => {
        const reason = await refuseAction?.(request, call.info.subresource, requestHookContext(call));
        if (reason !== undefined) throw forbidden(call, call.info.name, reason);
      });
    }
  });
}

/** Runs `run` and records its duration as that of the admission step `name`, or of all steps of the type if undefined. */
export async function measured<T>(call: RequestContext, name: string | undefined, type: AdmissionType, run: () => Promise<T>): Promise<T> {
  const { meter } = call.backend;
  const begun = meter.now();
  const operation = operations[call.info.verb] ?? "UPDATE";
  try {
    const result = await run();
    meter.admitted(name, type, operation, false, begun);
    return result;
  } catch (error) {
    meter.admitted(name, type, operation, true, begun);
    throw error;
  }
}
/** Admission operations by verb; UPDATE for other verbs. */
const operations: Readonly<Record<string, string>> = { create: "CREATE", delete: "DELETE", deletecollection: "DELETE" };

/** Runs side effects, except in a dry run. Throws 400 for a dry run if a step has side effects and does not declare `dryRun`. */
async function takeEffect(call: RequestContext, steps: readonly Admission[], next: ApiObject, prior: ApiObject | undefined): Promise<void> {
  if (call.info.query.first("dryRun") === "") {
    for (const { effect } of steps) await effect?.(next, prior, requestHookContext(call));
    return;
  }
  const unsafe = steps.find(({ effect, dryRun }) => effect !== undefined && dryRun === undefined);
  if (unsafe !== undefined) throw badRequestError(`admission step "${unsafe.name}" does not support dry run`);
}

function stepsOf({ catalog, endpoint }: RequestContext): readonly Admission[] {
  return catalog.admission(endpoint.resource);
}

/** Throws 403 if the write authorization of the kind rejects this object. */
export async function authorizeContents(call: RequestContext, next: ApiObject, prior: ApiObject | undefined): Promise<void> {
  const reason = await call.endpoint.resource.authorizeWrite?.(next, prior, requestHookContext(call));
  if (reason !== undefined) throw forbidden(call, next.metadata.name ?? "", reason);
}
