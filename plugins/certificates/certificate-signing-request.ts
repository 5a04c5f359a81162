import {
  ageColumn,
  type Column,
  defineResource,
  type FieldError,
  type HookContext,
  nameColumn,
  type Resource,
  type Subresource,
} from "../../plugin.ts";
import { Age, metaRulesOf, type Names, validateObjectMetaUpdate } from "../../toolbox.ts";
import { validateRequest, validateRequestUpdate } from "./request-rules.ts";
import { CertificateSigningRequest, type RequestCondition } from "./schema.ts";

const groupVersion = "certificates.{domain}/v1";

const columns: readonly Column<CertificateSigningRequest>[] = [
  nameColumn,
  ageColumn,
  {
    name: "SignerName",
    type: "string",
    description: "The signer that is asked.",
    cell: ({ spec }) => spec.signerName || "<none>",
  },
  {
    name: "Requestor",
    type: "string",
    description: "The user who created the request.",
    cell: ({ spec }) => spec.username ?? "",
  },
  {
    name: "RequestedDuration",
    type: "string",
    description: "How long the certificate should be valid.",
    cell: ({ spec: { expirationSeconds } }) => expirationSeconds === undefined ? "<none>" : new Age(0).at(expirationSeconds * 1000),
  },
  {
    name: "Condition",
    type: "string",
    description: "Whether the request was approved, denied, has failed, and whether the certificate was issued.",
    cell: conditionText,
  },
];

function conditionText({ status: { conditions = [], certificate = "" } }: CertificateSigningRequest): string {
  const has = (type: string) => conditions.some((each) => each.type === type);
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${certificate === "" ? "" : ",Issued"}`;
}

/** Sets the user who sends the request, whatever the request says. */
function withSender(next: CertificateSigningRequest, { caller }: HookContext): CertificateSigningRequest {
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = next.spec;
  const { name, uid = "", groups, extra = {} } = caller;
  return {
    ...next,
    spec: {
      ...spec,
      ...(name === "" ? {} : { username: name }),
      ...(uid === "" ? {} : { uid }),
      ...(groups.length === 0 ? {} : { groups }),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    },
  };
}

/** Sets the times that conditions lack. A condition whose status stays keeps the time of its last change. */
function withTimes(next: CertificateSigningRequest, prior: CertificateSigningRequest, now: string): CertificateSigningRequest {
  const { conditions } = next.status;
  if (conditions === undefined) return next;
  const before = prior.status.conditions ?? [];
  const timed = conditions.map((each): RequestCondition => {
    const same = before.find(({ type, status, lastTransitionTime }) =>
      type === each.type && status === each.status && (lastTransitionTime ?? null) !== null
    );
    return {
      ...each,
      lastUpdateTime: each.lastUpdateTime ?? now,
      lastTransitionTime: each.lastTransitionTime ?? same?.lastTransitionTime ?? now,
    };
  });
  return { ...next, status: { ...next.status, conditions: timed } };
}

/** Restores the stored conditions of a type if the request has as many of them: only their number is then checked. */
function withStored(
  conditions: readonly RequestCondition[],
  prior: readonly RequestCondition[],
  type: string,
): readonly RequestCondition[] {
  const stored = prior.filter((each) => each.type === type);
  if (conditions.filter((each) => each.type === type).length !== stored.length) return conditions;
  let at = 0;
  return conditions.map((each) => each.type === type ? stored[at++]! : each); // as many as there are
}

function validateUpdate(
  next: CertificateSigningRequest,
  prior: CertificateSigningRequest,
  names: Names,
  part: "" | "status" | "approval",
): readonly FieldError[] {
  return [
    ...validateRequestUpdate(next, prior, names, part),
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(certificateSigningRequests, names)),
  ];
}

const status: Subresource<CertificateSigningRequest> = {
  write(next, prior, { now }) {
    const { conditions } = next.status, before = prior.status.conditions ?? [];
    const kept = conditions === undefined
      ? next.status
      : { ...next.status, conditions: withStored(withStored(conditions, before, "Approved"), before, "Denied") };
    return withTimes({ ...next, spec: prior.spec, status: kept }, prior, now);
  },
  update: (next, prior, { names }) => validateUpdate(next, prior, names, "status"),
  leaves: ["spec", "status.conditions"],
};

const approval: Subresource<CertificateSigningRequest> = {
  verbs: ["get", "update", "patch"],
  write(next, prior, { now }) {
    const { conditions } = withTimes(next, prior, now).status, { conditions: _before, ...rest } = prior.status;
    return { ...next, spec: prior.spec, status: { ...(conditions === undefined ? {} : { conditions }), ...rest } };
  },
  update: (next, prior, { names }) => validateUpdate(next, prior, names, "approval"),
  leaves: ["spec", "status.certificate"],
  hasTable: false,
};

export const certificateSigningRequests: Resource<CertificateSigningRequest> = defineResource({
  kind: "CertificateSigningRequest",
  scope: "Cluster",
  shortNames: ["csr"],
  summary: "A request for a certificate.",
  storedAs: groupVersion,
  storedUnder: "certificatesigningrequests",
  served: {
    [groupVersion]: {
      schema: CertificateSigningRequest,
      introduced: "1.19",
      columns,
      selectableFields: { "spec.signerName": ({ spec }) => spec.signerName },
      subresources: { status, approval },
    },
  },
  strategy: { coreFinalizers: true, nameRule: () => [], leaves: ["spec", "status"] },
  prepare: (next, prior, context) => prior === undefined ? withSender(next, context) : { ...next, spec: prior.spec },
  create: (next, { names }) => validateRequest(next, undefined, names),
  update: (next, prior, { names }) => validateUpdate(next, prior, names, ""),
});
