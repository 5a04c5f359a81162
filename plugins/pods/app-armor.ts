/** Annotations for AppArmor, which were replaced by a field in 1.30: a new pod gets the field that its annotation means. */
import { type Names, sameValue, spell } from "../../toolbox.ts";
import type { Container } from "../shared/pod/container.ts";
import type { PodSpec } from "../shared/pod/pod-spec.ts";
import { podAnnotations } from "../shared/pod/validate-pod-annotations.ts";
import type { Pod } from "./pod-schema.ts";

type Profile = NonNullable<NonNullable<Container["securityContext"]>["appArmorProfile"]>;

/** Maximum length of the name of a profile on the node, in UTF-16 code units. */
const profileLengthMax = 4_095;
const local = "localhost/";

/** The profile that an annotation means; undefined for one that means none. */
function profileOf(annotation: string): Profile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  if (!annotation.startsWith(local)) return undefined;
  const localhostProfile = annotation.slice(local.length);
  const isValid = localhostProfile !== "" && localhostProfile.trim() === localhostProfile && localhostProfile.length <= profileLengthMax;
  return isValid ? { type: "Localhost", localhostProfile } : undefined;
}

function annotationOf({ metadata: { annotations = {} } }: Pod, { name }: { readonly name: string }, names: Names): string | undefined {
  const key = spell(names, podAnnotations.appArmorOf) + name;
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}

const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;

/**
 * The pod with the profiles that its annotations mean, where a container has none and the whole pod has another. Adds a warning for each
 * annotation that becomes a profile or that means none.
 */
export function withProfiles(pod: Pod, names: Names, warnings?: { add(text: string): void }): Pod {
  if (pod.spec.os?.name === "windows" || pod.metadata.annotations === undefined) return pod;
  const ofPod = pod.spec.securityContext?.appArmorProfile;
  let spec: PodSpec = pod.spec;
  for (const key of containerLists) {
    const list = pod.spec[key] as readonly Container[] | undefined; // ephemeral containers have these members as well
    const next = list?.map((container) => {
      const annotation = annotationOf(pod, container, names);
      if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) return container;
      const appArmorProfile = profileOf(annotation), isOfPod = appArmorProfile !== undefined && sameValue(appArmorProfile, ofPod);
      if (!isOfPod) warnings?.add(warningOf(container.name, names));
      if (appArmorProfile === undefined || isOfPod) return container;
      return { ...container, securityContext: { ...container.securityContext, appArmorProfile } };
    });
    if (next?.some((container, i) => container !== list![i])) spec = { ...spec, [key]: next };
  }
  return spec === pod.spec ? pod : { ...pod, spec };
}

function warningOf(container: string, names: Names): string {
  const path = `metadata.annotations[${spell(names, podAnnotations.appArmorOf)}${container}]`;
  return `${path}: deprecated since v1.30; use the "appArmorProfile" field instead`;
}
