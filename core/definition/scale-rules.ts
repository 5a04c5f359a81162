/** The fields that the subresource `scale` reads and writes must have the types that it needs. */
import type { Json } from "../json.ts";
import { isObject } from "../json.ts";
import { goText } from "../tree/go-text.ts";
import { type FieldError, invalid } from "../field-error.ts";
import type { Subresources } from "./definition.ts";

export type Scale = NonNullable<Subresources["scale"]>;

const int32Max = 2 ** 31 - 1;

export function specReplicasErrors(object: Json, scale: Scale | undefined): readonly FieldError[] {
  return scale === undefined ? [] : replicasErrors(object, scale.specReplicasPath);
}

export function statusReplicasErrors(object: Json, scale: Scale | undefined): readonly FieldError[] {
  if (scale === undefined) return [];
  const { statusReplicasPath, labelSelectorPath } = scale;
  return [
    ...replicasErrors(object, statusReplicasPath),
    ...(labelSelectorPath === undefined || labelSelectorPath === null ? [] : selectorErrors(object, labelSelectorPath)),
  ];
}

function replicasErrors(object: Json, path: string): readonly FieldError[] {
  const found = findNested(object, path, (value) => typeof value === "bigint" || Number.isSafeInteger(value), "int64");
  if ("error" in found) return [invalid(path, 0, found.error)];
  const replicas = (found.value ?? 0) as number | bigint; // of that type
  if (replicas < 0) return [invalid(path, replicas, "should be a non-negative integer")];
  return replicas > int32Max ? [invalid(path, replicas, `should be less than or equal to ${int32Max}`)] : [];
}

function selectorErrors(object: Json, path: string): readonly FieldError[] {
  const found = findNested(object, path, (value) => typeof value === "string", "string");
  return "error" in found ? [invalid(path, "", found.error)] : [];
}

type Found = { readonly value: Json | undefined } | { readonly error: string };

/** Returns the value at a path such as `.spec.replicas`, or Go's message about a value of another type. */
function findNested(object: Json, path: string, fits: (value: Json) => boolean, type: string): Found {
  const names = path.replace(/^\./, "").split(".");
  let value: Json | undefined = object;
  for (const [index, name] of names.entries()) {
    if (!isObject(value)) {
      if (value === null) return { value: undefined };
      return { error: accessError(names.slice(0, index + 1), value, "map[string]interface{}") };
    }
    if (!Object.hasOwn(value, name)) return { value: undefined };
    value = value[name]!;
  }
  return fits(value) ? { value } : { error: accessError(names, value, type) };
}

function accessError(names: readonly string[], value: Json, type: string): string {
  return `.${names.join(".")} accessor error: ${goText(value)} is of the type ${goTypeOf(value)}, expected ${type}`;
}
function goTypeOf(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || typeof value === "bigint") {
    return Number.isSafeInteger(value) || typeof value === "bigint" ? "int64" : "float64";
  }
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}
