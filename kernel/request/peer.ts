/** What authentication needs of a verified client certificate. */
export interface PeerCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** What its subject calls the user's uid; more than one, or an empty one, is a mistake of whoever signed it. */
  readonly uids: readonly string[];
  /** SHA-256 of the certificate in hexadecimal. */
  readonly fingerprint: string;
  /** Not-after, in milliseconds since the epoch. */
  readonly expires: number;
}
