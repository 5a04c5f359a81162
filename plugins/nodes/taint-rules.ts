/** The rules of taints, with upstream's texts and order. */
import { duplicate, type FieldError, invalid } from "../../plugin.ts";
import { labelValue, type Names, spell } from "../../toolbox.ts";
import { jsonKind } from "../../core/tree/go-errors.ts";
import { readJson } from "../../core/tree/json.ts";
import { type Tree, TreeObject } from "../../core/tree/tree.ts";
import { validateQualifiedName, validateRequiredEnum } from "../shared/pod/rules.ts";
import type { Taint } from "./node-schema.ts";

/** Annotations may lack members. */
type AnyTaint = { readonly [key in keyof Taint]?: string | null | undefined };

export const taintEffects: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** The value in an error has the names and the order of upstream's internal type. */
function internalTaint({ key, value, effect, timeAdded }: AnyTaint) {
  return { Key: key ?? "", Value: value ?? "", Effect: effect ?? "", TimeAdded: timeAdded ?? null };
}

export function validateTaints(taints: readonly AnyTaint[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, i) => {
    const at = `${path}[${i}]`, key = taint.key ?? "", value = taint.value ?? "", effect = taint.effect ?? "";
    const pair = `${effect}/${key}`;
    const wrong = labelValue(value), isAgain = seen.has(pair);
    seen.add(pair);
    return [
      ...validateQualifiedName(key, `${at}.key`),
      ...(wrong.length === 0 ? [] : [invalid(`${at}.value`, value, wrong.join(";"))]),
      ...validateRequiredEnum(effect, taintEffects, `${at}.effect`),
      ...(isAgain ? [{ ...duplicate(at, internalTaint(taint)), detail: "taints must be unique by key and effect pair" }] : []),
    ];
  });
}

const taintsAnnotation = "scheduler.alpha.{platform}.io/taints", avoidAnnotation = "scheduler.alpha.{platform}.io/preferAvoidPods";

/** Checks the two annotations of old releases: taints, and pods that the node avoids. */
export function validateNodeAnnotations(annotations: Readonly<Record<string, string>> = {}, names: Names): readonly FieldError[] {
  const path = "metadata.annotations", of = (key: string) => Object.hasOwn(annotations, key) ? annotations[key]! : "";
  const taints = spell(names, taintsAnnotation), avoided = spell(names, avoidAnnotation);
  return [
    ...(of(taints) === "" ? [] : validateTaintsText(of(taints), taints, path)),
    ...(of(avoided) === "" ? [] : validateAvoidedText(of(avoided), avoided, path)),
  ];
}

/** The member of an object of JSON. As with Go's decoder, keys are case-insensitive. */
function memberOf(tree: TreeObject, name: string): Tree | undefined {
  const at = tree.keys.findLastIndex((key) => key.toLowerCase() === name.toLowerCase());
  return at < 0 ? undefined : tree.values[at];
}

function validateTaintsText(text: string, annotation: string, path: string): readonly FieldError[] {
  const read = readJson(text), refuse = (why: string) => [invalid(path, annotation, why)];
  if (!read.ok) return refuse(read.error);
  if (read.tree === null) return [];
  if (!Array.isArray(read.tree)) return refuse(`json: cannot unmarshal ${jsonKind(read.tree)} into Go value of type []core.Taint`);
  const taints: AnyTaint[] = [];
  for (const item of read.tree) {
    if (item !== null && !(item instanceof TreeObject)) {
      return refuse(`json: cannot unmarshal ${jsonKind(item)} into Go value of type core.Taint`);
    }
    const taint: Record<string, string> = {};
    for (
      const [key, name, type] of [["key", "Key", "string"], ["value", "Value", "string"], ["effect", "Effect", "core.TaintEffect"]] as const
    ) {
      const found = item === null ? undefined : memberOf(item, key);
      if (found === undefined || found === null) continue;
      if (typeof found !== "string") {
        return refuse(`json: cannot unmarshal ${jsonKind(found)} into Go struct field Taint.${name} of type ${type}`);
      }
      taint[key] = found;
    }
    taints.push(taint);
  }
  return validateTaints(taints, `${path}.${annotation}`);
}

/** Each entry must name a controller of pods. */
function validateAvoidedText(text: string, annotation: string, path: string): readonly FieldError[] {
  const read = readJson(text), refuse = (why: string) => [invalid(`${path}.AvoidPods`, annotation, why)];
  if (!read.ok) return refuse(read.error);
  if (read.tree === null) return [];
  if (!(read.tree instanceof TreeObject)) return refuse(`json: cannot unmarshal ${jsonKind(read.tree)} into Go value of type v1.AvoidPods`);
  const entries = memberOf(read.tree, "preferAvoidPods") ?? [];
  if (!Array.isArray(entries)) {
    return refuse(
      `json: cannot unmarshal ${jsonKind(entries)} into Go struct field AvoidPods.preferAvoidPods of type []v1.PreferAvoidPodsEntry`,
    );
  }
  return entries.flatMap((entry, i) => {
    const at = `${path}.${annotation}[${i}].PodSignature`;
    const signature = entry instanceof TreeObject ? memberOf(entry, "podSignature") : undefined;
    const owner = signature instanceof TreeObject ? memberOf(signature, "podController") : undefined;
    if (!(owner instanceof TreeObject)) return [{ type: "Required", path: at, detail: "" } as const];
    return memberOf(owner, "controller") === true ? [] : [invalid(`${at}.PodController.Controller`, false, "must point to a controller")];
  });
}
