export { serviceAccountTokens, type TokenMeter } from "./authenticator.ts";
export { configurationDocument, discoveryPaths, discoverySeconds, issuerMistake, keysDocument } from "./discovery.ts";
export { type TokenIssuer, tokenIssuer } from "./issue.ts";
export { type KeyBytes, type KeySet, keySet, newSigningKey, type SigningKey, signingKey, type VerifyingKey, verifyingKey } from "./keys.ts";
export { legacyLabels, type SecretUse } from "./legacy.ts";
export { type Lookup, lookupOf } from "./lookup.ts";
export { type UseRecorder, useRecorder } from "./record-use.ts";
export { tokenVerifier } from "./verify.ts";
