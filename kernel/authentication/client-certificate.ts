import type { PeerCertificate } from "../listen/peer.ts";
import type { Authenticator } from "./authenticate.ts";
import type { UserInfo } from "./user-info.ts";

/** One user for all requests of a connection. */
const users = new WeakMap<PeerCertificate, UserInfo>();

/** The listener has verified the certificate, or says why it does not trust it; its common name is the user, its organizations are
 *  the groups. */
export const clientCertificates: Authenticator = Object.freeze<Authenticator>({
  name: "x509",
  async authenticate({ peer, peerRefused }) {
    if (peer === undefined) return peerRefused === undefined ? undefined : "refused";
    if (peer.commonName === "") return "refused";
    const user = users.get(peer) ?? { name: peer.commonName, groups: peer.organizations };
    users.set(peer, user);
    return user;
  },
});
