import { bytes, Condition, field, type Infer, int32, mapBy, object, record, string, structsOf, time } from "../../plugin.ts";
import { named } from "../../toolbox.ts";

const home = "certificates/v1beta1";
const struct = structsOf(home);
const uid = named("types.UID", string);

/** Seconds for which a certificate may be valid if the request names no other number: a day. */
const expirationSeconds = 86_400;

const RequestSpec = struct("PodCertificateRequestSpec", {
  signerName: field(1, string, "The signer that is asked, such as example.com/mesh.", { required: true }),
  podName: field(2, string, "The pod into which the certificate is mounted.", { required: true }),
  podUID: field(3, uid, "The UID of the pod.", { required: true }),
  serviceAccountName: field(4, string, "The service account of the pod.", { required: true }),
  serviceAccountUID: field(5, uid, "The UID of the service account.", { required: true }),
  nodeName: field(6, named("types.NodeName", string), "The node of the pod.", { required: true }),
  nodeUID: field(7, uid, "The UID of the node.", { required: true }),
  maxExpirationSeconds: field(8, int32, "How long the certificate may be valid, in seconds. At least an hour; at most 91 days.", {
    pointer: true,
    default: expirationSeconds,
  }),
  pkixPublicKey: field(
    9,
    bytes,
    "The public key of the pod, as SubjectPublicKeyInfo in DER: RSA 3072 or 4096, P-256, P-384, P-521, or Ed25519.",
    {
      required: true,
    },
  ),
  proofOfPossession: field(10, bytes, "A signature of podUID by the key. RSA keys sign with PSS, and RSA and ECDSA keys with SHA-256.", {
    required: true,
  }),
  unverifiedUserAnnotations: field(11, record(string), "Values of the pod's author for the signer. The server does not verify them."),
}, { doc: "What is requested, and for which pod. Immutable." });
export type PodCertificateRequestSpec = Infer<typeof RequestSpec>;

const RequestStatus = struct("PodCertificateRequestStatus", {
  conditions: field(1, mapBy(["type"], Condition), "Whether the certificate was issued or denied, or the request has failed.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
  certificateChain: field(2, string, "The issued certificates as PEM, that of the pod first."),
  notBefore: field(4, time, "The begin of the validity of the certificate.", { pointer: true }),
  beginRefreshAt: field(5, time, "When to request the next certificate.", { pointer: true }),
  notAfter: field(6, time, "The end of the validity of the certificate.", { pointer: true }),
}, { doc: "The decision, and the certificate." });
export type PodCertificateRequestStatus = Infer<typeof RequestStatus>;

export const PodCertificateRequest = object("PodCertificateRequest", {
  spec: field(2, RequestSpec, "What is requested, and for which pod.", { required: true }),
  status: field(3, RequestStatus, "The decision, and the certificate.", { written: "always" }),
}, { package: home, doc: "A request for a certificate of a pod, which its kubelet makes. A signer denies it, or issues the certificate." });
export type PodCertificateRequest = Infer<typeof PodCertificateRequest>;
