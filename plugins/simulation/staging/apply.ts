/** The step `apply` of a Stage: it writes another object (kwok: pkg/utils/lifecycle/apply.go). */
import { type ApiObject, type GroupVersion, StatusError } from "../../../plugin.ts";
import { goQuote } from "../../../toolbox.ts";
import type { Json } from "../../../core/json.ts";
import type { StageApply } from "../stages/stage.ts";
import type { World } from "../world/world.ts";

const groupOf = (version: string): string => version.slice(0, Math.max(0, version.lastIndexOf("/")));

/**
 * Creates or changes the object of a template. Without a namespace it is in that of the object that the stage is for. A subresource is written only if its
 * object is there. Rejects for what is no object of a kind that is served.
 */
export async function applyObject(
  { context: { api } }: World,
  source: ApiObject,
  value: Json,
  step: Omit<StageApply, "template">,
): Promise<void> {
  const object = value as Partial<ApiObject> | null, { apiVersion = "", kind = "", metadata = {} } = object ?? {}, { name = "" } = metadata;
  if (apiVersion === "" || kind === "" || name === "") throw new Error("its template has no apiVersion, kind or metadata.name");
  // Collections are in one version of their group. The template may name another one.
  const found = api.collections("create").find((each) => groupOf(each.groupVersion) === groupOf(apiVersion) && each.kind === kind);
  if (found === undefined) throw new Error(`the kind ${goQuote(kind)} of ${goQuote(apiVersion)} is not served`);
  const groupVersion = apiVersion as GroupVersion, { resource } = found, { type = "apply", subresource = "" } = step;
  const namespace = found.namespaced ? (metadata.namespace ?? "") || (source.metadata.namespace ?? "") : "";
  const whole = { ...object, metadata: { ...metadata, ...(namespace === "" ? {} : { namespace }) } };
  const options = subresource === "" ? {} : { subresource };
  if (type === "apply") return void await api.apply(groupVersion, resource, namespace, name, whole, options);
  const patch = () =>
    api.patch(groupVersion, resource, namespace, name, type === "merge" ? { merge: whole } : { strategic: whole }, options);
  if (subresource !== "") return void await patch();
  try {
    await api.create(groupVersion, resource, namespace, whole);
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === "AlreadyExists")) throw error;
    await patch();
  }
}
