import type { Authenticator } from "./authenticate.ts";

/** The listener has verified the certificate, or says why it does not trust it; its common name is the user, its organizations are
 *  the groups. */
export const clientCertificates: Authenticator = Object.freeze<Authenticator>({
  name: "x509",
  async authenticate({ peer, peerRefused }) {
    if (peer === undefined) return peerRefused === undefined ? undefined : "refused";
    return peer.commonName === "" ? "refused" : { name: peer.commonName, groups: peer.organizations };
  },
});
