/** What the schemas of the family share. */
import { field, string, structsOf, time } from "../../plugin.ts";
import { named, type ObjectMeta } from "../../toolbox.ts";

export const home = "flowcontrol/v1";
export const groupVersion = "flowcontrol.apiserver.{domain}/v1";
const struct = structsOf(home);

/** The struct of the conditions of a kind. All of its members are optional. */
export function conditionOf(kind: string) {
  return struct(`${kind}Condition`, {
    type: field(1, named(`v1.${kind}ConditionType`, string), "The type of the condition."),
    status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown."),
    lastTransitionTime: field(3, time, "The time of the last change of the status.", { written: "always" }),
    reason: field(4, string, "The reason of the last change, in CamelCase."),
    message: field(5, string, "Details for people."),
  }, { doc: "A condition of the object." });
}

/** The metadata that a write of the status stores: as upstream, that of the stored object but for the managed fields, whatever the request has. */
export function metaOfStatusWrite(next: ObjectMeta, { managedFields: _, ...prior }: ObjectMeta): ObjectMeta {
  const { resourceVersion, managedFields } = next;
  return {
    ...prior,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(managedFields === undefined ? {} : { managedFields }),
  };
}
