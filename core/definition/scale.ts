/** The subresource `scale` of a custom resource. The object itself is validated afterwards, so that errors name its paths. */
import type { Scale } from "../define/scale.ts";
import { badRequestError, internalError } from "../status-error.ts";
import { goQuote } from "../tree/go-quote.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import { scaleSubresource } from "../define/scale.ts";
import type { Subresource } from "../subresource.ts";
import type { Subresources } from "./definition.ts";
import { valueAt } from "./value-at.ts";

/** Marks a number that the object lacks: a write must set it. */
const missing = -(2 ** 31);

export function customScale({ specReplicasPath, statusReplicasPath, labelSelectorPath }: NonNullable<Subresources["scale"]>): Subresource {
  const { view } = scaleSubresource({
    specReplicasPath,
    statusReplicasPath,
    ...(labelSelectorPath === undefined || labelSelectorPath === null ? {} : { labelSelectorPath }),
  });
  const names = specReplicasPath.replace(/^\./, "").split(".");
  const hasReplicas = (object: ApiObject) => (valueAt(object, names) ?? null) !== null;
  const { validate: _, ...rest } = view!; // scaleSubresource is a view
  return {
    view: {
      ...rest,
      read(object, context) {
        if (!hasReplicas(object)) throw internalError(`the spec replicas field ${goQuote(specReplicasPath)} does not exist`);
        return rest.read(object, context);
      },
      readForWrite(object, context) {
        const body = rest.read(object, context);
        return hasReplicas(object) ? body : { ...body, spec: { replicas: missing } };
      },
      write(scale: Scale, prior, context) {
        if (scale.spec.replicas === missing) throw badRequestError(`the spec replicas field ${goQuote(specReplicasPath)} cannot be empty`);
        return rest.write(scale, prior, context);
      },
    },
  };
}
