/** POST of a pod's `eviction`: deletes the pod, unless a PodDisruptionBudget forbids it. */
import { badRequestError, conflictError, field, type Infer, invalid, object, type RequestHookContext, StatusError } from "../../plugin.ts";
import { type ActionObject, type DeletionOptions, StatusSchema, type SubresourceAction } from "../../toolbox.ts";
import { DeleteOptions } from "../../core/meta/options.ts";
import { withCondition } from "./conditions.ts";
import { type Admitted, budgetsOf, chargeBudget, evictionTriesMax, overBudget } from "./disruption-budgets.ts";
import type { Pod } from "./pod-schema.ts";

export const Eviction = object("Eviction", {
  deleteOptions: field(2, DeleteOptions, "The options of the deletion.", { pointer: true }),
}, { package: "policy/v1", doc: "A deletion of a pod that respects its PodDisruptionBudget. It is not stored." });
export type Eviction = Infer<typeof Eviction>;

/** The options of the deletion. A dry run may be asked for in the URL, in the body, or in both. */
function optionsOf({ deleteOptions: options = {} }: Eviction, isDryRun: boolean): DeletionOptions {
  const { dryRun = [] } = options;
  if (isDryRun && dryRun.length > 0 && (dryRun.length > 1 || dryRun[0] !== "All")) {
    throw new StatusError("Unknown", `Non-matching dry-run options in request and content: [All] and [${dryRun.join(" ")}]`, { code: 500 });
  }
  return isDryRun ? { ...options, dryRun: ["All"] } : options;
}

function withVersion(options: DeletionOptions, { metadata: { resourceVersion } }: Pod): DeletionOptions {
  return { ...options, preconditions: { ...options.preconditions, resourceVersion: resourceVersion! } }; // stored objects have a version
}

const hasVersion = ({ preconditions }: DeletionOptions): boolean => preconditions?.resourceVersion !== undefined;
const isMarked = ({ metadata }: Pod): boolean => (metadata.deletionTimestamp ?? undefined) !== undefined;
const hasEnded = ({ status: { phase } }: Pod): boolean => phase === "Succeeded" || phase === "Failed";

/** Whether the eviction disrupts nothing, so that no budget counts. */
function isFree(pod: Pod): boolean {
  return hasEnded(pod) || pod.status.phase === "Pending" || isMarked(pod);
}

/** Throws the conflict of a pod that is not the one that the client means. */
function checkPreconditions({ metadata }: Pod, { preconditions: { uid = "", resourceVersion = "" } = {} }: DeletionOptions): void {
  const refuse = (what: string, asked: string, found: string | undefined, might: string): StatusError => {
    const { name = "" } = metadata;
    const why =
      `the ${what} in the precondition (${asked}) does not match the ${what} in record (${found}). The object might have been ${might}`;
    return conflictError({ group: "", name: "Pod" }, name, why);
  };
  if (uid !== "" && uid !== metadata.uid) throw refuse("UID", uid, metadata.uid, "deleted and then recreated");
  if (resourceVersion !== "" && resourceVersion !== metadata.resourceVersion) {
    throw refuse("ResourceVersion", resourceVersion, metadata.resourceVersion, "modified");
  }
}

/** Writes the reason of the end into a condition of the pod, and deletes the pod. */
async function deletePod(object: ActionObject<Pod>, options: DeletionOptions, now: string): Promise<void> {
  if ((options.dryRun ?? []).length > 0) return await object.delete(options);
  const marked = await object.change((pod) => {
    checkPreconditions(pod, options);
    const condition = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };
    return { ...pod, status: withCondition(pod.status, condition, now) };
  });
  await object.delete(hasVersion(options) ? withVersion(options, marked) : options);
}

/** Runs `attempt` again after a conflict, unless the client asks for one version of the pod. */
async function withRetries<T>(options: DeletionOptions, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === evictionTriesMax || hasVersion(options) || !(error instanceof StatusError) || error.reason !== "Conflict") throw error;
    }
  }
}

async function evict(request: Eviction, object: ActionObject<Pod>, context: RequestHookContext): Promise<{ readonly status: "Success" }> {
  const { now, isDryRun } = context, options = optionsOf(request, isDryRun);
  const isTried = (options.dryRun ?? []).length > 0;
  const pod = await withRetries(options, async () => {
    const found = await object.read();
    if (!isFree(found)) return found;
    // A pending pod may become ready meanwhile, and is then guarded by its budget.
    const guarded = !hasEnded(found) && !isMarked(found) && !hasVersion(options);
    await deletePod(object, guarded ? withVersion(options, found) : options, now);
    return undefined;
  });
  if (pod === undefined) return { status: "Success" };
  const budgets = await budgetsOf(pod, context);
  if (budgets.length > 1) {
    const why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new StatusError("Unknown", why, { code: 500 });
  }
  const [budget] = budgets;
  const admitted: Admitted = budget === undefined ? "charged" : await chargeBudget(budget, pod, isTried, context);
  if (budget === undefined || admitted === "charged") {
    await deletePod(object, options, now);
    return { status: "Success" };
  }
  try {
    await deletePod(object, withVersion(options, pod), now);
  } catch (error) {
    const mayRetry = error instanceof StatusError && error.reason === "Conflict" && !hasVersion(options);
    throw mayRetry ? overBudget(budget) : error;
  }
  return { status: "Success" };
}

export const eviction: SubresourceAction<Pod, Eviction> = {
  request: { groupVersion: "policy/v1", alsoIn: ["policy/v1beta1"], schema: Eviction },
  response: { groupVersion: "v1", schema: StatusSchema },
  validateRequest({ metadata, deleteOptions }, name) {
    if ((metadata.name ?? "") !== name) throw badRequestError("name in URL does not match name in Eviction object");
    const field = "ignoreStoreReadErrorWithClusterBreakingPotential";
    if (deleteOptions?.[field] !== true) return [];
    return [invalid(`deleteOptions.${field}`, true, "can not be set for pod eviction, try after removing the option")];
  },
  async perform(request, object, context) {
    return { ...await evict(request, object, context), code: 201 };
  },
};
