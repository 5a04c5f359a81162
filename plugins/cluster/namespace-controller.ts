/**
 * Deletes the content of terminating namespaces and then finalizes them.
 *
 *     terminating ──> pass ──> empty: remove the finalizer, which deletes the namespace
 *                      ^  └──> not empty: write the rest into the status
 *                      └ backoff ┘
 *
 * Passes over different namespaces run concurrently, at most `controllerPassesMax` at a time.
 */
import { type Api, type ApiObject, type Controller, type ControllerContext, StatusError } from "../../plugin.ts";
import { timestampOf } from "../../toolbox.ts";
import { conditionsAfter } from "./namespace-conditions.ts";
import { deleteContent } from "./namespace-content.ts";
import { contentFinalizer, type Namespace } from "./namespace.ts";
import { WorkQueue } from "./work-queue.ts";
import { controllerPassesMax } from "../shared/bounds.ts";

export const namespaceController: Controller = {
  name: "namespace",
  serviceAccount: "namespace-controller",
  fieldManager: "kube-controller-manager",
  needs: [{ resource: "namespaces", groupVersions: ["v1"] }],
  async run(context, signal) {
    const queue = new WorkQueue(
      controllerPassesMax,
      async (name) => await pass(context, name) === "left",
      (name, error) => context.logError(`the content of namespace ${name} cannot be deleted; it is tried again`, error),
      context,
    );
    try {
      for await (const { type, object } of context.api.watch("v1", "namespaces", "", {}, signal)) {
        const name = object.metadata.name ?? "";
        if (type === "DELETED") queue.forget(name);
        else if (isTerminating(object)) queue.add(name);
      }
    } finally {
      await queue.close();
    }
  },
};

function isTerminating({ metadata }: ApiObject): boolean {
  return (metadata.deletionTimestamp ?? null) !== null;
}

/** One pass over a namespace. Resolves with "left" if another pass is needed, also after a StatusError. */
export async function pass(context: ControllerContext, name: string): Promise<"done" | "left"> {
  const { api, names } = context;
  const own = contentFinalizer(names);
  try {
    const found = await readNamespace(api, name);
    if (!isTerminating(found) || !(found.spec.finalizers ?? []).includes(own)) return "done";
    const content = await deleteContent(api, name);
    const conditions = conditionsAfter(found.status.conditions ?? [], content, timestampOf(context.clock.now()));
    const current = conditions === found.status.conditions
      ? found
      : await writeNamespace(api, { ...found, status: { ...found.status, conditions } }, "status");
    if (content.remaining.size > 0 || content.failures.length > 0 || content.undiscovered.length > 0) return "left";
    const finalizers = (current.spec.finalizers ?? []).filter((each) => each !== own);
    await writeNamespace(api, { ...current, spec: { finalizers } }, "finalize");
    return "done";
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // This is a conflict or a transient error. The next pass reads the namespace again.
    return error.reason === "NotFound" ? "done" : "left";
  }
}

async function readNamespace(api: Api, name: string): Promise<Namespace> {
  // `as`: the API returns objects of the requested resource.
  return await api.get("v1", "namespaces", "", name) as Namespace;
}
async function writeNamespace(api: Api, namespace: Namespace, subresource: string): Promise<Namespace> {
  return await api.update("v1", "namespaces", "", namespace.metadata.name ?? "", namespace, { subresource }) as Namespace;
}
