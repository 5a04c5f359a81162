/** The resources of the server that a definition describes. */
import { rulesOfDefinition } from "../../../cel/definition/rules.ts";
import { resourceOf } from "../../../core/definition/resource.ts";
import type { Resource } from "../../../plugin.ts";
import { webhookConversion } from "../conversion/webhook.ts";
import type { Description } from "./description.ts";

/**
 * The resources that a definition describes: one, or with conversion by a webhook one for each version. Objects are validated by the schema
 * of the version of the request.
 */
export function resourcesOf(description: Description): readonly Resource[] {
  const { versions } = description.spec;
  const conversion = webhookConversion(description);
  if (conversion === undefined) return [resourceOf(description, versions, rulesOfDefinition)];
  return versions.map((version) => ({
    ...resourceOf(description, [version], rulesOfDefinition),
    storedUnder: `${conversion.under}@${version.name}`,
    conversion,
  }));
}
