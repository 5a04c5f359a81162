/** The file of --authentication-config: AuthenticationConfiguration (KEP-3331). */
import { boolean, field, type Infer, list, string, struct } from "../../../core/schema.ts";

const text = (doc: string) => field(0, string, doc);

const Issuer = struct("Issuer", {
  url: text("The issuer, as the claim iss names it: an https URL."),
  discoveryURL: text("Where the discovery document is, if not below the issuer's URL."),
  certificateAuthority: text("PEM certificates that the server of the issuer is verified with. Empty: those of the system."),
  audiences: field(0, list(string), "Audiences, one of which must be among those of a token."),
  audienceMatchPolicy: text("MatchAny; required with several audiences."),
  egressSelectorType: text("Not supported."),
});
const ClaimValidationRule = struct("ClaimValidationRule", {
  claim: text("A claim that a token must have."),
  requiredValue: text("Its value."),
  expression: text("A CEL expression over `claims` that must be true."),
  message: text("The message when the expression is false."),
});
const PrefixedClaimOrExpression = struct("PrefixedClaimOrExpression", {
  claim: text("The claim that is used."),
  prefix: field(0, string, "Put before the value of the claim.", { pointer: true }),
  expression: text("A CEL expression over `claims` whose result is used."),
});
const ClaimOrExpression = struct("ClaimOrExpression", {
  claim: text("The claim that is used."),
  expression: text("A CEL expression over `claims` whose result is used."),
});
const ExtraMapping = struct("ExtraMapping", {
  key: text("Key of the extra value."),
  valueExpression: text("A CEL expression over `claims`: a string or a list of strings."),
});
const ClaimMappings = struct("ClaimMappings", {
  username: field(0, PrefixedClaimOrExpression, "The user's name.", { written: "always" }),
  groups: field(0, PrefixedClaimOrExpression, "The user's groups.", { written: "always" }),
  uid: field(0, ClaimOrExpression, "The user's UID.", { written: "always" }),
  extra: field(0, list(ExtraMapping), "Extra values of the user."),
});
const UserValidationRule = struct("UserValidationRule", {
  expression: text("A CEL expression over `user` that must be true."),
  message: text("The message when the expression is false."),
});
const IssuerConfig = struct("JWTAuthenticator", {
  issuer: field(0, Issuer, "Who issues the tokens.", { written: "always" }),
  claimValidationRules: field(0, list(ClaimValidationRule), "Rules that the claims must fulfil."),
  claimMappings: field(0, ClaimMappings, "How claims become a user.", { written: "always" }),
  userValidationRules: field(0, list(UserValidationRule), "Rules that the user must fulfil."),
});
const AnonymousAuthCondition = struct("AnonymousAuthCondition", {
  path: text("A path that may be requested without credentials."),
});
const AnonymousAuthConfig = struct("AnonymousAuthConfig", {
  enabled: field(0, boolean, "Whether requests without credentials are anonymous.", { written: "always" }),
  conditions: field(0, list(AnonymousAuthCondition), "The paths for which they are. Empty: all."),
});
export const AuthenticationConfiguration = Object.freeze(
  {
    ...struct("AuthenticationConfiguration", {
      jwt: field(0, list(IssuerConfig), "Issuers of JSON Web Tokens."),
      anonymous: field(0, AnonymousAuthConfig, "Requests without credentials. Replaces --anonymous-auth.", { pointer: true }),
    }),
    typeMeta: true,
  } as const,
);

export type IssuerConfig = Infer<typeof IssuerConfig>;
export type ClaimMappings = Infer<typeof ClaimMappings>;
export type AnonymousAuthConfig = Infer<typeof AnonymousAuthConfig>;
export interface AuthenticationConfiguration {
  readonly jwt?: readonly IssuerConfig[];
  readonly anonymous?: AnonymousAuthConfig;
}
