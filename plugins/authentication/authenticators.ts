/** The authenticators of a kube-apiserver. */
import type { AuthenticatorDefinition } from "../../core/authentication.ts";
import { bootstrap } from "./bootstrap-tokens.ts";
import { x509 } from "./client-certificate.ts";
import { delegation } from "./delegation/cluster.ts";
import { requestHeader } from "./front-proxy.ts";
import { jwt } from "./jwt/definition.ts";
import { tokenWebhook } from "./reviewed-tokens.ts";
import { serviceAccounts } from "./service-accounts/definition.ts";
import { staticTokens } from "./token-file.ts";

/**
 * In the order of kube-apiserver. For requests: front proxies, then client certificates. For tokens: local ones first, then those that call other servers; service accounts
 * precede the issuers, which may fetch keys for a token.
 */
export const authenticators: readonly AuthenticatorDefinition[] = Object.freeze([
  requestHeader,
  staticTokens,
  serviceAccounts,
  bootstrap,
  jwt,
  tokenWebhook,
  delegation,
  x509,
]);
