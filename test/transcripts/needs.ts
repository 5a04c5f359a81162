/** The requirements of a scenario, as flags of the server. */

/** Requirements without a flag: the server fulfils them or the scenario is on the pending list. */
const noFlag = new Set([
  "crd",
  "rbac",
  "authn",
  "admission-policy",
  "admission-webhook",
  "cert-subject-restriction",
  "aggregation",
  "compacted",
  "flow-control",
  "limit-range",
  "pod-security",
  "resource-quota",
  "store:etcd",
]);

/** Stands for `--root-ca-file` with a certificate: recordings with legacy tokens contain one in their Secrets. */
export const withRootCertificates = "--root-ca-file=made";

/**
 * Flags for `needs`. A need is a feature gate (`gate:Name`), an API to serve (`group/version`, `api/all`), a background controller
 * (`controller:name`, all are enabled), or a capability. An unknown one is an error, so that a misspelt need does not pass.
 */
export function serverFlags(needs: readonly string[]): string[] {
  const gates = needs.filter((need) => need.startsWith("gate:")).map((need) => `${need.slice("gate:".length)}=true`).sort();
  const rest = needs.filter((need) => !need.startsWith("gate:") && !need.startsWith("controller:") && !noFlag.has(need));
  const apis = rest.filter((need) => need.includes("/")).map((api) => `${api}=true`).sort();
  const unknown = rest.filter((need) => !need.includes("/"));
  if (unknown.length > 0) throw new Error(`Cannot find a flag for ${unknown.join(", ")}`);
  return [
    ...(needs.includes("controller:serviceaccount-token") ? [withRootCertificates] : []),
    ...(gates.length > 0 ? [`--feature-gates=${gates.join(",")}`] : []),
    ...(apis.length > 0 ? [`--runtime-config=${apis.join(",")}`] : []),
  ];
}
