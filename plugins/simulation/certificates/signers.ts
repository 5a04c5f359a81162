/** The signers of certificates that a cluster has (upstream: pkg/controller/certificates): which requests they grant. */
import type { CertificateRequest } from "../../../protocols/x509/certificate-request.ts";

/** The signer of certificates of kubelets for the API server, whose requests may be approved without a person. */
export const kubeletClientSigner = "kubernetes.io/kube-apiserver-client-kubelet";

type Usages = readonly string[];
/** Returns why a request is not granted; undefined if it is. */
type Check = (request: CertificateRequest, usages: Usages) => string | undefined;

/** The checks of the signers by their names. */
export const signers: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["kubernetes.io/kube-apiserver-client", (_request, usages) => clientProblem(usages)],
  [kubeletClientSigner, kubeletClientProblem],
  ["kubernetes.io/kubelet-serving", kubeletServingProblem],
  ["kubernetes.io/legacy-unknown", () => undefined],
]);

function clientProblem(usages: Usages): string | undefined {
  const other = usages.find((usage) => !["digital signature", "key encipherment", "client auth"].includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}

const commonName = "2.5.4.3", organization = "2.5.4.10";

/** The common name of the subject; "" without one. */
export function commonNameOf({ subjectAttributes }: CertificateRequest): string {
  return subjectAttributes.findLast(([oid]) => oid === commonName)?.[1] ?? "";
}

/** Why a request is none of a kubelet for its client certificate; undefined if it is one. */
export function kubeletClientProblem(request: CertificateRequest, usages: Usages): string | undefined {
  const { dns = [], emails = [], addresses = [], uriHosts = [] } = request.alternative?.names ?? {};
  if (!isOfNodes(request)) return noNodes;
  if (dns.length > 0) return "DNS subjectAltNames are not allowed";
  if (emails.length > 0) return "Email subjectAltNames are not allowed";
  if (addresses.length > 0) return "IP subjectAltNames are not allowed";
  if (uriHosts.length > 0) return "URI subjectAltNames are not allowed";
  if (!isNode(request)) return noNode;
  return areOnly(usages, "client auth");
}

function kubeletServingProblem(request: CertificateRequest, usages: Usages): string | undefined {
  const { dns = [], emails = [], addresses = [], uriHosts = [] } = request.alternative?.names ?? {};
  if (!isOfNodes(request)) return noNodes;
  if (dns.length + addresses.length === 0) return "DNS or IP subjectAltName is required";
  if (emails.length > 0) return "Email subjectAltNames are not allowed";
  if (uriHosts.length > 0) return "URI subjectAltNames are not allowed";
  return areOnly(usages, "server auth") ?? (isNode(request) ? undefined : noNode);
}

const noNodes = "subject organization is not system:nodes", noNode = "subject common name does not begin with system:node:";

function isOfNodes({ subjectAttributes }: CertificateRequest): boolean {
  const organizations = subjectAttributes.filter(([oid]) => oid === organization).map(([, value]) => value);
  return organizations.length === 1 && organizations[0] === "system:nodes";
}

const isNode = (request: CertificateRequest): boolean => commonNameOf(request).startsWith("system:node:");

/** The usages must be this one and signatures; keys of RSA may be for encipherment, too. */
function areOnly(usages: Usages, purpose: string): string | undefined {
  const needed = ["digital signature", purpose], all = new Set(usages);
  for (const usage of needed) if (!all.delete(usage)) return wrongUsages(purpose);
  all.delete("key encipherment");
  return all.size === 0 ? undefined : wrongUsages(purpose);
}

const wrongUsages = (purpose: string): string =>
  `usages did not match [${["digital signature", "key encipherment", purpose].sort().join(" ")}]`;
