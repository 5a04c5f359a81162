/** Requests without credentials. */
import type { Exchange } from "../../request/exchange.ts";
import { percentDecodeBytes } from "../../../core/net/percent.ts";
import type { AnonymousRule } from "../../../core/authentication.ts";

/** Whether a request without credentials is anonymous: if that is enabled, and for the paths of the conditions if there are any. */
export function anonymousRule(rule: () => AnonymousRule): (exchange: Pick<Exchange, "url">) => boolean {
  return ({ url }) => {
    const { enabled, conditions = [] } = rule();
    if (!enabled || conditions.length === 0) return enabled;
    const mark = url.indexOf("?");
    // The path in authorization's form.
    const path = percentDecodeBytes(mark < 0 ? url : url.slice(0, mark));
    return conditions.some((condition) => condition.path === path);
  };
}
