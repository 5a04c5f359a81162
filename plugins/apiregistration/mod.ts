import { definePlugin } from "../../plugin.ts";
import { apiServices } from "./api-service.ts";
import { authenticationInfo } from "./authentication-info.ts";
import { availability } from "./availability.ts";
import { registration } from "./autoregister.ts";
import { delegate } from "./forward.ts";
import { becameUnavailable, unavailable } from "./metrics.ts";

export { apiServices };

export const apiregistrationPlugin = definePlugin({
  name: "apiregistration",
  summary: "Group versions of the API, which this server or others serve: APIService.",
  // The group of the list of groups comes first.
  groupPriorities: { "apiregistration.{domain}": 20_000 },
  resources: [apiServices],
  delegate,
  startHooks: [registration, availability, authenticationInfo],
  metrics: [unavailable, becameUnavailable],
});
