/** The resource `apiservices`: its rules, its table, and how objects are prepared. */
import {
  ageColumn,
  type Column,
  defineResource,
  type FieldError,
  type HookContext,
  invalid,
  nameColumn,
  notSupported,
  required,
  type Resource,
  type Subresource,
} from "../../plugin.ts";
import {
  append,
  bytesOf,
  dns1035Label,
  dns1123Subdomain,
  goQuote,
  metaOfStatus,
  metaRulesOf,
  pathSegmentName,
  portNumber,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import { availableOf, isLocal, localCondition } from "./available.ts";
import { APIService, groupVersion, plural } from "./schema.ts";

/** The highest values of both priorities, as upstream's. */
const groupPriorityMax = 20_000, versionPriorityMax = 1_000;

const columns: readonly Column<APIService>[] = [
  nameColumn,
  {
    name: "Service",
    type: "string",
    description: "The service of the group version; Local if this server serves it.",
    cell: ({ spec: { service } }) => service === undefined || service === null ? "Local" : `${service.namespace}/${service.name}`,
  },
  {
    name: "Available",
    type: "string",
    description: "Whether the group version is available.",
    cell(apiService) {
      const { status, reason = "" } = availableOf(apiService) ?? { status: "Unknown" };
      return status === "True" || reason === "" ? status : `${status} (${reason})`;
    },
  },
  ageColumn,
];

/** Validates an object, in upstream's order. */
function validate(next: APIService, { names }: Pick<HookContext, "names">): readonly FieldError[] {
  const { group = "", version = "", groupPriorityMinimum, versionPriority } = next.spec, errors: FieldError[] = [];
  const wanted = `${version}.${group}`;
  const nameRule = (name: string) => {
    const wrong = pathSegmentName(name, false);
    return wrong.length > 0 || name === wanted ? wrong : [`must be \`spec.version+"."+spec.group\`: ${goQuote(wanted)}`];
  };
  append(errors, validateObjectMeta(next.metadata, { ...metaRulesOf(apiServices, names), nameRule }));
  if (group === "") {
    if (version !== "v1") errors.push(required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
  } else for (const wrong of dns1123Subdomain(group)) errors.push(invalid("spec.group", group, wrong));
  for (const wrong of dns1035Label(version)) errors.push(invalid("spec.version", version, wrong));
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > groupPriorityMax) {
    errors.push(invalid("spec.groupPriorityMinimum", groupPriorityMinimum, `must be positive and less than ${groupPriorityMax}`));
  }
  if (versionPriority <= 0 || versionPriority > versionPriorityMax) {
    errors.push(invalid("spec.versionPriority", versionPriority, `must be positive and less than ${versionPriorityMax}`));
  }
  append(errors, validateService(next));
  return errors;
}

function validateService({ spec }: APIService): readonly FieldError[] {
  const { service, caBundle = "", insecureSkipTLSVerify = false } = spec, errors: FieldError[] = [];
  if (service === undefined || service === null) {
    if (caBundle !== "") {
      errors.push(invalid("spec.caBundle", `${bytesOf(caBundle).length} bytes`, "local APIServices may not have a caBundle"));
    }
    if (insecureSkipTLSVerify) {
      errors.push(invalid("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify"));
    }
    return errors;
  }
  const { namespace = "", name = "", port = 0 } = service;
  if (namespace === "") errors.push(required("spec.service.namespace", ""));
  if (name === "") errors.push(required("spec.service.name", ""));
  const wrong = portNumber(port ?? 0);
  if (wrong.length > 0) errors.push(invalid("spec.service.port", port, `port is not valid: ${wrong.join(", ")}`));
  if (insecureSkipTLSVerify && caBundle !== "") {
    errors.push(invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present"));
  }
  return errors;
}

const statuses = ["True", "False", "Unknown"];

const status: Subresource<APIService> = {
  leaves: ["metadata", "spec"],
  write: (next, prior) => ({ ...prior, metadata: metaOfStatus(next.metadata, prior.metadata), status: next.status }),
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(apiServices, names)),
    ...(next.status.conditions ?? []).flatMap(({ status }, i) =>
      statuses.includes(status) ? [] : [notSupported(`status.conditions[${i}].status`, status, statuses)]
    ),
  ],
};

export const apiServices: Resource<APIService> = defineResource({
  kind: "APIService",
  scope: "Cluster",
  categories: ["api-extensions"],
  summary: "A group version of the API, which this server or another one serves.",
  storedAs: groupVersion,
  storedUnder: `apiregistration.{domain}/${plural}`,
  served: {
    [groupVersion]: { schema: APIService, introduced: "1.10", columns, subresources: { status } },
  },
  strategy: { unconditionalUpdate: false, ownMetaRules: true },
  prepare(next, prior, { now }) {
    if (prior !== undefined) return { ...next, status: prior.status };
    return { ...next, status: isLocal(next) ? { conditions: [localCondition(now)] } : {} };
  },
  create: validate,
  update: (next, prior, context) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(apiServices, context.names)),
    ...validate(next, context),
  ],
});
