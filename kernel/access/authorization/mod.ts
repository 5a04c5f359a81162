export { authorizeBy, type Decide, decideInOrder, forbiddenFor, rulesOfChain } from "./authorize.ts";
export { publicInformation, systemDiscovery, systemMasters, systemMonitoring } from "./built-in.ts";
