export { type Authenticate, authenticateInOrder, type Authenticator, isStranger, type Warn } from "./authenticate.ts";
export { clientCertificates } from "./client-certificate.ts";
export { frontProxy } from "./front-proxy.ts";
export { tokenFile } from "./token-file.ts";
export { anonymousUser, systemGroups, type UserInfo } from "../../../core/user-info.ts";
