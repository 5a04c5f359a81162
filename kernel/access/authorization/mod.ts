export { type AccessReviewOptions, accessReviews } from "./access-review.ts";
export { attributesOf } from "./attributes.ts";
export { AuthorizationFailure, decideRequests, forbiddenFor, refusalOf } from "./authorize.ts";
export { alwaysAllow, alwaysDeny, publicInformation, systemDiscovery, systemMonitoring } from "./built-in.ts";
export { type Chain, type ChainedAuthorizer, chainOf, type Decide } from "./chain.ts";
export { type ConditionMeter, type MatchConditions, matchConditions } from "./match-conditions.ts";
export { readAuthorizationConfiguration } from "./configuration/read.ts";
