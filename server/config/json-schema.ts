/** JSON Schemas of settings: for the configuration file, and for the chart's values. */
import { durationText } from "./help.ts";
import type { Kind } from "./setting.ts";
import { type AnySetting, settings } from "./settings.ts";

/** The schema of a value of each kind, in the form of the configuration file. */
export const valueSchemas: Readonly<Record<Kind, object>> = Object.freeze({
  string: { type: "string" },
  bool: { type: "boolean" },
  int: { type: "integer", minimum: 0 },
  count: { anyOf: [{ type: "integer", minimum: 1 }, { const: "auto" }] },
  fraction: { type: "number", minimum: 0 },
  duration: { type: "string", pattern: "^(0|(\\d+(\\.\\d+)?(ms|s|m|h))+)$" },
  list: { type: "array", items: { type: "string" } },
  map: { type: "object", additionalProperties: { type: "boolean" } },
  texts: { type: "object", additionalProperties: { type: "string" } },
});

/** The JSON Schema (draft 7, which editors support) of the configuration file. */
export function configurationSchema(): object {
  const rows = Object.entries<AnySetting>(settings).filter(([name]) => name !== "config");
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Configuration of Thole",
    description: "The file of --config: settings by name. Flags override it.",
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(rows.map(([name, setting]) => [name, propertyOf(setting)])),
  };
}

function propertyOf({ kind, help, default: value, fixed, deprecated }: AnySetting): object {
  const change = fixed === undefined ? "Changes are reloaded." : `Changes need a restart: ${fixed}.`;
  return {
    description: `${help} ${change}`,
    ...valueSchemas[kind],
    ...(value instanceof Map ? {} : { default: kind === "duration" ? durationText(value as number) : value }), // `as`: the type of a duration
    ...(deprecated === undefined ? {} : { deprecated: true }),
  };
}
