import { type Admission, notSupported, StatusError } from "../../../plugin.ts";
import { fieldErrorText } from "../../../core/field-error.ts";
import { containersWithPaths, everyContainer } from "../../shared/pod/containers-of.ts";
import type { PodSpec } from "../../shared/pod/pod-spec.ts";
import type { Pod } from "../pod-schema.ts";
import { pods } from "../pod.ts";

const always = "Always";

/** Whether the step looks at the write: at each new pod, and at an update that brings another image. */
function concerns(next: Pod, prior: Pod | undefined, subresource: string): boolean {
  if (subresource !== "" || prior === undefined) return subresource === "";
  const known = new Set(everyContainer(prior.spec).map(({ image }) => image));
  return everyContainer(next.spec).some(({ image }) => !known.has(image));
}

function alwaysPulled(spec: PodSpec): PodSpec {
  const pulled = <T>(list: readonly T[]): readonly (T & { readonly imagePullPolicy: "Always" })[] =>
    list.map((each) => ({ ...each, imagePullPolicy: always }));
  const { containers, initContainers, ephemeralContainers, volumes } = spec;
  return {
    ...spec,
    ...(containers ? { containers: pulled(containers) } : {}),
    ...(initContainers === undefined ? {} : { initContainers: pulled(initContainers) }),
    ...(ephemeralContainers === undefined ? {} : { ephemeralContainers: pulled(ephemeralContainers) }),
    ...(volumes === undefined ? {} : {
      volumes: volumes.map((volume) => volume.image === undefined ? volume : { ...volume, image: { ...volume.image, pullPolicy: always } }),
    }),
  };
}

/**
 * Sets the pull policy of every container to Always: an image that another pod has brought to a node is then of no use without access to its
 * registry. Off by default.
 */
export const alwaysPullImages: Admission<Pod> = {
  name: "AlwaysPullImages",
  isOptional: true,
  resources: [pods],
  mutate: (next, prior, { subresource }) => concerns(next, prior, subresource) ? { ...next, spec: alwaysPulled(next.spec) } : next,
  refuse(next, prior, { subresource }) {
    if (!concerns(next, prior, subresource)) return undefined;
    const { spec, metadata: { name } } = next;
    const wrong = [
      ...containersWithPaths(spec, "spec").map(([{ imagePullPolicy }, path]) => [`${path}.imagePullPolicy`, imagePullPolicy] as const),
      ...(spec.volumes ?? []).flatMap(({ image }, i) =>
        image === undefined ? [] : [[`spec.volumes[${i}].image.pullPolicy`, image.pullPolicy] as const]
      ),
    ].filter(([, policy]) => policy !== always);
    const texts = wrong.map(([path, policy]) =>
      `pods "${name}" is forbidden: ${fieldErrorText(notSupported(path, policy ?? "", [always]))}`
    );
    if (texts.length === 0) return undefined;
    // As upstream, which takes several reasons for a fault of the server.
    throw new StatusError("Unknown", texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`, { code: 500 });
  },
};
