import type { Authenticator } from "./authenticate.ts";

/** The listener has verified the certificate; its common name is the user, its organizations are the groups. */
export const clientCertificates: Authenticator = Object.freeze<Authenticator>({
  name: "x509",
  async authenticate({ peer }) {
    if (peer === undefined) return undefined;
    return peer.commonName === "" ? "refused" : { name: peer.commonName, groups: peer.organizations };
  },
});
