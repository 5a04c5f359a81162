/**
 * Admission steps for all resources that are off by default. Their names, places and texts are those of upstream's plugins.
 */
import { type Admission, forbiddenError, notFoundError, type RequestHookContext } from "../../plugin.ts";

/** Admits everything. Upstream keeps the name for old command lines. */
const alwaysAdmit: Admission = { name: "AlwaysAdmit", isOptional: true, resources: "all", includesReviews: true };

/** Creates the namespace of a new object if it is missing. */
const namespaceAutoProvision: Admission = {
  name: "NamespaceAutoProvision",
  isOptional: true,
  resources: "all",
  includesReviews: true,
  makesNamespaces: true,
};

async function checkNamespace({ request: { namespace }, read }: RequestHookContext): Promise<undefined> {
  if (namespace === "" || await read.get("v1", "namespaces", "", namespace) !== undefined) return;
  throw notFoundError({ group: "", name: "namespaces" }, namespace);
}

/** Rejects every write in a namespace that does not exist (404), also of objects that are left over. */
const namespaceExists: Admission = {
  name: "NamespaceExists",
  isOptional: true,
  resources: "all",
  includesReviews: true,
  refuse: (_next, _prior, context) => checkNamespace(context),
  refuseDelete: (_prior, context) => checkNamespace(context),
  refuseAction: (_request, _subresource, context) => checkNamespace(context),
};

const denial = "admission control is denying all modifications";

/** Rejects every write, for tests of clients. It rejects them before they are validated, as the last of the mutating steps. */
const alwaysDeny: Admission = {
  name: "AlwaysDeny",
  isOptional: true,
  resources: "all",
  includesReviews: true,
  mutate(next, _prior, { resource: { group, plural: name } }) {
    throw forbiddenError({ group, name }, next.metadata.name || next.metadata.generateName || "Unknown", denial);
  },
  mutateAction(_request, _subresource, { resource: { group, plural: name }, requestName }) {
    throw forbiddenError({ group, name }, requestName, denial);
  },
  refuseDelete: () => denial,
  refuseAction: () => denial,
};

export const generalSteps: readonly Admission[] = Object.freeze([alwaysAdmit, namespaceAutoProvision, namespaceExists, alwaysDeny]);
