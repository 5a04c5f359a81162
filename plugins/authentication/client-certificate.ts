/** Users of client certificates. */
import type { AuthenticationAnswer, AuthenticatorDefinition, ClientCertificate, RequestToAuthenticate } from "../../core/authentication.ts";

/** Key of the extra value with the certificate's fingerprint, `X509SHA256=...`. Upstream's name, independent of the group domain. */
const credentialId = "authentication.kubernetes.io/credential-id";

type Verified = Pick<RequestToAuthenticate, "certificate" | "certificateRefused">;

/**
 * The server has verified the certificate, or provides the reason why it is not trusted. The common name is the user, the organizations
 * are the groups; a certificate without a common name is ignored. `parsesUid`: whether the uid in the subject is used; two, or an empty
 * one, are an error (AllowParsingUserUIDFromCertAuth).
 */
export function clientCertificates(parsesUid: () => boolean): (request: Verified) => AuthenticationAnswer {
  /** One answer for all requests of a connection, while the gate is unchanged. */
  const known = new WeakMap<ClientCertificate, { readonly answer: AuthenticationAnswer; readonly parsed: boolean }>();
  return ({ certificate, certificateRefused }) => {
    if (certificate === undefined) {
      return certificateRefused === undefined ? undefined : { refused: `client certificate: ${certificateRefused}` };
    }
    if (certificate.commonName === "") return undefined;
    const parsed = parsesUid(), before = known.get(certificate);
    if (before?.parsed === parsed) return before.answer;
    const answer = answerOf(certificate, parsed ? certificate.uids : []);
    known.set(certificate, { answer, parsed });
    return answer;
  };
}

function answerOf({ commonName, organizations, fingerprint }: ClientCertificate, uids: readonly string[]): AuthenticationAnswer {
  if (uids.length > 1) return { refused: "client certificate: the subject has more than one uid" };
  if (uids[0] === "") return { refused: "client certificate: the uid in the subject is empty" };
  const [uid] = uids;
  const extra = { [credentialId]: [`X509SHA256=${fingerprint}`] };
  return { user: { name: commonName, ...(uid === undefined ? {} : { uid }), groups: organizations, extra } };
}

/** The authenticator `x509`. */
export const x509: AuthenticatorDefinition = {
  name: "x509",
  summary: "Client certificates of the CAs of --client-ca-file, of the server itself, and of the cluster in front.",
  beforeTokens: true,
  plainReasons: true,
  required: true,
  open: ({ gate }) => ({ authenticate: clientCertificates(() => gate("AllowParsingUserUIDFromCertAuth")) }),
};
