import { systemGroups } from "../../../core/user-info.ts";
import type { Authorizer } from "../../../core/access.ts";

/** Allows every request. */
export const alwaysAllow: Authorizer = Object.freeze<Authorizer>({
  name: "AlwaysAllow",
  authorize: () => ({ verdict: "allow", reason: "" }),
  rules: () => ({
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    incomplete: false,
    evaluationError: "",
  }),
});

/** Allows nothing. As in upstream it has no opinion, so that authorizers after it may still allow a request. */
export const alwaysDeny: Authorizer = Object.freeze<Authorizer>({
  name: "AlwaysDeny",
  authorize: () => ({ verdict: "noOpinion", reason: "Everything is forbidden." }),
  rules: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false, evaluationError: "" }),
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
