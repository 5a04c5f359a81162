/** Checks that values which a condition of the root restricts are also specified outside of conditions. */
import { required } from "../../../plugin.ts";
import type { SchemaProps } from "../schema-props.ts";
import { isSchema } from "../schema-walk.ts";
import type { Findings } from "./findings.ts";

/** Returns the errors of a root schema whose conditions restrict values that it does not specify. */
export function validateCompleteness(root: SchemaProps, path: string, findings: Findings): void {
  validateConditions(root, root, { schema: path, condition: path }, findings);
}

/** The path of a schema, and the path of the condition about its values. */
interface Paths {
  readonly schema: string;
  readonly condition: string;
}

function validateConditions(condition: SchemaProps, schema: SchemaProps, paths: Paths, findings: Findings): void {
  const nested = (inner: SchemaProps, at: string) =>
    validateNested(inner, schema, { ...paths, condition: `${paths.condition}.${at}` }, findings);
  if (condition.not !== undefined) nested(condition.not, "not");
  for (const key of ["allOf", "anyOf", "oneOf"] as const) condition[key]?.forEach((each, i) => nested(each, `${key}[${i}]`));
}

/** The recursion is bounded, because the depth of decoded schemas is (`typedDepthMax`). */
function validateNested(condition: SchemaProps, schema: SchemaProps | undefined, paths: Paths, findings: Findings): void {
  if (findings.full) return;
  if (schema === undefined) {
    findings.add(required(paths.schema, `because it is defined in ${paths.condition}`));
    return;
  }
  validateConditions(condition, schema, paths, findings);
  const { items, properties = {} } = condition;
  const below = (at: string): Paths => ({ schema: `${paths.schema}.${at}`, condition: `${paths.condition}.${at}` });
  if (isSchema(items)) validateNested(items, isSchema(schema.items) ? schema.items : undefined, below("items"), findings);
  for (const key in properties) {
    const own = schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    validateNested(properties[key]!, own, below(`properties[${key}]`), findings);
  }
}
