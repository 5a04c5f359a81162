/**
 * Empties namespaces that are being deleted and then lets them go.
 *
 *     deletion asked for ──> pass ──> empty: the finalizer is taken away, and the namespace is gone
 *                             ^  └──> not empty: the status says what is left
 *                             └─ pause ─┘
 *
 * A namespace is passed over when it is first seen terminating and then after pauses that grow; passes over several
 * namespaces run side by side, up to a bound, and pauses take no place among them.
 */
import { limits } from "../../core/limits.ts";
import type { Api, Controller, ControllerContext } from "../../core/plugin.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { StatusError } from "../../core/status-error.ts";
import { conditionsAfter } from "./namespace-conditions.ts";
import { deleteContent } from "./namespace-content.ts";
import { contentFinalizer, type Namespace } from "./namespace.ts";
import { PassQueue } from "./pass-queue.ts";

export const namespaceController: Controller = {
  name: "namespace",
  needs: [{ resource: "namespaces", groupVersions: ["v1"] }],
  async run(world, signal) {
    const failed = new AbortController();
    const until = AbortSignal.any([signal, failed.signal]);
    const queue = new PassQueue(
      limits.controllerPassesMax,
      async (name) => await pass(world, name) === "left",
      (error) => failed.abort(error),
      world.work,
    );
    try {
      for await (const { type, object } of world.api.watch("v1", "namespaces", "", {}, until)) {
        const name = object.metadata.name ?? "";
        if (type === "DELETED") queue.forget(name);
        else if (isTerminating(object)) queue.add(name);
      }
    } finally {
      await queue.close();
    }
    if (failed.signal.aborted) throw failed.signal.reason;
  },
};

function isTerminating({ metadata }: ApiObject): boolean {
  return (metadata.deletionTimestamp ?? null) !== null;
}

/** One pass over one namespace: "done" when there is nothing more to do here, "left" when it has to be looked at again. */
export async function pass(world: ControllerContext, name: string): Promise<"done" | "left"> {
  const { api, names } = world;
  const own = contentFinalizer(names);
  try {
    const found = await readNamespace(api, name);
    if (!isTerminating(found) || !(found.spec.finalizers ?? []).includes(own)) return "done";
    const content = await deleteContent(api, name);
    const conditions = conditionsAfter(found.status.conditions ?? [], content, now());
    const current = conditions === found.status.conditions
      ? found
      : await writeNamespace(api, { ...found, status: { ...found.status, conditions } }, "status");
    if (content.remaining.size > 0 || content.failures.length > 0) return "left";
    const finalizers = (current.spec.finalizers ?? []).filter((each) => each !== own);
    await writeNamespace(api, { ...current, spec: { finalizers } }, "finalize");
    return "done";
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // Somebody else wrote it, or the store is away for a moment: the next pass begins with what is there then.
    return error.reason === "NotFound" ? "done" : "left";
  }
}

async function readNamespace(api: Api, name: string): Promise<Namespace> {
  // What the API answers under this path is of this kind.
  return await api.get("v1", "namespaces", "", name) as Namespace;
}
async function writeNamespace(api: Api, namespace: Namespace, subresource: string): Promise<Namespace> {
  return await api.update("v1", "namespaces", "", namespace.metadata.name ?? "", namespace, subresource) as Namespace;
}
function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
