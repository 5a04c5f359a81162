import {
  ageColumn,
  type Column,
  defineResource,
  type FieldError,
  type HookContext,
  invalid,
  nameColumn,
  type RequestHookContext,
  type Resource,
  type Subresource,
} from "../../plugin.ts";
import { metaOfStatus, metaRulesOf, sameValue, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { checkAccess, requestedAccess } from "./admin-access.ts";
import { dropFromSpec, dropFromStatus } from "./claim-gates.ts";
import { validateClaimSpec } from "./claim-rules.ts";
import { type ResourceClaim, resourceClaimOf } from "./claim-schema.ts";
import { claimConversion } from "./old-version.ts";
import { areLong } from "./selectors.ts";
import { validateClaimStatus } from "./status-rules.ts";
import { versions } from "./versions.ts";

function stateOf({ metadata, status: { allocation, reservedFor = [] } }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  return [
    ...(isDeleted ? ["deleted"] : []),
    ...(allocation === undefined ? (isDeleted ? [] : ["pending"]) : ["allocated"]),
    ...(allocation !== undefined && reservedFor.length > 0 ? ["reserved"] : []),
  ].join(",");
}

const columns: readonly Column<ResourceClaim>[] = [
  nameColumn,
  { name: "State", type: "string", description: "Whether the claim is pending, allocated, reserved or deleted.", cell: stateOf },
  ageColumn,
];

/** The lists of selectors of a request that is not checked yet. */
export function* selectorsOf(spec: any): Iterable<unknown> { // `any`: what clients send
  for (const request of Array.isArray(spec?.devices?.requests) ? spec.devices.requests : []) {
    yield request?.exactly?.selectors;
    for (const each of Array.isArray(request?.firstAvailable) ? request.firstAvailable : []) yield each?.selectors;
  }
}

const of = ({ metadata: { namespace = "", name = "" } }: ResourceClaim) => ({ kind: "ResourceClaim", namespace, name });

const status: Subresource<ResourceClaim> = {
  hasTable: false,
  leaves: ["metadata", "spec"],
  authorizeWrite(sent, prior, context) {
    if (prior === undefined || hasAccess(prior)) return undefined;
    const next = writeStatus(sent, prior, context), { results = [] } = next.status.allocation?.devices ?? {};
    const index = results.findIndex(({ adminAccess }) => adminAccess === true);
    const path = index < 0 ? undefined : `status.allocation.devices.results[${index}].adminAccess`;
    // What a client may leave out is not set yet.
    const { uid, creationTimestamp } = prior.metadata;
    const whole = { ...next, metadata: { uid, creationTimestamp, ...next.metadata } } as ResourceClaim; // stored objects have both
    return checkAccess(path, of(next), context, () => updateStatus(whole, prior, context));
  },
  write: writeStatus,
  update: updateStatus,
};

function hasAccess({ status: { allocation } }: ResourceClaim): boolean {
  return (allocation?.devices.results ?? []).some(({ adminAccess }) => adminAccess === true);
}

function writeStatus(sent: ResourceClaim, prior: ResourceClaim, context: HookContext): ResourceClaim {
  const next = { ...sent, metadata: metaOfStatus(sent.metadata, prior.metadata), spec: prior.spec };
  return { ...next, status: dropFromStatus(next, prior, context.gates) };
}

function updateStatus(next: ResourceClaim, prior: ResourceClaim, { names }: HookContext): readonly FieldError[] {
  return [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(resourceClaims, names)),
    ...validateClaimStatus(next, prior),
  ];
}

function authorizeCreate(sent: ResourceClaim, prior: ResourceClaim | undefined, context: RequestHookContext) {
  if (prior !== undefined) return undefined; // The spec is immutable.
  const next = { ...sent, spec: dropFromSpec(sent.spec, undefined, context.gates) };
  return checkAccess(requestedAccess(next.spec.devices.requests), of(next), context, () => [
    ...validateObjectMeta(next.metadata, metaRulesOf(resourceClaims, context.names)),
    ...validateClaimSpec(next.spec, "spec", context),
  ]);
}

export const resourceClaims: Resource<ResourceClaim> = defineResource({
  kind: "ResourceClaim",
  scope: "Namespaced",
  summary: "A request of devices, which pods can use.",
  storedAs: "resource.{domain}/v1",
  storedUnder: "resourceclaims",
  served: versions("ResourceClaim", (version) => ({
    schema: resourceClaimOf(version),
    columns,
    subresources: { status },
    ...(version === "v1beta1" ? claimConversion : {}),
  })),
  strategy: { deleteAnswers: "object", coreFinalizers: true, isHeavy: ({ spec }) => areLong(selectorsOf(spec)) },
  authorizeWrite: authorizeCreate,
  prepare: (next, prior, context) => ({ ...next, spec: dropFromSpec(next.spec, prior?.spec, context.gates) }),
  create: (next, context) => validateClaimSpec(next.spec, "spec", context),
  update: (next, prior, { names }) => {
    const rules = metaRulesOf(resourceClaims, names);
    return [
      ...validateObjectMeta(next.metadata, rules),
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...(sameValue(next.spec, prior.spec) ? [] : [invalid("spec", next.spec, "field is immutable")]),
    ];
  },
});
