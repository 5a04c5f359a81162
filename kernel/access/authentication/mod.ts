export {
  type Authenticate,
  authenticatedUsers,
  authenticateInOrder,
  type AuthenticationResult,
  type Authenticator,
  type Warn,
} from "./authenticate.ts";
export { bearerTokens } from "./bearer.ts";
export { clientCertificates } from "./client-certificate.ts";
export { frontProxy } from "./front-proxy.ts";
export {
  type AuthenticateToken,
  authenticateTokens,
  ownAudiences,
  refusalText,
  type TokenChain,
  type TokenOutcome,
} from "./token-chain.ts";
export { type TokenAuthenticator, TokenRefusal } from "./token-authenticator.ts";
export { cachedTokens, type TokenCacheMeter, type TokenCacheOptions } from "./token-cache.ts";
export { tokenFile } from "./token-file.ts";
