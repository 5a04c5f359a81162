/** The subresource `scale` of workloads: its selector is made from the object. */
import { type ApiObject, scaleSubresource, type Subresource } from "../../../plugin.ts";

/** Serves `spec.replicas` and `status.replicas` as a Scale. `selectorOf` returns the selector of the pods as text. */
export function workloadScale<T extends ApiObject>(selectorOf: (object: T) => string): Subresource<T> {
  const { view } = scaleSubresource<T>({ specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" });
  const { read, ...rest } = view!; // `!`: a scale is a view
  return Object.freeze({
    view: {
      ...rest,
      read(object: T, context: Parameters<typeof read>[1]) {
        const body = read(object, context) as { readonly status: object }; // a Scale
        const selector = selectorOf(object);
        return { ...body, status: { ...body.status, ...(selector === "" ? {} : { selector }) } };
      },
    },
  });
}
