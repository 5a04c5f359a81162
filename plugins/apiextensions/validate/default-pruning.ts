import type { SchemaProps } from "../schema-props.ts";
export function hasUnprunedDefaults(_root: SchemaProps): boolean {
  return false;
}
