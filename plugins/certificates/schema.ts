import { bytes, field, type Infer, int32, list, mapBy, object, oneOf, record, string, structsOf, time } from "../../plugin.ts";
import { named, plainList } from "../../toolbox.ts";

const home = "certificates/v1";
const struct = structsOf(home);

/** What a certificate can be used for. */
export const usages = Object.freeze(
  [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
  ] as const,
);

const RequestCondition = struct("CertificateSigningRequestCondition", {
  type: field(1, named("v1.RequestConditionType", string), "The type: Approved, Denied, Failed or another one.", { required: true }),
  status: field(6, named("v1.ConditionStatus", string), "True, False or Unknown. Approved, Denied and Failed are always True.", {
    required: true,
  }),
  reason: field(2, string, "The reason in one word, for programs."),
  message: field(3, string, "The reason, for people."),
  lastUpdateTime: field(4, time, "When the condition was last written.", { written: "always" }),
  lastTransitionTime: field(5, time, "When the status last changed.", { written: "always" }),
}, { doc: "A state of a request." });
export type RequestCondition = Infer<typeof RequestCondition>;

const RequestStatus = struct("CertificateSigningRequestStatus", {
  conditions: field(1, mapBy(["type"], RequestCondition), "Whether the request was approved, denied or has failed."),
  certificate: field(2, bytes, "The issued certificates as PEM, that of the requester first."),
}, { doc: "The approval of a request, and the certificate that was issued." });

const RequestSpec = struct("CertificateSigningRequestSpec", {
  request: field(1, bytes, "A certificate request of PKCS #10 as PEM, in a block of the type CERTIFICATE REQUEST.", { required: true }),
  signerName: field(7, string, "The signer that is asked, such as example.com/serving.", { required: true }),
  expirationSeconds: field(8, int32, "How long the certificate should be valid, in seconds. The signer may ignore it. At least 600.", {
    pointer: true,
  }),
  usages: field(5, list(named("v1.KeyUsage", oneOf(...usages))), "What the certificate is to be used for."),
  username: field(2, string, "The name of the user who created the request. Set by the server."),
  uid: field(3, string, "The UID of the user who created the request. Set by the server."),
  groups: field(4, list(string), "The groups of the user who created the request. Set by the server."),
  extra: field(6, record(plainList(string)), "Further values of the user who created the request. Set by the server."),
}, { doc: "What is requested, and by whom. Immutable." });
export type RequestSpec = Infer<typeof RequestSpec>;

export const CertificateSigningRequest = object("CertificateSigningRequest", {
  spec: field(2, RequestSpec, "What is requested, and by whom.", { required: true }),
  status: field(3, RequestStatus, "The approval, and the certificate.", { written: "always" }),
}, { package: home, doc: "A request for a certificate: somebody approves it, and a signer issues the certificate." });
export type CertificateSigningRequest = Infer<typeof CertificateSigningRequest>;
