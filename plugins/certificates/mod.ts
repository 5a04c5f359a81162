import { definePlugin } from "../../plugin.ts";
import { podCertificateGate, trustBundleGate } from "../shared/gates.ts";
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from "./authorize.ts";
import { certificateSigningRequests } from "./certificate-signing-request.ts";
import { clusterTrustBundleAttest, clusterTrustBundles } from "./cluster-trust-bundle.ts";
import { podCertificateRequests } from "./pod-certificate-request.ts";

export { requestIn } from "./request-rules.ts";
export { certificateSigningRequests, clusterTrustBundles, podCertificateRequests };

export const certificatesPlugin = definePlugin({
  name: "certificates",
  summary: "Requests for certificates and root certificates: CertificateSigningRequest, PodCertificateRequest, ClusterTrustBundle.",
  featureGates: { ...trustBundleGate, ...podCertificateGate },
  groupPriorities: { "certificates.{domain}": 17_300 },
  resources: [certificateSigningRequests, clusterTrustBundles, podCertificateRequests],
  admission: [certificateApproval, certificateSigning, clusterTrustBundleAttest, certificateSubjectRestriction],
});
