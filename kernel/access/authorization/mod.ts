export { attributesOf } from "./attributes.ts";
export { AuthorizationFailure, decideRequests, forbiddenFor, refusalOf } from "./authorize.ts";
export { alwaysAllow, alwaysDeny, publicInformation, systemDiscovery, systemMonitoring } from "./built-in.ts";
export { type Chain, type ChainedAuthorizer, chainOf, type Decide } from "./chain.ts";
