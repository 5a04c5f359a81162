import type { FieldError } from "../../../plugin.ts";
import type { SchemaProps } from "../schema-props.ts";
export function validateDefaults(_root: SchemaProps, _path: string, _requirePruned: boolean): readonly FieldError[] {
  return [];
}
