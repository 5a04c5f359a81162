/** What authentication needs of a verified client certificate. */
export interface PeerCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The user's uid in the subject. More than one, or an empty one, is an error of the issuer. */
  readonly uids: readonly string[];
  /** SHA-256 of the certificate in hexadecimal. */
  readonly fingerprint: string;
  /** Not-after, in milliseconds since the epoch. */
  readonly expires: number;
}
