/** How a server is reached. */

/** Address and credentials of a server, with PEM texts; absent members are not used. */
export interface RemoteAccess {
  readonly server: URL;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The expected name in the server's certificate, instead of the URL's host. */
  readonly serverName?: string;
  /** The Host header, if it is not the URL's host and port. */
  readonly host?: string;
  /** The server's certificate is not verified. */
  readonly insecure?: boolean;
  /** The value of the Authorization header. A secret. */
  readonly authorization?: string;
}
