/** What a scenario needs of the server, as flags that switch it on. */

/** Needs that no flag switches: the server has them or the scenario is on the pending list. */
const noFlag = new Set([
  "crd",
  "rbac",
  "authn",
  "admission-policy",
  "admission-webhook",
  "aggregation",
  "compacted",
  "flow-control",
  "limit-range",
  "resource-quota",
  "store:etcd",
]);

/** Stands for `--root-ca-file` with a certificate: recordings with legacy tokens show one in their Secrets. */
export const withRootCertificates = "--root-ca-file=made";

/**
 * Flags for `needs`. A need is a feature gate (`gate:Name`), an API to serve (`group/version`, `api/all`), a background
 * controller (`controller:name`, all are on), or a capability. One that is unknown is an error: a misspelt need must not pass.
 */
export function serverFlags(needs: readonly string[]): string[] {
  const gates = needs.filter((need) => need.startsWith("gate:")).map((need) => `${need.slice("gate:".length)}=true`).sort();
  const rest = needs.filter((need) => !need.startsWith("gate:") && !need.startsWith("controller:") && !noFlag.has(need));
  const apis = rest.filter((need) => need.includes("/")).map((api) => `${api}=true`).sort();
  const unknown = rest.filter((need) => !need.includes("/"));
  if (unknown.length > 0) throw new Error(`Cannot tell how to switch on ${unknown.join(", ")}`);
  return [
    ...(needs.includes("controller:serviceaccount-token") ? [withRootCertificates] : []),
    ...(gates.length > 0 ? [`--feature-gates=${gates.join(",")}`] : []),
    ...(apis.length > 0 ? [`--runtime-config=${apis.join(",")}`] : []),
  ];
}
