/** The schema of PriorityLevelConfiguration. */
import { field, type Infer, int32, mapBy, object, string, structsOf } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { conditionOf, home } from "./schema.ts";

const struct = structsOf(home);

const QueuingConfiguration = struct("QueuingConfiguration", {
  queues: field(1, int32, "The number of queues. Default 64.", { written: "always", unpublishedDefault: 64, zeroIsAbsent: true }),
  handSize: field(2, int32, "The number of queues of which each flow uses the shortest. Default 8.", {
    written: "always",
    unpublishedDefault: 8,
    zeroIsAbsent: true,
  }),
  queueLengthLimit: field(3, int32, "The number of requests that may wait in one queue. Default 50.", {
    written: "always",
    unpublishedDefault: 50,
    zeroIsAbsent: true,
  }),
}, { doc: "The queues of a level." });
export type QueuingConfiguration = Infer<typeof QueuingConfiguration>;

const LimitResponse = struct("LimitResponse", {
  type: field(1, named("v1.LimitResponseType", string), "What happens to requests without a free seat: Queue or Reject.", {
    required: true,
  }),
  queuing: field(2, QueuingConfiguration, "The queues, if `type` is Queue.", { pointer: true }),
}, {
  doc: "What happens to a request for which the level has no free seat.",
  union: { discriminator: "type", members: { queuing: "Queuing" } },
});
export type LimitResponse = Infer<typeof LimitResponse>;

const lendablePercent = "The percentage of the level's seats that other levels may borrow. Default 0.";

const LimitedPriorityLevelConfiguration = struct("LimitedPriorityLevelConfiguration", {
  nominalConcurrencyShares: field(1, int32, "The level's share of the server's seats. 0 leaves it only borrowed ones. Default 30.", {
    pointer: true,
    written: "always",
    unpublishedDefault: 30,
  }),
  limitResponse: field(2, LimitResponse, "What happens to a request without a free seat.", { written: "always" }),
  lendablePercent: field(3, int32, lendablePercent, { pointer: true, unpublishedDefault: 0 }),
  borrowingLimitPercent: field(
    4,
    int32,
    "How many seats the level may borrow, as a percentage of its own. Default: as many as other levels lend.",
    { pointer: true },
  ),
}, { doc: "The seats of a level, and its queues." });
export type LimitedPriorityLevelConfiguration = Infer<typeof LimitedPriorityLevelConfiguration>;

const ExemptPriorityLevelConfiguration = struct("ExemptPriorityLevelConfiguration", {
  nominalConcurrencyShares: field(1, int32, "The level's share of the server's seats. It does not limit the level. Default 0.", {
    pointer: true,
    unpublishedDefault: 0,
  }),
  lendablePercent: field(2, int32, lendablePercent, { pointer: true, unpublishedDefault: 0 }),
}, { doc: "The seats of the level without limits." });

const PriorityLevelConfigurationSpec = struct("PriorityLevelConfigurationSpec", {
  type: field(1, named("v1.PriorityLevelEnablement", string), "Whether the level has a limit: Limited, or Exempt.", { required: true }),
  limited: field(2, LimitedPriorityLevelConfiguration, "The limit, if `type` is Limited.", { pointer: true }),
  exempt: field(3, ExemptPriorityLevelConfiguration, "The seats, if `type` is Exempt.", { pointer: true }),
}, {
  doc: "How many requests of the level run at the same time.",
  union: { discriminator: "type", members: { exempt: "Exempt", limited: "Limited" } },
});
export type PriorityLevelConfigurationSpec = Infer<typeof PriorityLevelConfigurationSpec>;

const PriorityLevelConfigurationCondition = conditionOf("PriorityLevelConfiguration");

const PriorityLevelConfigurationStatus = struct("PriorityLevelConfigurationStatus", {
  conditions: field(1, mapBy(["type"], PriorityLevelConfigurationCondition), "The conditions of clients.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
}, { doc: "The state of a level." });

export const PriorityLevelConfiguration = object("PriorityLevelConfiguration", {
  spec: field(2, PriorityLevelConfigurationSpec, "How many requests of the level run at the same time.", { written: "always" }),
  status: field(3, PriorityLevelConfigurationStatus, "The state of the level.", { written: "always" }),
}, { package: home, doc: "A priority level: a share of the server's seats, and queues for the requests that wait for one." });
export type PriorityLevelConfiguration = Infer<typeof PriorityLevelConfiguration>;
