/** The fields of a verified client certificate that authentication reads. */
export interface PeerCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** UIDs of the user in the subject. Several, or an empty one, are an error of the issuer. */
  readonly uids: readonly string[];
  /** SHA-256 of the certificate in hexadecimal. */
  readonly fingerprint: string;
  /** Not-after, in milliseconds since the epoch. */
  readonly expires: number;
}
