export { type AuthorizationAttributes, authorizeInOrder, type Authorizer, type Decision, forbiddenFor } from "./authorize.ts";
export { publicInformation, systemDiscovery, systemMasters, systemMonitoring } from "./built-in.ts";
