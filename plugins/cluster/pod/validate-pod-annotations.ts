/** Annotations that upstream gave a meaning before there were fields for it, in its order and words. */
import { type FieldError, forbidden, invalid } from "../../../core/field-error.ts";
import { type Names, spell } from "../../../core/names.ts";
import { validateLocalPath } from "../../shared/volumes/rules.ts";
import { containersWithPaths, everyContainer } from "./containers-of.ts";
import type { Leniency } from "./leniency.ts";
import type { PodSpec, PodTemplateSpec } from "./pod-spec.ts";
import { tolerationsOfJson } from "./tolerations-json.ts";
import { validateTolerations } from "./validate-scheduling.ts";

const written = {
  mirror: "{platform}.io/config.mirror",
  tolerations: "scheduler.alpha.{platform}.io/tolerations",
  cost: "controller.{platform}.io/pod-deletion-cost",
  seccomp: "seccomp.security.alpha.{platform}.io/pod",
  /** Before the name of a container. */
  seccompOf: "container.seccomp.security.alpha.{platform}.io/",
  appArmorOf: "container.apparmor.security.beta.{platform}.io/",
};
const runtimeDefault = "runtime/default", dockerDefault = "docker/default", unconfined = "unconfined", local = "localhost/";

type Annotations = Readonly<Record<string, string>>;

/** Rules of the annotations by themselves; `path` is theirs. */
export function validatePodAnnotations(
  { metadata: { annotations = {} }, spec }: PodTemplateSpec,
  names: Names,
  lenient: Leniency,
  path: string,
): readonly FieldError[] {
  const mirror = spell(names, written.mirror);
  const mirrored = Object.hasOwn(annotations, mirror) && (spec.nodeName ?? "") === "";
  return [
    ...(mirrored ? [invalid(`${path}[${mirror}]`, annotations[mirror], "must set spec.nodeName if mirror pod annotation is set")] : []),
    ...validateWrittenTolerations(annotations, spell(names, written.tolerations), path),
    ...(lenient.deletionCost ? [] : validateDeletionCost(annotations, names, path)),
    ...validateSeccomp(annotations, names, path),
    ...validateAppArmor(annotations, spec, spell(names, written.appArmorOf), path),
  ];
}

function validateWrittenTolerations(annotations: Annotations, key: string, path: string): readonly FieldError[] {
  const text = Object.hasOwn(annotations, key) ? annotations[key]! : "";
  if (text === "") return [];
  const tolerations = tolerationsOfJson(text);
  return typeof tolerations === "string" ? [invalid(path, key, tolerations)] : validateTolerations(tolerations, `${path}.${key}`);
}

const costMin = -(2 ** 31), costMax = 2 ** 31 - 1;

/** What it costs to delete a pod made from the template: a whole number without a plus sign and without zeros before it. */
export function validateDeletionCost(annotations: Annotations | undefined, names: Names, path: string): readonly FieldError[] {
  const costKey = spell(names, written.cost);
  if (annotations === undefined || !Object.hasOwn(annotations, costKey)) return [];
  const value = annotations[costKey]!;
  const right = /^(?:0|-[0-9]+|[1-9][0-9]*)$/.test(value) && Number(value) >= costMin && Number(value) <= costMax;
  return right ? [] : [invalid(`${path}[${costKey}]`, value, "must be a 32bit integer")];
}

/** Upstream's slip: these keys are told as if they were fields. */
function validateSeccomp(annotations: Annotations, names: Names, path: string): readonly FieldError[] {
  const ofPod = spell(names, written.seccomp), ofContainer = spell(names, written.seccompOf);
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
      ...(right ? [] : [invalid(at, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`)]),
    ];
  });
}

/** What is said by an annotation and by its field is the same; `path` is that of the spec. */
export function validateProfilesAgree(
  { metadata: { annotations = {} }, spec }: PodTemplateSpec,
  names: Names,
  path: string,
): readonly FieldError[] {
  const said = (key: string) => Object.hasOwn(annotations, key) ? annotations[key] : undefined;
  const containers = containersWithPaths(spec, path).map(([{ name, securityContext = {} }, at]) => ({
    name,
    context: securityContext,
    at: `${at}.securityContext`,
  }));
  const whole = spec.securityContext ?? {};
  return [
    ...compared("seccomp", whole.seccompProfile, said(spell(names, written.seccomp)), `${path}.securityContext.seccompProfile`),
    ...containers.flatMap(({ name, context, at }) =>
      compared("seccomp", context.seccompProfile, said(`${spell(names, written.seccompOf)}${name}`), `${at}.seccompProfile`)
    ),
    // A pod for Windows has no AppArmor.
    ...(spec.os?.name === "windows" ? [] : containers).flatMap(({ name, context, at }) =>
      compared(
        "apparmor",
        context.appArmorProfile ?? whole.appArmorProfile,
        said(`${spell(names, written.appArmorOf)}${name}`),
        `${at}.appArmorProfile`,
      )
    ),
  ];
}

function compared(
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
