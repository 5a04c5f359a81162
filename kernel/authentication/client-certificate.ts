import type { Authenticator } from "./authenticate.ts";

/** The listener has verified the certificate; its common name is the user, its organizations are the groups. */
export const clientCertificates: Authenticator = Object.freeze({
  name: "x509",
  authenticate: ({ peer }) =>
    Promise.resolve(
      peer === undefined ? undefined : peer.commonName === "" ? "refused" : { name: peer.commonName, groups: peer.organizations },
    ),
});
