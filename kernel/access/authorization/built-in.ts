import { systemGroups } from "../../../core/user-info.ts";
import type { Authorizer } from "../../../core/access.ts";

/** Members of `system:masters` may do everything. */
export const systemMasters: Authorizer = Object.freeze<Authorizer>({
  name: "AlwaysAllowGroups",
  authorize: ({ groups }) => ({ verdict: groups.includes(systemGroups.masters) ? "allow" : "noOpinion", reason: "" }),
});

const monitoredPath = /^\/(metrics(\/slis)?|(healthz|livez|readyz)(\/.*)?)$/;

/** Members of `system:monitoring` may read metrics and every check of health, and nothing else: for scrapers and probes. */
export const systemMonitoring: Authorizer = Object.freeze<Authorizer>({
  name: "Monitoring",
  authorize: ({ groups }, { isResourceRequest, verb, path }) => ({
    verdict: groups.includes(systemGroups.monitoring) && !isResourceRequest && verb === "get" && monitoredPath.test(path)
      ? "allow"
      : "noOpinion",
    reason: "",
  }),
});

const publicPaths = new Set(["/healthz", "/livez", "/readyz", "/version", "/version/"]);

/** Any user may read health checks and the version. */
export const publicInformation: Authorizer = Object.freeze<Authorizer>({
  name: "PublicInformation",
  authorize: (_user, { isResourceRequest, verb, path }) => ({
    verdict: !isResourceRequest && verb === "get" && publicPaths.has(path) ? "allow" : "noOpinion",
    reason: "",
  }),
});

const discoveryPath = /^\/(api|apis|openapi)(\/.*)?$/;

/** Authenticated users may read discovery documents, as upstream's role system:discovery. */
export const systemDiscovery: Authorizer = Object.freeze<Authorizer>({
  name: "Discovery",
  authorize: ({ groups }, { isResourceRequest, verb, path }) => ({
    verdict: groups.includes(systemGroups.authenticated) && !isResourceRequest && verb === "get" && discoveryPath.test(path)
      ? "allow"
      : "noOpinion",
    reason: "",
  }),
});
