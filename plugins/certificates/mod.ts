import { definePlugin } from "../../plugin.ts";
import { trustBundleGate } from "../shared/gates.ts";
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from "./authorize.ts";
import { certificateSigningRequests } from "./certificate-signing-request.ts";
import { clusterTrustBundleAttest, clusterTrustBundles } from "./cluster-trust-bundle.ts";

export { certificateSigningRequests, clusterTrustBundles };

export const certificatesPlugin = definePlugin({
  name: "certificates",
  summary: "Requests for certificates and root certificates: CertificateSigningRequest, ClusterTrustBundle.",
  featureGates: trustBundleGate,
  groupPriorities: { "certificates.{domain}": 17_300 },
  resources: [certificateSigningRequests, clusterTrustBundles],
  admission: [certificateApproval, certificateSigning, clusterTrustBundleAttest, certificateSubjectRestriction],
});
