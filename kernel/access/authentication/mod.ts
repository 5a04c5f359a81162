export {
  type Authenticate,
  authenticatedUsers,
  authenticateInOrder,
  type AuthenticationResult,
  type Authenticator,
  Refused,
  Unauthenticated,
  type Warn,
} from "./authenticate.ts";
export { anonymousRule } from "./anonymous.ts";
export { bearerTokens } from "./bearer.ts";
export { type AuthenticateToken, authenticateTokens, refusalText, type TokenChain, type TokenOutcome } from "./token-chain.ts";
export { cachedTokens, type TokenCacheMeter, type TokenCacheOptions } from "../../../core/token-cache.ts";
export { type AuthenticatorManner, pluginAuthenticator, pluginTokens } from "./plugin-authenticator.ts";
