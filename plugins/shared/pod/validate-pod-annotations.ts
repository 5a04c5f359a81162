/** Validation of annotations that were later replaced by fields, with upstream's order and texts. */
import { type FieldError, forbidden, invalid } from "../../../plugin.ts";
import { type Names, spell, valueText } from "../../../toolbox.ts";
import { validateLocalPath } from "../volumes/rules.ts";
import { containersWithPaths, everyContainer } from "./containers-of.ts";
import type { ValidationOptions } from "./validation-options.ts";
import type { PodSpec, PodTemplateSpec } from "./pod-spec.ts";
import { tolerationsOfJson } from "./tolerations-json.ts";
import { validateTolerations } from "./validate-scheduling.ts";

/** Keys of annotations of pods; those that end with a slash are followed by the name of a container. */
export const podAnnotations = {
  mirror: "{platform}.io/config.mirror",
  tolerations: "scheduler.alpha.{platform}.io/tolerations",
  cost: "controller.{platform}.io/pod-deletion-cost",
  seccomp: "seccomp.security.alpha.{platform}.io/pod",
  seccompOf: "container.seccomp.security.alpha.{platform}.io/",
  appArmorOf: "container.apparmor.security.beta.{platform}.io/",
};
const runtimeDefault = "runtime/default", dockerDefault = "docker/default", unconfined = "unconfined", local = "localhost/";

type Annotations = Readonly<Record<string, string>>;

/** Validates the annotations without regard to the fields. `path` is the path of the annotations. */
export function validatePodAnnotations(
  { metadata: { annotations = {} }, spec }: PodTemplateSpec,
  names: Names,
  options: ValidationOptions,
  path: string,
): readonly FieldError[] {
  const mirror = spell(names, podAnnotations.mirror);
  const mirrored = Object.hasOwn(annotations, mirror) && (spec.nodeName ?? "") === "";
  return [
    ...(mirrored ? [invalid(`${path}[${mirror}]`, annotations[mirror], "must set spec.nodeName if mirror pod annotation is set")] : []),
    ...validateTolerationsAnnotation(annotations, spell(names, podAnnotations.tolerations), path),
    ...(options.deletionCost ? [] : validateDeletionCost(annotations, names, path)),
    ...validateSeccomp(annotations, names, path),
    ...validateAppArmor(annotations, spec, spell(names, podAnnotations.appArmorOf), path),
  ];
}

function validateTolerationsAnnotation(annotations: Annotations, key: string, path: string): readonly FieldError[] {
  const text = Object.hasOwn(annotations, key) ? annotations[key]! : "";
  if (text === "") return [];
  const tolerations = tolerationsOfJson(text);
  return typeof tolerations === "string" ? [invalid(path, key, tolerations)] : validateTolerations(tolerations, `${path}.${key}`);
}

const costMin = -(2 ** 31), costMax = 2 ** 31 - 1;

/** Checks the pod deletion cost: a 32-bit integer without plus sign and leading zeros. */
export function validateDeletionCost(annotations: Annotations | undefined, names: Names, path: string): readonly FieldError[] {
  const costKey = spell(names, podAnnotations.cost);
  if (annotations === undefined || !Object.hasOwn(annotations, costKey)) return [];
  const value = annotations[costKey]!;
  const right = /^(?:0|-[0-9]+|[1-9][0-9]*)$/.test(value) && Number(value) >= costMin && Number(value) <= costMax;
  return right ? [] : [invalid(`${path}[${costKey}]`, value, "must be a 32bit integer")];
}

/** Checks seccomp profiles. As upstream, the error paths have the keys as if they were fields. */
function validateSeccomp(annotations: Annotations, names: Names, path: string): readonly FieldError[] {
  const ofPod = spell(names, podAnnotations.seccomp), ofContainer = spell(names, podAnnotations.seccompOf);
  const keys = [
    ...(Object.hasOwn(annotations, ofPod) ? [ofPod] : []),
    ...Object.keys(annotations).filter((key) => key.startsWith(ofContainer)),
  ];
  return keys.flatMap((key) => {
    const profile = annotations[key]!;
    if ([runtimeDefault, dockerDefault, unconfined].includes(profile)) return [];
    if (profile.startsWith(local)) return validateLocalPath(profile.slice(local.length), `${path}.${key}`);
    return [invalid(`${path}.${key}`, profile, "must be a valid seccomp profile")];
  });
}

function validateAppArmor(annotations: Annotations, spec: PodSpec, prefix: string, path: string): readonly FieldError[] {
  const known = new Set(everyContainer(spec).map(({ name }) => name));
  return Object.entries(annotations).filter(([key]) => key.startsWith(prefix)).flatMap(([key, profile]) => {
    const at = `${path}[${key}]`, container = key.slice(prefix.length);
    const right = ["", runtimeDefault, unconfined].includes(profile) || profile.startsWith(local);
    return [
      ...(known.has(container) ? [] : [invalid(at, container, "container not found")]),
      ...(right ? [] : [invalid(at, profile, `invalid AppArmor profile name: ${valueText(profile)}`)]),
    ];
  });
}

/** Checks that annotations and fields of profiles match. `path` is the path of the spec. */
export function validateProfilesMatch(
  { metadata: { annotations = {} }, spec }: PodTemplateSpec,
  names: Names,
  path: string,
): readonly FieldError[] {
  const annotation = (key: string) => Object.hasOwn(annotations, key) ? annotations[key] : undefined;
  const containers = containersWithPaths(spec, path).map(([{ name, securityContext = {} }, at]) => ({
    name,
    context: securityContext,
    at: `${at}.securityContext`,
  }));
  const whole = spec.securityContext ?? {};
  return [
    ...validateMatch(
      "seccomp",
      whole.seccompProfile,
      annotation(spell(names, podAnnotations.seccomp)),
      `${path}.securityContext.seccompProfile`,
    ),
    ...containers.flatMap(({ name, context, at }) =>
      validateMatch(
        "seccomp",
        context.seccompProfile,
        annotation(`${spell(names, podAnnotations.seccompOf)}${name}`),
        `${at}.seccompProfile`,
      )
    ),
    // Windows has no AppArmor.
    ...(spec.os?.name === "windows" ? [] : containers).flatMap(({ name, context, at }) =>
      validateMatch(
        "apparmor",
        context.appArmorProfile ?? whole.appArmorProfile,
        annotation(`${spell(names, podAnnotations.appArmorOf)}${name}`),
        `${at}.appArmorProfile`,
      )
    ),
  ];
}

function validateMatch(
  what: "seccomp" | "apparmor",
  field: { readonly type: string; readonly localhostProfile?: string } | undefined,
  annotation: string | undefined,
  path: string,
): readonly FieldError[] {
  if (field === undefined || annotation === undefined) return [];
  const otherType = [forbidden(`${path}.type`, `${what} type in annotation and field must match`)];
  if (field.type === "Unconfined") return annotation === unconfined ? [] : otherType;
  if (field.type === "RuntimeDefault") {
    return annotation === runtimeDefault || (what === "seccomp" && annotation === dockerDefault) ? [] : otherType;
  }
  if (field.type !== "Localhost") return [];
  if (!annotation.startsWith(local)) return otherType;
  return annotation.slice(local.length) === field.localhostProfile
    ? []
    : [forbidden(`${path}.localhostProfile`, `${what} profile in annotation and field must match`)];
}
