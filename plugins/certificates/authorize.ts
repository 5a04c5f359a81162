/** Rights on signers: the verbs approve, sign and attest on the resource `signers`, whose objects exist only in rules. */
import { type Admission, type RequestHookContext } from "../../plugin.ts";
import { sameValue, spell, valueText } from "../../toolbox.ts";
import { certificateSigningRequests } from "./certificate-signing-request.ts";
import { requestIn } from "./request-rules.ts";
import type { CertificateSigningRequest } from "./schema.ts";

/** Whether the caller has this right on a signer, or on all signers of its domain (`example.com/*`). */
export async function maySign({ access, caller, names }: RequestHookContext, verb: string, signerName: string): Promise<boolean> {
  for (const name of [signerName, `${signerName.split("/", 1)[0]}/*`]) {
    const { verdict } = await access.authorize(caller, {
      isResourceRequest: true,
      path: "",
      verb,
      group: spell(names, "certificates.{domain}"),
      version: "*",
      resource: "signers",
      subresource: "",
      namespace: "",
      name,
    });
    if (verdict === "allow") return true;
  }
  return false;
}

export const certificateApproval: Admission<CertificateSigningRequest> = {
  name: "CertificateApproval",
  resources: [certificateSigningRequests],
  async refuse(_next, prior, context) {
    if (prior === undefined || context.subresource !== "approval") return undefined;
    const { signerName } = prior.spec;
    if (await maySign(context, "approve", signerName)) return undefined;
    return `user not permitted to approve requests with signerName ${valueText(signerName)}`;
  },
};

export const certificateSigning: Admission<CertificateSigningRequest> = {
  name: "CertificateSigning",
  resources: [certificateSigningRequests],
  async refuse(next, prior, context) {
    if (prior === undefined || context.subresource !== "status") return undefined;
    const { conditions = [], certificate = "" } = prior.status, { signerName } = prior.spec;
    if (certificate === (next.status.certificate ?? "") && sameValue(conditions, next.status.conditions ?? [])) return undefined;
    if (await maySign(context, "sign", signerName)) return undefined;
    return `user not permitted to sign requests with signerName ${valueText(signerName)}`;
  },
};

/** The group with all permissions, and the attribute of a subject that names groups. */
const masters = "system:masters", organization = "2.5.4.10";

export const certificateSubjectRestriction: Admission<CertificateSigningRequest> = {
  name: "CertificateSubjectRestriction",
  resources: [certificateSigningRequests],
  refuse({ spec }, prior, { names, subresource }) {
    const signer = spell(names, "{platform}.io/kube-apiserver-client");
    if (prior !== undefined || subresource !== "" || spec.signerName !== signer) return undefined;
    const isMaster = requestIn(spec.request).subjectAttributes.some(([oid, value]) => oid === organization && value === masters);
    return isMaster ? `use of ${signer} signer with ${masters} group is not allowed` : undefined;
  },
};
