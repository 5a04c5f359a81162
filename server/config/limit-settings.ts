/** The settings of limits on concurrent requests. */
import { bool, type Change, fixed, type Going, int, type Kind, live, type Setting } from "./setting.ts";

export interface LimitConfig {
  readonly "enable-priority-and-fairness": boolean;
  readonly "max-requests-inflight": number;
  readonly "max-mutating-requests-inflight": number;
}
type Rows = { readonly [Name in keyof LimitConfig]: Setting<Kind, LimitConfig[Name]> & Change & Going };

/** The end of the sentence about one of the two limits. */
const ifUnfair = "are rejected with 429. With priority and fairness, the levels divide the sum of both limits";

export const limitSettings: Rows = Object.freeze({
  "enable-priority-and-fairness": fixed(
    "requests are queued from the start on",
    bool(
      true,
      "Queue requests by FlowSchema and PriorityLevelConfiguration, and give each level its share of the server; false rejects requests " +
        "above the limits on concurrent reads and writes.",
    ),
  ),
  "max-requests-inflight": live(
    int(400, `Maximum number of concurrent reads, per worker; further ones ${ifUnfair}. 0 disables the limit.`),
  ),
  "max-mutating-requests-inflight": live(
    int(200, `Maximum number of concurrent writes, per worker; further ones ${ifUnfair}. 0 disables the limit.`),
  ),
});
