/** Makes the server's resources from the description of a definition. */
import { rulesOfDefinition } from "../../../cel/definition/rules.ts";
import { resourceOf } from "../../../core/definition/resource.ts";
import type { Resource } from "../../../plugin.ts";
import { webhookConversion } from "../conversion/webhook.ts";
import type { Description } from "./description.ts";

/**
 * Returns the resources that a definition describes. It is one resource, or if a webhook converts, one for each version. Objects are
 * validated by the schema of the request's version.
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
