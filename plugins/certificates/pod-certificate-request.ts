import { type Column, defineResource, type FieldError, forbidden, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { invalidError, metaOfStatus, spell, validateObjectMetaUpdate, valueText } from "../../toolbox.ts";
import { labelsText } from "../shared/selector-text.ts";
import { maySign } from "./authorize.ts";
import { isSameStatus, keepsSpec, validateSpec, validateStatus } from "./pod-certificate-rules.ts";
import { PodCertificateRequest } from "./pod-certificate-schema.ts";

const group = "certificates.{domain}", groupVersion = `${group}/v1beta1`;

const columns: readonly Column<PodCertificateRequest>[] = [
  nameColumn,
  { name: "PodName", type: "string", description: "The pod.", cell: ({ spec }) => spec.podName },
  {
    name: "ServiceAccountName",
    type: "string",
    description: "The service account of the pod.",
    cell: ({ spec }) => spec.serviceAccountName,
  },
  { name: "NodeName", type: "string", description: "The node of the pod.", cell: ({ spec }) => spec.nodeName },
  { name: "SignerName", type: "string", description: "The signer that is asked.", cell: ({ spec }) => spec.signerName },
  { name: "State", type: "string", description: "Pending, Issued, Denied or Failed.", cell: stateText },
  {
    name: "UnverifiedUserAnnotations",
    type: "string",
    description: "Values of the pod's author for the signer.",
    cell: ({ spec }) => labelsText(spec.unverifiedUserAnnotations),
  },
];

function stateText({ status: { conditions = [] } }: PodCertificateRequest): string {
  return conditions.findLast(({ type }) => ["Issued", "Denied", "Failed"].includes(type))?.type ?? "Pending";
}

type Request = PodCertificateRequest;
/** The request after a write of its status. */
const withStatus = (next: Request, prior: Request): Request => ({
  ...next,
  metadata: metaOfStatus(next.metadata, prior.metadata),
  spec: prior.spec,
});
function statusErrors(next: Request, prior: Request, now: string): readonly FieldError[] {
  const errors = validateObjectMetaUpdate(next.metadata, prior.metadata);
  return errors.length > 0 ? errors : validateStatus(next.status, prior.status, prior.spec, Date.parse(now));
}

const status: Subresource<Request> = {
  write: withStatus,
  update: (next, prior, { now }) => statusErrors(next, prior, now),
  /** A valid change needs the right to sign. Other errors come first, as upstream. */
  async authorizeWrite(next, prior, context) {
    if (prior === undefined || isSameStatus(next.status, prior.status)) return undefined;
    const { signerName } = prior.spec, { name = "" } = prior.metadata;
    if (statusErrors(withStatus(next, prior), prior, context.now).length > 0 || await maySign(context, "sign", signerName)) {
      return undefined;
    }
    const why = `User ${valueText(context.caller.name)} is not permitted to "sign" for signer ${valueText(signerName)}`;
    const kind = { group: spell(context.names, group), name: "PodCertificateRequest" };
    throw invalidError(kind, name, [forbidden("spec.signerName", why)]);
  },
  leaves: ["spec"],
};

export const podCertificateRequests: Resource<PodCertificateRequest> = defineResource({
  kind: "PodCertificateRequest",
  scope: "Namespaced",
  summary: "A request for a certificate of a pod.",
  storedAs: groupVersion,
  storedUnder: "podcertificaterequests",
  served: {
    [groupVersion]: {
      schema: PodCertificateRequest,
      introduced: "1.35",
      deprecated: "1.38",
      removed: "1.41",
      gate: "PodCertificateRequest",
      columns,
      selectableFields: {
        "spec.signerName": ({ spec }) => spec.signerName,
        "spec.podName": ({ spec }) => spec.podName,
        "spec.nodeName": ({ spec }) => spec.nodeName,
      },
      subresources: { status },
    },
  },
  strategy: { unconditionalUpdate: false, leaves: [] },
  prepare: (next, prior) => ({ ...next, status: prior?.status ?? {} }),
  create: ({ spec }, { names }) => validateSpec(spec, names),
  update: (next, prior) => [...validateObjectMetaUpdate(next.metadata, prior.metadata), ...keepsSpec(next.spec, prior.spec)],
});
