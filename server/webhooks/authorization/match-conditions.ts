/** Match conditions of a webhook: expressions in CEL over the review that would be sent. */
import type { AuthorizationAttributes } from "../../../core/access.ts";
import { compileAccess, isAccessExpression } from "../../../cel/access/expressions.ts";
import { fieldErrorText } from "../../../core/field-error.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import type { JsonObject } from "../../../core/schema.ts";
import type { UserInfo } from "../../../core/user-info.ts";
import { reviewSelectors } from "./review-selectors.ts";

/** Records evaluations, for upstream's metrics. */
export interface ConditionMeter {
  evaluated(seconds: number): void;
  failed(): void;
  excluded(): void;
}

/** Whether the webhook is called for a request. Throws an Error if no condition is false and one fails. */
export type MatchConditions = (user: UserInfo, attributes: AuthorizationAttributes) => boolean;

/** Compiles conditions. Throws an Error for one that does not compile. `now`: milliseconds. */
export function matchConditions(expressions: readonly string[], meter: ConditionMeter, now: () => number): MatchConditions {
  const conditions = expressions.map((text) => {
    const compiled = compileAccess(text, { path: "expression", variable: "request", result: "bool" });
    if (!isAccessExpression(compiled)) throw new Error(fieldErrorText(compiled));
    return compiled;
  });
  return (user, attributes) => {
    const begun = now(), review = reviewOf(user, attributes), failures: string[] = [];
    try {
      for (const condition of conditions) {
        try {
          if (condition.evaluate(review) === true) continue;
        } catch (error) {
          failures.push(`cel evaluation error: ${reasonOf(error)}`);
          continue;
        }
        failures.length = 0;
        meter.excluded();
        return false;
      }
    } finally {
      meter.evaluated((now() - begun) / 1000);
      if (failures.length > 0) meter.failed();
    }
    if (failures.length > 0) throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(", ")}]`);
    return true;
  };
}

/** The spec of the review with empty fields too, so that expressions may select them. */
function reviewOf({ name, uid = "", groups, extra = {} }: UserInfo, attributes: AuthorizationAttributes): JsonObject {
  const { isResourceRequest, namespace, verb, group, version, resource, subresource, path } = attributes;
  const about: JsonObject = isResourceRequest
    ? {
      resourceAttributes: {
        ...{ namespace, verb, group, version, resource, subresource, name: attributes.name },
        ...reviewSelectors(attributes),
      },
    }
    : { nonResourceAttributes: { path, verb } };
  return { user: name, uid, groups, extra, ...about };
}
