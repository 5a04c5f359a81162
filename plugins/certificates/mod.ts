import { definePlugin } from "../../plugin.ts";
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from "./authorize.ts";
import { certificateSigningRequests } from "./certificate-signing-request.ts";

export { certificateSigningRequests };

export const certificatesPlugin = definePlugin({
  name: "certificates",
  summary: "Requests for certificates: CertificateSigningRequest, with its approval.",
  groupPriorities: { "certificates.{domain}": 17_300 },
  resources: [certificateSigningRequests],
  admission: [certificateApproval, certificateSigning, certificateSubjectRestriction],
});
