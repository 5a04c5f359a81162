export { type Authenticate, authenticateInOrder, type Authenticator, type Warn } from "./authenticate.ts";
export { clientCertificates } from "./client-certificate.ts";
export { frontProxy } from "./front-proxy.ts";
export { tokenFile } from "./token-file.ts";
