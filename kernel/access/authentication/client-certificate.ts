import type { PeerCertificate } from "../../request/peer.ts";
import { type Authenticator, Refused } from "./authenticate.ts";
import type { UserInfo } from "../../../core/user-info.ts";

/** Key of the extra value with the certificate's fingerprint, `X509SHA256=...`. Upstream's name, independent of the group domain. */
const credentialId = "authentication.kubernetes.io/credential-id";

/**
 * The listener has verified the certificate, or provides the reason why it is not trusted. The common name is the user, the organizations
 * are the groups; a certificate without a common name is ignored. `parsesUid`: whether the uid in the subject is used; two, or an empty
 * one, are an error (AllowParsingUserUIDFromCertAuth).
 */
export function clientCertificates(parsesUid: () => boolean): Authenticator {
  /** One user object for all requests of a connection, while the gate is unchanged. */
  const known = new WeakMap<PeerCertificate, { readonly user: UserInfo | Refused; readonly parsed: boolean }>();
  return {
    name: "x509",
    async authenticate({ peer, peerRefused }) {
      if (peer === undefined) return peerRefused === undefined ? undefined : new Refused(`client certificate: ${peerRefused}`);
      if (peer.commonName === "") return undefined;
      const parsed = parsesUid(), before = known.get(peer);
      if (before?.parsed === parsed) return before.user;
      const user = userOf(peer, parsed ? peer.uids : []);
      known.set(peer, { user, parsed });
      return user;
    },
  };
}

function userOf({ commonName, organizations, fingerprint }: PeerCertificate, uids: readonly string[]): UserInfo | Refused {
  if (uids.length > 1) return new Refused("client certificate: the subject has more than one uid");
  if (uids[0] === "") return new Refused("client certificate: the uid in the subject is empty");
  const [uid] = uids;
  const extra = { [credentialId]: [`X509SHA256=${fingerprint}`] };
  return { name: commonName, ...(uid === undefined ? {} : { uid }), groups: organizations, extra };
}
