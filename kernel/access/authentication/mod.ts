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
export { cachedTokens, type ExpiringUser, type TokenCacheMeter, type TokenCacheOptions } from "./token-cache.ts";
export { type TokenFile, tokenFile } from "./token-file.ts";
export { type FetchDocument, type FetchedDocument } from "./jwt/document.ts";
export { JwtAuthenticator, type JwtAuthenticatorOptions, type Replacing, signingAlgorithms } from "./jwt/authenticator.ts";
export { type IssuerNeeds, type JwtMeter } from "./jwt/issuer.ts";
export { type AuthenticationConfiguration, type IssuerConfig } from "./configuration/schema.ts";
export { issuerOfFlags } from "./configuration/oidc-flags.ts";
export { checkConfiguration, ConfigurationError, readAuthenticationConfiguration } from "./configuration/read.ts";
export { validateConfiguration, validateReload, type ValidationContext } from "./configuration/validate.ts";
export { pluginAuthenticator, pluginTokens } from "./plugin-authenticator.ts";
export { tokenReviewer, type TokenReviewOptions } from "./token-review.ts";
