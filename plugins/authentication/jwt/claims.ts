/** Maps verified claims to a user, by the mappings of an issuer. */
import type { AccessExpression } from "../../../cel/access/expressions.ts";
import type { JsonObject } from "../../../core/schema.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import type { Caller } from "../../../core/user-info.ts";
import { type ClaimMappings } from "../configuration/schema.ts";
import { checkRules, claimGroupsMax, type IssuerExpressions, jsonOfUser, textOf, textsOf } from "./expressions.ts";
import { TokenRefusal } from "../../../core/token-authenticator.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** Key of the extra value with the id of a token. Upstream's name, independent of the group domain. */
const credentialId = "authentication.kubernetes.io/credential-id";

/** How claims become a user. */
export interface ClaimRules {
  readonly mappings: ClaimMappings;
  readonly expressions: IssuerExpressions;
  /** Claims that must have a value. */
  readonly required: ReadonlyMap<string, string>;
}

/** The user of a token. Throws a TokenRefusal for claims that are missing, have another type, or break a rule. */
export function userOfClaims(claims: Claims, { mappings, expressions, required }: ClaimRules): Caller {
  const json = claims as JsonObject; // decoded JSON
  const { username, groups, uid } = mappings;
  const name = expressions.username === undefined
    ? usernameOf(claims, username.claim ?? "", username.prefix ?? "")
    : nameOf(expressions.username, json);
  const teams = expressions.groups === undefined
    ? groupsOf(claims, groups.claim ?? "", groups.prefix ?? "")
    : textsOf(expressions.groups, json, "group claim");
  const id = expressions.uid === undefined ? uidOf(claims, uid.claim ?? "") : textOf(expressions.uid, json, "uid claim");
  const extra = extraOf(claims, json, expressions);
  checkRequired(claims, required);
  checkRules(expressions.claimRules, json, "claim validation expression");
  const user: Caller = {
    name,
    ...(id === "" ? {} : { uid: id }),
    groups: teams,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  if (expressions.userRules.length > 0) checkRules(expressions.userRules, jsonOfUser(user), "user info validation rule");
  return user;
}

function nameOf(expression: AccessExpression, json: JsonObject): string {
  const name = textOf(expression, json, "username claim");
  if (name === "") throw new TokenRefusal("oidc: empty username via CEL expression is not allowed");
  return name;
}

function uidOf(claims: Claims, claim: string): string {
  return claim === "" ? "" : claimOf(claims, claim, "uid claim");
}

function extraOf(claims: Claims, json: JsonObject, { extra }: IssuerExpressions): Readonly<Record<string, readonly string[]>> {
  const found: [string, readonly string[]][] = [];
  const id = claims["jti"];
  if (typeof id === "string" && id !== "") found.push([credentialId, [`JTI=${id}`]]);
  for (const { key, expression } of extra) {
    const values = textsOf(expression, json, "extra claim");
    if (values.length > 0) found.push([key, values]);
  }
  return Object.fromEntries(found);
}

function usernameOf(claims: Claims, claim: string, prefix: string): string {
  const name = claimOf(claims, claim, "username claims");
  // Upstream accepts an empty name; users without a name would be indistinguishable.
  if (name === "") throw new TokenRefusal(`oidc: username claim ${goQuote(claim)} is empty`);
  if (claim === "email" && hasClaim(claims, "email_verified")) {
    const verified = claims["email_verified"];
    if (typeof verified !== "boolean") throw new TokenRefusal(`oidc: parse 'email_verified' claim: ${notOfType(verified, "bool")}`);
    if (!verified) throw new TokenRefusal("oidc: email not verified");
  }
  return prefix + name;
}

function groupsOf(claims: Claims, claim: string, prefix: string): readonly string[] {
  if (claim === "") return [];
  if (!hasClaim(claims, claim)) {
    checkNotDistributed(claims, claim);
    return [];
  }
  const value = claims[claim];
  if (value === null) return [];
  const groups: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (groups.length > claimGroupsMax) {
    throw new TokenRefusal(`oidc: groups claim ${goQuote(claim)} has more than ${claimGroupsMax} groups`);
  }
  return groups.map((group) => {
    if (typeof group !== "string") throw new TokenRefusal(`oidc: parse groups claim ${goQuote(claim)}: ${notOfType(value, "string")}`);
    return prefix + group;
  });
}

/** Groups that the issuer stores elsewhere (OpenID Connect Core 1.0, section 5.6.2): a user without them would have other rights. */
function checkNotDistributed(claims: Claims, claim: string): void {
  if (!Object.hasOwn(claims, "_claim_names")) return;
  const { _claim_names: names, _claim_sources: sources } = claims;
  if (typeof sources !== "object" || sources === null) throw new TokenRefusal("oidc: no claim sources");
  if (typeof names === "object" && names !== null && Object.hasOwn(names, claim)) {
    throw new TokenRefusal("oidc: could not expand distributed claims: they are not supported");
  }
}

function checkRequired(claims: Claims, required: ReadonlyMap<string, string>): void {
  for (const [claim, want] of required) {
    if (!hasClaim(claims, claim)) throw new TokenRefusal(`oidc: required claim ${claim} not present in ID token`);
    const value = claims[claim] ?? "";
    if (typeof value !== "string") throw new TokenRefusal(`oidc: parse claim ${claim}: ${notOfType(value, "string")}`);
    if (value !== want) throw new TokenRefusal(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${want}`);
  }
}

function claimOf(claims: Claims, claim: string, what: string): string {
  if (!hasClaim(claims, claim)) throw new TokenRefusal(`oidc: parse ${what} ${goQuote(claim)}: claim not present`);
  const value = claims[claim] ?? "";
  if (typeof value !== "string") throw new TokenRefusal(`oidc: parse ${what} ${goQuote(claim)}: ${notOfType(value, "string")}`);
  return value;
}

/** The error of Go's decoder for a value of another type. */
function notOfType(value: unknown, goType: string): string {
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type ${goType}`;
}

function hasClaim(claims: Claims, claim: string): boolean {
  return Object.hasOwn(claims, claim);
}
