/** Steps of plugins in every write: what they change before an object is prepared, and what they refuse after validation. */
import type { Admission } from "../../../core/plugin.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { badRequestError, forbiddenError } from "../../../core/status-error.ts";
import type { RequestContext } from "../../request-context.ts";
import { requestHookContext } from "../request-hook-context.ts";
import type { AdmissionType } from "../../observe/meter.ts";

/** The object with what the steps make of it, in the order of plugins. */
export async function mutated(call: RequestContext, object: ApiObject, prior: ApiObject | undefined): Promise<ApiObject> {
  const steps = stepsOf(call).filter(({ mutate }) => mutate !== undefined);
  if (steps.length === 0) return object;
  return await measured(call, undefined, "admit", async () => {
    let next = object;
    for (const { name, mutate } of steps) {
      next = await measured(call, name, "admit", async () => await mutate?.(next, prior, requestHookContext(call)) ?? next);
    }
    return next;
  });
}

/** 403 with the reason of the first step that refuses the write; then the steps do what they do outside of the object. */
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
  if (reason !== undefined) {
    throw forbiddenError({ group: call.endpoint.group, name: call.endpoint.plural }, next.metadata.name ?? "", reason);
  }
}

/** `run`, timed as a step of admission, or as all steps of a type where it has no name. */
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
/** What admission calls the verbs; the others update. */
const operations: Readonly<Record<string, string>> = { create: "CREATE", delete: "DELETE", deletecollection: "DELETE" };

/** A dry run has no effects; 400 when a step does not say that it can do without. */
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

/** 403 where the kind's own rule does not let the caller write this object. */
export async function authorizeContents(call: RequestContext, next: ApiObject, prior: ApiObject | undefined): Promise<void> {
  const { resource, group, plural } = call.endpoint;
  const reason = await resource.authorizeWrite?.(next, prior, requestHookContext(call));
  if (reason !== undefined) throw forbiddenError({ group, name: plural }, next.metadata.name ?? "", reason);
}
